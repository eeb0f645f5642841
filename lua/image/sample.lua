-- lua/image/sample.lua - sample pictures, drawn by code.
local torch = require 'torch'

local M = {}

-- Tensors of rows x columns that hold the row and the column of each pixel, from 0 to 1.
local function places(rows, columns)
   local y = torch.range(0, rows - 1):div(rows - 1):view(rows, 1):expand(rows, columns):contiguous()
   local x = torch.range(0, columns - 1):div(columns - 1):view(1, columns):expand(rows, columns):contiguous()
   return y, x
end

-- 1 where a picture is below 0, and 0 above 0; the edge is `width` wide.
local function inside(distance, width) return distance:clone():div(-width):add(0.5):clamp(0, 1) end

-- Paints a colour, a table of numbers or tensors, over a picture.
local function paint(picture, mask, colour)
   for c, v in ipairs(colour) do
      local plane = picture[c]
      if type(v) == 'number' then v = torch.Tensor(plane:size()):fill(v) end
      plane:add(v:add(-1, plane):cmul(mask))
   end
end

local function ellipse(y, x, cy, cx, ry, rx)
   return y:clone():add(-cy):div(ry):pow(2):add(x:clone():add(-cx):div(rx):pow(2)):sqrt():add(-1):mul(math.min(ry, rx))
end

-- The height of a chain of hills at each column.
local function hills(x, height, waves)
   local h = torch.Tensor(x:size()):fill(height)
   for _, w in ipairs(waves) do h:add(w[1], x:clone():mul(w[2]):add(w[3]):sin()) end
   return h
end

--- A sample picture: hills in the evening, of 3 x 512 x 512 values in 0..1. It replaces the photograph that
-- Torch7 had under this name.
-- image.lena():size() --> {3, 512, 512}
function M.lena()
   local n = 512
   local y, x = places(n, n)
   local picture = torch.Tensor(3, n, n)
   picture[1]:copy(y):mul(0.75):add(0.25)                                        -- the sky
   picture[2]:copy(y):mul(0.35):add(0.35)
   picture[3]:copy(y):mul(-0.35):add(0.75)
   local sun = ellipse(y, x, 0.42, 0.68, 0.09, 0.09)
   paint(picture, sun:clone():mul(-9):exp():clamp(0, 1):mul(0.6), { 1, 0.85, 0.5 })
   paint(picture, inside(sun, 0.006), { 1, 0.95, 0.75 })
   local chains = {
      { 0.55, { { 0.05, 9, 1 }, { 0.02, 23, 2 } }, { 0.48, 0.38, 0.52 } },
      { 0.64, { { 0.04, 7, 3 }, { 0.015, 31, 0 } }, { 0.32, 0.32, 0.42 } },
      { 0.75, { { 0.05, 5, 5 }, { 0.01, 41, 1 } }, { 0.16, 0.26, 0.24 } },
   }
   for _, chain in ipairs(chains) do
      paint(picture, inside(hills(x, chain[1], chain[2]):add(-1, y), 0.004), chain[3])
   end
   local ripples = y:clone():mul(260):add(x:clone():mul(40):sin():mul(2)):sin():mul(0.5):add(0.5)
   local water = inside(y:clone():mul(-1):add(0.86), 0.004)
   local function shade(part, least) return ripples:clone():mul(part):add(least) end
   paint(picture, water, { shade(0.25, 0.3), shade(0.12, 0.3), shade(0.1, 0.4) })
   return picture
end

--- A sample picture: a grey face, of 1 x 271 x 257 values in 0..1. It replaces the photograph that Torch7
-- had under this name.
-- image.fabio():size() --> {1, 271, 257}
function M.fabio()
   local rows, columns = 271, 257
   local y, x = places(rows, columns)
   local picture = torch.Tensor(1, rows, columns)
   picture[1]:copy(x):add(y):mul(0.25):add(0.15)
   local edge = 0.008
   paint(picture, inside(ellipse(y, x, 1.12, 0.5, 0.3, 0.45), edge), { 0.3 })                    -- shoulders, hair, face
   paint(picture, inside(ellipse(y, x, 0.46, 0.5, 0.4, 0.32), edge), { x:clone():mul(60):sin():mul(0.06):add(0.18) })
   paint(picture, inside(ellipse(y, x, 0.5, 0.5, 0.33, 0.24), edge), { x:clone():mul(-0.35):add(0.9) })
   for _, side in ipairs { 0.41, 0.59 } do
      paint(picture, inside(ellipse(y, x, 0.45, side, 0.025, 0.045), edge), { 0.95 })
      paint(picture, inside(ellipse(y, x, 0.45, side, 0.022, 0.022), edge), { 0.1 })
      paint(picture, inside(ellipse(y, x, 0.39, side, 0.012, 0.06), edge), { 0.2 })
   end
   paint(picture, inside(ellipse(y, x, 0.55, 0.51, 0.06, 0.02), 0.04), { 0.5 })
   local mouth = inside(ellipse(y, x, 0.66, 0.5, 0.05, 0.1), edge):cmul(inside(y:clone():mul(-1):add(0.66), edge))
   paint(picture, mouth, { 0.25 })
   return picture
end

return M
