-- lua/jupyter/bundle.lua - what a notebook shows of a value: a table from kinds of contents (MIME types) to text.
local torch = require 'torch'
local base64 = require 'torch.base64'
local show = require 'torch.show'

local M = {}

local MOST_ROWS, MOST_COLUMNS = 30, 30      -- of tensors that are shown as tables

--- The text of a value, as the prompt shows it.
function M.text(value)
   if package.loaded['torch.glance'] or package.searchpath('torch.glance', package.path) then
      return require 'torch.glance'.text(value)
   end
   return show.text(value, show.bounded)
end

-- ---- tables --------------------------------------------------------------------------------------------------------

local function escaped(text) return (text:gsub('[&<>]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' })) end

-- A number with at most 5 digits that matter; complex numbers as they print.
local function number(v)
   if type(v) ~= 'number' then return escaped(tostring(v)) end
   if v == math.floor(v) and math.abs(v) < 1e15 then return ('%.0f'):format(v) end
   return ('%.5g'):format(v)
end

local function row_of(head, cells)
   for i, c in ipairs(cells) do cells[i] = '<td>' .. c .. '</td>' end
   return ('<tr><th>%s</th>%s</tr>'):format(head, table.concat(cells))
end

local function table_text(x, sizes, kind)
   local rows, columns = #sizes == 2 and sizes[1] or 1, sizes[#sizes]
   local lines, heads = { '<table>' }, {}
   for j = 1, columns do heads[j] = ('<th>%d</th>'):format(j) end
   lines[2] = '<tr><th></th>' .. table.concat(heads) .. '</tr>'
   for i = 1, rows do
      local cells = {}
      for j = 1, columns do cells[j] = number(#sizes == 2 and x[i][j] or #sizes == 1 and x[j]) end
      lines[#lines + 1] = row_of(#sizes == 2 and i or '', cells)
   end
   lines[#lines + 1] = ('</table><p>%s of size %s</p>'):format(kind, table.concat(sizes, 'x'))
   return table.concat(lines, '\n')
end

--- The HTML table of a tensor of one or two dimensions, up to 30 x 30 elements; nil for other values.
function M.html(value)
   local kind = torch.typename(value)
   if type(kind) ~= 'string' or type(value) ~= 'cdata' or not kind:find 'Tensor$' then return nil end
   local sizes = value:size():totable()
   if #sizes < 1 or #sizes > 2 or value:nElement() == 0 then return nil end
   if sizes[#sizes] > MOST_COLUMNS or #sizes == 2 and sizes[1] > MOST_ROWS then return nil end
   local ok, text = pcall(table_text, value, sizes, escaped(kind))
   return ok and text or nil
end

-- ---- bundles -------------------------------------------------------------------------------------------------------

--- Whether the contents of a kind are text; others travel in base64.
local function is_text(mime)
   return mime:find '^text/' ~= nil or mime:find '[/+]xml$' ~= nil or mime == 'application/javascript'
      or mime:find '[/+]json$' ~= nil
end

--- A bundle with bytes in the form of a message: those that are no text are in base64.
function M.encoded(bundle)
   local out = {}
   for mime, bytes in pairs(bundle) do
      out[mime] = is_text(mime) and bytes or base64.encode(bytes)
   end
   return out
end

--- The bundle of one value: its text; and a table of a small tensor.
function M.of(value) return { ['text/plain'] = M.text(value), ['text/html'] = M.html(value) } end

--- The bundle of a cell's results.
-- @param n  how many there are
function M.of_results(n, values)
   if n == 1 then return M.of(values[1]) end
   local texts, several_lines = {}, false
   for i = 1, n do
      texts[i] = M.text(values[i])
      several_lines = several_lines or texts[i]:find('\n', 1, true) ~= nil
   end
   return { ['text/plain'] = table.concat(texts, several_lines and '\n' or '\t') }
end

return M
