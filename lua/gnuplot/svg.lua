-- lua/gnuplot/svg.lua - draws curves, bars, images and clouds of points as SVG; needs no other program.
--
-- A picture is a table: title, xlabel, ylabel, grid, logscale (of y), square (both axes have one
-- scale), xrange and yrange ({low, high}, each may be nil), key ({horizontal, vertical} position of
-- the legend, 'outside' for the right of the plot, or false), whole (marks of x at whole numbers
-- only), zero (y begins at 0; if that would flatten the curves, it begins higher, with a mark),
-- curves = {{title =, x =, y =, with =, colour =}, ...}: x and y are lists of numbers (y may have
-- gaps), `with` is 'lines', 'points', 'linespoints', 'boxes', 'dots' or 'impulses', and `colour` is
-- a list of numbers that colour the points,
-- image = {rows =, left =, bottom =, down =, palette =}: rows of numbers; the middle of its first
-- cell is at left, bottom; down = true: the rows come from top to bottom; palette is 'gray' or
-- 'color'.
local escape = require 'torch.xml'.escape

local svg = {}

local WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 800, 500, 80, 20, 50, 60
local BAR = 70                              -- room for the scale of colours
local KEY, LETTER = 50, 8                   -- room for a legend outside, and for each letter in it
local FLAT = 0.25                           -- curves over a smaller part of an axis from 0 are flat
local MOST = 256                            -- rows and columns of an image to draw
local COLOURS = { '#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9' }

local function finite(v) return v ~= nil and v == v and math.abs(v) < math.huge end

-- ---- scales -----------------------------------------------------------------------------------------

-- A step of 1, 2 or 5 times a power of ten that cuts the span into at most n parts.
local function tick(span, n)
   local power = 10 ^ math.floor(math.log10(span / n))
   for _, k in ipairs { 1, 2, 5, 10 } do
      if span / (k * power) <= n then return k * power end
   end
end

local function wider(range, v)
   if finite(v) then range[1], range[2] = math.min(range[1], v), math.max(range[2], v) end
end

-- The limits of one axis: those of the picture, otherwise the extent of the values. Adds space around a
-- single value.
local function limits(range, asked)
   local low, high = range[1], range[2]
   if low > high then low, high = 0, 1 end
   if high - low < 1e-9 * math.max(1, math.abs(high)) then
      local room = math.max(math.abs(high), 1) / 2
      low, high = low - room, high + room
   end
   asked = asked or {}
   if finite(asked[1] or 0 / 0) then low = asked[1] end
   if finite(asked[2] or 0 / 0) then high = asked[2] end
   if low > high then low, high = high, low end
   if low == high then high = low + 1 end
   return low, high
end

-- The limits of an axis that begins at 0, unless the values are close together and far from it.
-- Returns the limits, and whether they leave out 0.
local function limits_from_zero(range)
   local low, high = range[1], range[2]
   if low > high then return 0, 1, false end
   if low == high then low, high = math.min(low, 0), math.max(high, 0) end
   if low == high then return 0, 1, false end
   local most = math.max(math.abs(low), math.abs(high))
   if high - low >= FLAT * most then low, high = math.min(low, 0), math.max(high, 0) end
   local step = tick(high - low, 8)
   local room = 0.25                          -- steps between the mark and the next point
   low = math.floor(low / step - (low > 0 and room or 0)) * step
   high = math.ceil(high / step + (high < 0 and room or 0)) * step
   return low, high, low > 0 or high < 0
end

-- A point's ordinate for drawing: its logarithm on a logarithmic axis, where numbers that are not positive are left out.
local function height(picture, v)
   if not picture.logscale or v == nil then return v end
   return v > 0 and math.log10(v) or 0 / 0
end

local function log_range(picture)
   if not picture.yrange then return nil end
   return { height(picture, picture.yrange[1] or 0 / 0), height(picture, picture.yrange[2] or 0 / 0) }
end

-- Half of the least distance between bars.
local function half_width(x)
   local sorted, least = {}, math.huge
   for _, v in ipairs(x) do if finite(v) then sorted[#sorted + 1] = v end end
   table.sort(sorted)
   for i = 2, #sorted do
      if sorted[i] > sorted[i - 1] then least = math.min(least, sorted[i] - sorted[i - 1]) end
   end
   return least < math.huge and least / 2 or 0.5
end

local function extent(picture)
   local x, y = { math.huge, -math.huge }, { math.huge, -math.huge }
   for _, c in ipairs(picture.curves or {}) do
      local bars = c.with == 'boxes' or c.with == 'impulses'
      local room = c.with == 'boxes' and half_width(c.x) or 0
      for i, v in ipairs(c.x) do
         local h = height(picture, c.y[i])
         if finite(v) and finite(h) then
            wider(x, v - room)
            wider(x, v + room)
            wider(y, h)
         end
      end
      if bars and not picture.logscale and y[1] <= y[2] then wider(y, 0) end
   end
   local image = picture.image
   if image and #image.rows > 0 then
      wider(x, image.left - 0.5)
      wider(x, image.left + #image.rows[1] - 0.5)
      wider(y, image.bottom - 0.5)
      wider(y, image.bottom + #image.rows - 0.5)
   end
   return x, y
end

-- ---- colours ----------------------------------------------------------------------------------------

-- gnuplot's own palettes: gray, and black-blue-red-yellow (its formulae 7, 5, 15).
local function palette_colour(palette, t)
   local function part(v) return math.floor(255 * math.max(0, math.min(1, v)) + 0.5) end
   if palette == 'gray' then return ('#%02x%02x%02x'):format(part(t), part(t), part(t)) end
   return ('#%02x%02x%02x'):format(part(math.sqrt(t)), part(t ^ 3), part(math.sin(2 * math.pi * t)))
end

local function span_of(lists)
   local range = { math.huge, -math.huge }
   for _, list in ipairs(lists) do
      for _, v in ipairs(list) do wider(range, v) end
   end
   return range
end

-- A function from a number to its colour; nil for numbers that are not finite.
local function painter(range, palette)
   return function(v)
      if not finite(v) then return nil end
      local span = range[2] - range[1]
      return palette_colour(palette, span > 0 and (v - range[1]) / span or 0.5)
   end
end

-- ---- drawing ----------------------------------------------------------------------------------------

local Canvas = {}
Canvas.__index = Canvas

function Canvas:add(format, ...) self[#self + 1] = format:format(...) end

function Canvas:text(x, y, anchor, what, more)
   self:add('<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>', x, y, anchor, more or '', escape(what))
end

-- The room that a legend outside of the plot takes.
local function key_width(picture)
   local longest = 0
   for _, curve in ipairs(picture.key == 'outside' and picture.curves or {}) do
      longest = math.max(longest, #(curve.title or ''))
   end
   return longest > 0 and math.min(WIDTH / 3, KEY + LETTER * longest) or 0
end

-- The canvas with the functions x_of and y_of, from numbers to pixels.
local function canvas_for(picture, coloured)
   local c = setmetatable({ left = LEFT, top = TOP, bottom = HEIGHT - BOTTOM }, Canvas)
   c.right = WIDTH - RIGHT - (coloured and BAR or 0) - key_width(picture)
   local x, y = extent(picture)
   local x1, x2 = limits(x, picture.xrange)
   local y1, y2 = limits(y, picture.logscale and log_range(picture) or picture.yrange)
   if picture.zero and not picture.logscale and not picture.yrange then
      y1, y2, c.broken = limits_from_zero(y)
   end
   if picture.square then
      local scale = math.min((c.right - c.left) / (x2 - x1), (c.bottom - c.top) / (y2 - y1))
      c.right, c.bottom = c.left + scale * (x2 - x1), c.top + scale * (y2 - y1)
   end
   local down = picture.image and picture.image.down
   function c.x_of(v) return c.left + (c.right - c.left) * (v - x1) / (x2 - x1) end
   function c.y_of(v)
      local part = (v - y1) / (y2 - y1)
      return c.top + (c.bottom - c.top) * (down and part or 1 - part)
   end
   c.x1, c.x2, c.y1, c.y2 = x1, x2, y1, y2
   return c
end

local function scales(c, picture)
   local step = tick(c.y2 - c.y1, 8)
   if picture.logscale then step = math.max(1, step) end
   for k = math.ceil(c.y1 / step), math.floor(c.y2 / step) do
      local y = c.y_of(k * step)
      if picture.grid then c:add('<path d="M%d %.1fH%.1f" stroke="#ddd"/>', c.left, y, c.right) end
      c:text(c.left - 8, y + 5, 'end', ('%.6g'):format(picture.logscale and 10 ^ (k * step) or k * step + 0))
   end
   step = tick(c.x2 - c.x1, 10)
   if picture.whole then step = math.max(1, step) end
   for k = math.ceil(c.x1 / step), math.floor(c.x2 / step) do
      local x = c.x_of(k * step)
      if picture.grid then c:add('<path d="M%.1f %dV%.1f" stroke="#ddd"/>', x, c.top, c.bottom) end
      c:text(x, c.bottom + 20, 'middle', ('%.6g'):format(k * step + 0))
   end
end

local function frame(c, picture)
   c:add('<path d="M%d %dV%.1fH%.1f" stroke="black" fill="none"/>', c.left, c.top, c.bottom, c.right)
   if c.broken then                           -- two slanted strokes where the axis leaves out 0
      local x, y = c.left, c.y1 > 0 and c.bottom - 12 or c.top + 12
      c:add('<path d="M%d %.1fV%.1f" stroke="white" stroke-width="3"/>', x, y - 3, y + 3)
      c:add('<path d="M%d %.1fl16 -6M%d %.1fl16 -6" stroke="black"/>', x - 8, y, x - 8, y + 6)
   end
   c:text((c.left + c.right) / 2, 28, 'middle', picture.title or '', ' font-size="18"')
   c:text((c.left + c.right) / 2, c.bottom + 45, 'middle', picture.xlabel or '')
   c:text(20, (c.top + c.bottom) / 2, 'middle', picture.ylabel or '',
          (' transform="rotate(-90 20 %.1f)"'):format((c.top + c.bottom) / 2))
end

local MARK = { points = 3, linespoints = 3, dots = 0.8 }

local function curve_path(c, points, colour)
   c:add('<polyline points="%s" stroke="%s" stroke-width="2" fill="none"/>', table.concat(points, ' '), colour)
end

local function draw_curve(c, picture, curve, colour, paint)
   local with, points = curve.with or 'lines', {}
   local base = c.y_of(picture.logscale and c.y1 or math.max(c.y1, math.min(c.y2, 0)))
   local half = with == 'boxes' and half_width(curve.x)
   for i, x in ipairs(curve.x) do
      local h = height(picture, curve.y[i])
      if finite(x) and finite(h) then
         local px, py = c.x_of(x), c.y_of(h)
         points[#points + 1] = ('%.1f,%.1f'):format(px, py)
         if half then
            local left, right = c.x_of(x - half), c.x_of(x + half)
            c:add('<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" stroke="%s" fill="%s" fill-opacity="0.3"/>',
                  left, math.min(py, base), right - left, math.abs(base - py), colour, colour)
         elseif with == 'impulses' then
            c:add('<path d="M%.1f %.1fV%.1f" stroke="%s"/>', px, base, py, colour)
         elseif MARK[with] then
            c:add('<circle cx="%.1f" cy="%.1f" r="%g" fill="%s"/>', px, py, MARK[with],
                  curve.colour and paint(curve.colour[i]) or colour)
         end
      end
   end
   if with == 'lines' or with == 'linespoints' then curve_path(c, points, colour) end
end

-- The title of curve i at text_x, and a stroke in its colour at x.
local function key_entry(c, i, x, y, text_x, anchor, curve)
   local colour = COLOURS[(i - 1) % #COLOURS + 1]
   c:text(text_x, y, anchor, curve.title)
   c:add('<path d="M%.1f %.1fh20" stroke="%s" stroke-width="2"/>', x, y - 5, colour)
end

local function legend(c, picture)
   local place = picture.key == nil and { 'right', 'top' } or picture.key
   if not place then return end
   local curves = picture.curves or {}
   if place == 'outside' then
      for i, curve in ipairs(curves) do
         if curve.title and curve.title ~= '' then
            key_entry(c, i, c.right + 16, c.top + 18 * i, c.right + 44, 'start', curve)
         end
      end
      return
   end
   local across = ({ left = 0, center = 0.5, right = 1 })[place[1]] or 1
   local down = ({ top = 0, center = 0.5, middle = 0.5, bottom = 1 })[place[2]] or 0
   local x = c.left + 130 + across * (c.right - c.left - 160)
   local y = c.top + down * math.max(0, c.bottom - c.top - 18 * #curves - 10)
   for i, curve in ipairs(curves) do
      if curve.title and curve.title ~= '' then
         key_entry(c, i, x + 8, y + 18 * i, x, 'end', curve)
      end
   end
end

-- Adjacent cells of one colour become one rectangle; of a large image, only MOST rows and columns are drawn.
local function draw_image(c, image, paint)
   local rows, columns = #image.rows, #image.rows[1]
   local down, across = math.min(rows, MOST), math.min(columns, MOST)
   local tall, wide = rows / down, columns / across
   local left, bottom = image.left - 0.5, image.bottom - 0.5
   c:add '<g shape-rendering="crispEdges">'
   for i = 1, down do
      local row = image.rows[math.floor((i - 0.5) * tall) + 1]
      local a, b = c.y_of(bottom + (i - 1) * tall), c.y_of(bottom + i * tall)
      local from, colour = 1, paint(row[math.floor(0.5 * wide) + 1])
      for j = 2, across + 1 do
         local other = j <= across and paint(row[math.floor((j - 0.5) * wide) + 1]) or nil
         if other ~= colour or j > across then
            local x = c.x_of(left + (from - 1) * wide)
            if colour then
               c:add('<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" fill="%s"/>', x, math.min(a, b),
                     c.x_of(left + (j - 1) * wide) - x, math.abs(b - a), colour)
            end
            from, colour = j, other
         end
      end
   end
   c:add '</g>'
end

local STEPS = 32

local function colour_bar(c, range, palette)
   if range[1] > range[2] then return end
   local x, tall = c.right + 15, (c.bottom - c.top) / STEPS
   for i = 0, STEPS - 1 do
      c:add('<rect x="%.1f" y="%.1f" width="15" height="%.1f" fill="%s"/>', x, c.bottom - (i + 1) * tall, tall + 0.5,
            palette_colour(palette, i / (STEPS - 1)))
   end
   c:text(x + 20, c.bottom, 'start', ('%.3g'):format(range[1]))
   c:text(x + 20, c.top + 10, 'start', ('%.3g'):format(range[2]))
end

-- The numbers of a picture that determine colours; nil without any.
local function coloured(picture)
   local lists = {}
   for _, row in ipairs(picture.image and picture.image.rows or {}) do lists[#lists + 1] = row end
   for _, curve in ipairs(picture.curves or {}) do lists[#lists + 1] = curve.colour end
   return #lists > 0 and span_of(lists) or nil
end

--- The text of an SVG picture.
function svg.text(picture)
   local range = coloured(picture)
   local palette = picture.image and picture.image.palette or 'color'
   local paint = range and painter(range, palette)
   local c = canvas_for(picture, range)
   c:add('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="14">', WIDTH, HEIGHT)
   c:add '<rect width="100%%" height="100%%" fill="white"/>'
   c:add('<clipPath id="plot"><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f"/></clipPath>', c.left - 4, c.top - 4,
         c.right - c.left + 8, c.bottom - c.top + 8)
   scales(c, picture)
   c:add '<g clip-path="url(#plot)">'
   if picture.image and #picture.image.rows > 0 then draw_image(c, picture.image, paint) end
   for i, curve in ipairs(picture.curves or {}) do
      draw_curve(c, picture, curve, COLOURS[(i - 1) % #COLOURS + 1], paint)
   end
   c:add '</g>'
   frame(c, picture)
   legend(c, picture)
   if range then colour_bar(c, range, palette) end
   c:add '</svg>'
   return table.concat(c, '\n') .. '\n'
end

--- Writes a picture into a file; raises an error if that fails.
function svg.write(path, picture)
   local text = svg.text(picture)
   local file, why = io.open(path, 'w')
   local ok = file
   if file then
      ok, why = file:write(text)
      if not file:close() then ok = nil end
   end
   if not ok then error(('cannot write %s: %s'):format(path, why or 'the disk may be full'), 0) end
end

return svg
