-- bench/lib/heat.lua - a table of ratios as a picture: blue below 1, white at 1, red above.
local heat = {}

local CELL, LEFT, TOP = 64, 90, 70              -- pixels
local FULL = 8                                  -- the ratio, or its inverse, of a full colour

local function colour(ratio)
   local part = math.max(-1, math.min(1, math.log(ratio) / math.log(FULL)))
   local pale = math.floor(255 * (1 - 0.8 * math.abs(part)) + 0.5)
   return part < 0 and ('rgb(%d,%d,255)'):format(pale, pale) or ('rgb(255,%d,%d)'):format(pale, pale)
end

--- Writes the picture as SVG.
-- @param file     its name
-- @param title    a line above it
-- @param columns  { name = title, one label each }
-- @param rows     the same
-- @param ratios   ratios[row][column]
function heat.write(file, title, columns, rows, ratios)
   local width, height = math.max(LEFT + #columns * CELL + 20, 8 * #title), TOP + #rows * CELL + 20
   local out = { ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="14">')
      :format(width, height), '<rect width="100%" height="100%" fill="white"/>' }
   local function text(x, y, anchor, s)
      out[#out + 1] = ('<text x="%g" y="%g" text-anchor="%s">%s</text>'):format(x, y, anchor, s)
   end
   text(10, 22, 'start', title)
   text(LEFT + #columns * CELL / 2, 44, 'middle', columns.name)
   text(10, TOP - 8, 'start', rows.name)
   for c, label in ipairs(columns) do text(LEFT + (c - 0.5) * CELL, TOP - 8, 'middle', label) end
   for r, label in ipairs(rows) do
      local y = TOP + (r - 1) * CELL
      text(LEFT - 10, y + CELL / 2 + 5, 'end', label)
      for c, ratio in ipairs(ratios[r]) do
         out[#out + 1] = ('<rect x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="white"/>'):format(
            LEFT + (c - 1) * CELL, y, CELL, CELL, colour(ratio))
         text(LEFT + (c - 0.5) * CELL, y + CELL / 2 + 5, 'middle', (ratio < 9.95 and '%.1f' or '%.0f'):format(ratio))
      end
   end
   out[#out + 1] = '</svg>\n'
   local f = assert(io.open(file, 'w'))
   f:write(table.concat(out, '\n'))
   f:close()
end

return heat
