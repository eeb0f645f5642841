-- examples/lib/curve.lua - draws curves over the epochs into an SVG file; needs no other program.
local WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 800, 500, 80, 20, 50, 60
local COLOURS = { '#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9' }
local ESCAPES = { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }

local function escape(text) return (tostring(text):gsub('[&<>"]', ESCAPES)) end

local function finite(v) return v == v and math.abs(v) < math.huge end

-- A step of 1, 2 or 5 times a power of ten that cuts the span into at most n parts.
local function tick(span, n)
   local power = 10 ^ math.floor(math.log10(span / n))
   for _, k in ipairs { 1, 2, 5, 10 } do
      if span / (k * power) <= n then return k * power end
   end
end

-- Least and greatest finite value, and how many points the longest curve has.
local function range(curves)
   local low, high, n = math.huge, -math.huge, 1
   for _, c in ipairs(curves) do
      n = math.max(n, #c.points)
      for _, y in ipairs(c.points) do
         if finite(y) then low, high = math.min(low, y), math.max(high, y) end
      end
   end
   if low > high then low, high = 0, 1 end
   if high - low < 1e-9 * math.max(1, math.abs(high)) then
      local room = math.max(math.abs(high), 1) / 2
      low, high = low - room, high + room
   end
   return low, high, n
end

local curve = {}

--- Text of an SVG picture.
-- @param curves  list of { title =, points = }, points a list of numbers for x = 1, 2, ...; what is not finite is left out
function curve.svg(title, xlabel, ylabel, curves)
   local low, high, n = range(curves)
   local out = {}
   local function add(...) out[#out + 1] = (...):format(select(2, ...)) end
   local function x_of(x) return LEFT + (WIDTH - LEFT - RIGHT) * (n == 1 and 0.5 or (x - 1) / (n - 1)) end
   local function y_of(y) return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (y - low) / (high - low) end
   local function text(x, y, anchor, what, more)
      add('<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>', x, y, anchor, more or '', escape(what))
   end
   add('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="14">', WIDTH, HEIGHT)
   add '<rect width="100%%" height="100%%" fill="white"/>'
   local step = tick(high - low, 8)
   for k = math.ceil(low / step), math.floor(high / step) do
      local y = y_of(k * step)
      add('<path d="M%d %.1fH%d" stroke="#ddd"/>', LEFT, y, WIDTH - RIGHT)
      text(LEFT - 8, y + 5, 'end', ('%.6g'):format(k * step))
   end
   step = math.max(1, n > 1 and tick(n - 1, 10) or 1)
   for x = 1, n do
      if x == 1 or x % step == 0 then text(x_of(x), HEIGHT - BOTTOM + 20, 'middle', x) end
   end
   add('<path d="M%d %dV%dH%d" stroke="black" fill="none"/>', LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT)
   text(WIDTH / 2, 28, 'middle', title, ' font-size="18"')
   text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 15, 'middle', xlabel)
   text(20, (TOP + HEIGHT - BOTTOM) / 2, 'middle', ylabel,
        (' transform="rotate(-90 20 %.1f)"'):format((TOP + HEIGHT - BOTTOM) / 2))
   for i, c in ipairs(curves) do
      local colour, points = COLOURS[(i - 1) % #COLOURS + 1], {}
      for x, y in ipairs(c.points) do
         if finite(y) then
            points[#points + 1] = ('%.1f,%.1f'):format(x_of(x), y_of(y))
            add('<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>', x_of(x), y_of(y), colour)
         end
      end
      add('<polyline points="%s" stroke="%s" stroke-width="2" fill="none"/>', table.concat(points, ' '), colour)
      text(WIDTH - RIGHT - 30, TOP + 18 * i, 'end', c.title)
      add('<path d="M%d %dh20" stroke="%s" stroke-width="2"/>', WIDTH - RIGHT - 22, TOP + 18 * i - 5, colour)
   end
   add '</svg>'
   return table.concat(out, '\n') .. '\n'
end

--- Writes such a picture into a file; an error says why it could not.
function curve.write(path, ...)
   local file, why = io.open(path, 'w')
   local ok = file
   if file then
      ok, why = file:write(curve.svg(...))
      if not file:close() then ok = nil end
   end
   if not ok then error(('cannot write %s: %s'):format(path, why or 'the disk may be full'), 0) end
end

return curve
