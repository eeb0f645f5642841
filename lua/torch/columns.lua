-- torch.columns - rows of text as aligned columns; bytes with a unit, digits in groups of three.
local M = {}

--- '512 B', '1.5 KB', '97.7 MB', '1.2 GB': bytes in the largest unit of 1024 that leaves at least
-- 1.
function M.bytes(n)
   if n < 1024 then return ('%.0f B'):format(n) end
   if n < 1024 ^ 2 then return ('%.1f KB'):format(n / 1024) end
   if n < 1024 ^ 3 then return ('%.1f MB'):format(n / 1024 ^ 2) end
   return ('%.1f GB'):format(n / 1024 ^ 3)
end

--- '1,234,567': a whole number with its digits in groups of three.
function M.grouped(n)
   local sign, digits = ('%.0f'):format(n):match '^(%-?)(%d+)$'
   if not digits then return tostring(n) end
   return sign .. digits:reverse():gsub('(%d%d%d)', '%1,'):reverse():gsub('^,', '')
end

--- The lines of a table.
-- @param rows   lists of strings, all of the same length; the first has the titles
-- @param right  the first column that is aligned to the right, as are those behind it
-- @return a list of strings without blanks at their ends
function M.lines(rows, right)
   local widths, out = {}, {}
   for _, row in ipairs(rows) do
      for c, text in ipairs(row) do widths[c] = math.max(widths[c] or 0, #text) end
   end
   for i, row in ipairs(rows) do
      local cells = {}
      for c, text in ipairs(row) do
         local blanks = (' '):rep(widths[c] - #text)
         cells[c] = c >= right and blanks .. text or text .. blanks
      end
      out[i] = (table.concat(cells, '  '):gsub('%s+$', ''))
   end
   return out
end

return M
