-- lua/optim/polyinterp.lua - the minimum of the polynomial through points with known values and slopes.
local optim = require 'optim'
local need = require 'optim.need'
local arg = require 'torch.arg'

-- c[1] + c[2] x + c[3] x^2 + ...
local function value(c, x)
   local y = 0
   for i = #c, 1, -1 do y = y * x + c[i] end
   return y
end

local function derivative(c)
   local d = {}
   for i = 2, #c do d[i - 1] = (i - 1) * c[i] end
   return d
end

-- The points in [a, b] where a polynomial changes its sign; between two sign changes of its derivative there is at
-- most one.
local function roots(c, a, b)
   if #c < 2 then return {} end
   local edges = roots(derivative(c), a, b)
   table.insert(edges, 1, a)
   edges[#edges + 1] = b
   local found = {}
   for i = 1, #edges - 1 do
      local lo, hi = edges[i], edges[i + 1]
      local flo, fhi = value(c, lo), value(c, hi)
      if flo == 0 then
         found[#found + 1] = lo
      elseif flo * fhi < 0 then
         for _ = 1, 200 do
            local mid = (lo + hi) / 2
            if mid == lo or mid == hi then break end
            local fmid = value(c, mid)
            if flo * fmid <= 0 then hi = mid else lo, flo = mid, fmid end
         end
         found[#found + 1] = (lo + hi) / 2
      end
   end
   return found
end

-- Solves rows of {coefficients..., right side} by elimination; nil when there is no one solution.
local function solve(rows)
   local n = #rows
   for k = 1, n do
      local best = k
      for i = k + 1, n do
         if math.abs(rows[i][k]) > math.abs(rows[best][k]) then best = i end
      end
      rows[k], rows[best] = rows[best], rows[k]
      if rows[k][k] == 0 then return nil end
      for i = k + 1, n do
         local share = rows[i][k] / rows[k][k]
         for j = k, n + 1 do rows[i][j] = rows[i][j] - share * rows[k][j] end
      end
   end
   local x = {}
   for k = n, 1, -1 do
      local sum = rows[k][n + 1]
      for j = k + 1, n do sum = sum - rows[k][j] * x[j] end
      x[k] = sum / rows[k][k]
   end
   return x
end

-- Two points with values and slopes have a closed form.
local function cubic(p, q)
   if p[1] > q[1] then p, q = q, p end
   local d1 = p[3] + q[3] - 3 * (p[2] - q[2]) / (p[1] - q[1])
   local square = d1 * d1 - p[3] * q[3]
   if square < 0 then return (p[1] + q[1]) / 2 end
   local d2 = math.sqrt(square)
   local t = q[1] - (q[1] - p[1]) * ((q[3] + d2 - d1) / (q[3] - p[3] + 2 * d2))
   if t ~= t then return (p[1] + q[1]) / 2 end
   return math.min(math.max(t, p[1]), q[1])
end

--- The minimum of the polynomial of least degree through points, for line searches.
-- @param points     a matrix, or a list of rows: position, value, slope; nan means an unknown value or slope
-- @param xminBound  the range to search, default: between the points
-- @param xmaxBound  likewise
-- @return the position, and the value there (nil for the closed form of two points)
function optim.polyinterp(points, xminBound, xmaxBound)
   if type(points) ~= 'table' then
      need.tensor('optim.polyinterp', 'points', points)
      points = points:totable()
   end
   if type(points) ~= 'table' or #points == 0 then
      error('optim.polyinterp: points must be a matrix or a list of rows, and not empty', 2)
   end
   for i, p in ipairs(points) do
      if type(p) ~= 'table' then arg.refuse('optim.polyinterp', ('points[%d]'):format(i), 'a table of three numbers', p) end
      for k = 1, 3 do need.number('optim.polyinterp', ('points[%d][%d]'):format(i, k), p[k]) end
   end
   if xminBound then need.number('optim.polyinterp', 'xminBound', xminBound) end
   if xmaxBound then need.number('optim.polyinterp', 'xmaxBound', xmaxBound) end
   if #points == 2 and not xminBound and not xmaxBound then
      local known = true
      for _, p in ipairs(points) do known = known and p[2] == p[2] and p[3] == p[3] end
      if known then return cubic(points[1], points[2]) end
   end
   local lo, hi, rows, count = math.huge, -math.huge, {}, 0
   for _, p in ipairs(points) do
      lo, hi = math.min(lo, p[1]), math.max(hi, p[1])
      for k = 2, 3 do if p[k] == p[k] then count = count + 1 end end
   end
   for _, p in ipairs(points) do
      if p[2] == p[2] then
         local row = {}
         for i = 1, count do row[i] = p[1] ^ (i - 1) end
         row[count + 1] = p[2]
         rows[#rows + 1] = row
      end
      if p[3] == p[3] then
         local row = {}
         for i = 1, count do row[i] = i > 1 and (i - 1) * p[1] ^ (i - 2) or 0 end
         row[count + 1] = p[3]
         rows[#rows + 1] = row
      end
   end
   lo, hi = xminBound or lo, xmaxBound or hi
   local best, least = (lo + hi) / 2, math.huge
   local c = solve(rows)
   if not c then return best, least end
   local places = roots(derivative(c), lo, hi)
   places[#places + 1] = lo
   places[#places + 1] = hi
   for _, p in ipairs(points) do places[#places + 1] = p[1] end
   for _, x in ipairs(places) do
      if x >= lo and x <= hi then
         local y = value(c, x)
         if y < least then best, least = x, y end
      end
   end
   return best, least
end
