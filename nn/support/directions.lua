-- nn/support/directions.lua - weights as a length times a direction, and the gradients of both. Salimans and Kingma,
-- "Weight normalization" (2016).
local torch = require 'torch'

-- Directions as rows, and their norms as a column.
local function split(v, eps)
   local rows = v:view(v:size(1), -1)
   return rows, torch.cmul(rows, rows):sum(2):add(eps):sqrt()
end

-- Gradients by length and direction from the gradient by the weight, all as rows:
-- dL/dg = gw . v / |v|, dL/dv = g / |v| (gw - v (v . gw) / |v|^2)
local function gradients(gw, v, g, eps)
   local rows, norms = split(v, eps)
   local gg = torch.cmul(gw, rows):sum(2):cdiv(norms)
   local gv = torch.cdiv(g, norms):expandAs(gw):clone():cmul(gw)
   local along = torch.cmul(g, gg):cdiv(norms):cdiv(norms)
   return gg, gv:add(-1, torch.cmul(rows, along:expandAs(rows)))
end

return { split = split, gradients = gradients }
