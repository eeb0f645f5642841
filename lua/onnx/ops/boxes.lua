-- lua/onnx/ops/boxes.lua - selection of boxes: NonMaxSuppression.
local ffi = require 'ffi'
local types = require 'onnx.types'
local registry = require 'onnx.registry'

local min, max = math.min, math.max

-- The boxes of one sample as corners: count x 4 doubles, smaller coordinates first.
local function corners_of(p, count, centre)
   local r = ffi.new('double[?]', 4 * count)
   for i = 0, 4 * count - 1, 4 do
      local a, b, c, d = p[i], p[i + 1], p[i + 2], p[i + 3]
      if centre then a, b, c, d = a - c / 2, b - d / 2, a + c / 2, b + d / 2 end
      r[i], r[i + 1], r[i + 2], r[i + 3] = min(a, c), min(b, d), max(a, c), max(b, d)
   end
   return r
end

-- Intersection over union of boxes i and j.
local function overlap(r, i, j)
   i, j = 4 * i, 4 * j
   local height = min(r[i + 2], r[j + 2]) - max(r[i], r[j])
   local width = min(r[i + 3], r[j + 3]) - max(r[i + 1], r[j + 1])
   if not (height > 0 and width > 0) then return 0 end
   local both = height * width
   local first, second = (r[i + 2] - r[i]) * (r[i + 3] - r[i + 1]), (r[j + 2] - r[j]) * (r[j + 3] - r[j + 1])
   return both / (first + second - both)
end

-- The boxes that stay for one class, best first.
local function select_boxes(r, scores, count, most, threshold, lowest)
   local order = {}
   for i = 0, count - 1 do
      local score = scores[i]
      if score == score and not (lowest and score < lowest) then order[#order + 1] = i end
   end
   table.sort(order, function(a, b)
      if scores[a] ~= scores[b] then return scores[a] > scores[b] end
      return a < b
   end)
   local kept = {}
   for _, i in ipairs(order) do
      if #kept >= most then break end
      local free = true
      for _, k in ipairs(kept) do
         if overlap(r, i, k) > threshold then free = false break end
      end
      if free then kept[#kept + 1] = i end
   end
   return kept
end

registry.add('NonMaxSuppression', { types = 'int64', run = function(n, boxes, scores, most, threshold, lowest)
   local a, b = types.shape(boxes), types.shape(scores)
   if #a ~= 3 or #b ~= 3 or a[1] ~= b[1] or a[2] ~= b[3] or a[3] ~= 4 then error('boxes and scores do not fit', 0) end
   most, threshold, lowest = most and types.number(most) or 0, threshold and types.number(threshold) or 0, lowest and types.number(lowest)
   local list, count, classes = {}, a[2], b[2]
   if most <= 0 or boxes:nElement() == 0 or classes == 0 then return types.empty('int64', { 0, 3 }) end
   boxes, scores = types.readable(boxes), types.readable(scores)
   for sample = 0, a[1] - 1 do
      local r = corners_of(boxes:data() + sample * count * 4, count, (n.attr.center_point_box or 0) ~= 0)
      for class = 0, classes - 1 do
         local line = scores:data() + (sample * classes + class) * count
         for _, i in ipairs(select_boxes(r, line, count, most, threshold, lowest)) do
            list[#list + 1], list[#list + 2], list[#list + 3] = sample, class, i
         end
      end
   end
   return types.of_numbers('int64', list, { #list / 3, 3 })
end })
