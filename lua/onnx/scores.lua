-- lua/onnx/scores.lua - scores of classes in ai.onnx.ml: their transforms, and the class of each row.
local types = require 'onnx.types'

local M = {}

local function softmax(row, zeros)
   local most, sum = -math.huge, 0
   for _, v in ipairs(row) do most = math.max(most, v) end
   for i, v in ipairs(row) do
      if not (zeros and v == 0) then
         row[i] = math.exp(v - most)
         sum = sum + row[i]
      end
   end
   for i, v in ipairs(row) do if sum > 0 then row[i] = v / sum end end
end

-- The inverse error function, by S. Winitzki, A handy approximation for the error function and its inverse, 2008.
local function inverse_erf(x)
   local log = math.log((1 - x) * (1 + x))
   local a = 2 / (math.pi * 0.147) + 0.5 * log
   return (x < 0 and -1 or 1) * math.sqrt(math.sqrt(a * a - log / 0.147) - a)
end

local transforms = {
   NONE = function() end,
   SOFTMAX = function(row) softmax(row, false) end,
   SOFTMAX_ZERO = function(row) softmax(row, true) end,
   LOGISTIC = function(row) for i, v in ipairs(row) do row[i] = 1 / (1 + math.exp(-v)) end end,
   PROBIT = function(row) for i, v in ipairs(row) do row[i] = math.sqrt(2) * inverse_erf(2 * v - 1) end end,
}

--- Applies a post_transform to a list of numbers, in place.
function M.transform(row, name)
   local f = transforms[name or 'NONE'] or error(("there is no post_transform '%s'"):format(tostring(name)), 0)
   f(row)
   return row
end

--- A matrix of a type from lists of `columns` numbers.
function M.matrix(name, rows, columns)
   local list = {}
   for _, row in ipairs(rows) do
      for k = 1, columns do list[#list + 1] = row[k] end
   end
   return types.of_numbers(name, list, { #rows, columns })
end

--- The labels of the largest scores, a tensor or strings.
function M.labels(name, rows, labels)
   local list = { shape = { #rows } }
   for i, row in ipairs(rows) do
      local best = 1
      for k = 2, #row do if row[k] > row[best] then best = k end end
      list[i] = labels[best] or error(('class %d has no label'):format(best - 1), 0)
   end
   return name == 'string' and list or types.of_numbers(name, list, list.shape)
end

--- The outputs of a classifier: labels, and scores behind post_transform. A single score for two labels is that of the second one;
-- of the transforms, LOGISTIC and PROBIT change it.
-- @param border  the single score above which a row has the second label
-- @param signed  whether the first label has the score -v for v, not 1 - v
function M.classes(n, rows, labels, border, signed)
   local name, decided = n.attr.post_transform or 'NONE', rows
   local single = #labels == 2 and rows[1] and #rows[1] == 1
   if single then
      decided = {}
      for i, row in ipairs(rows) do
         local v = row[1]
         decided[i] = v > border and { 0, 1 } or { 1, 0 }
         rows[i] = (name == 'LOGISTIC' or signed and name ~= 'PROBIT') and { -v, v } or { 1 - v, v }
      end
   end
   local y = M.labels(n.out_types[1], decided, labels)
   if not single or name == 'LOGISTIC' or name == 'PROBIT' or not transforms[name] then
      for _, row in ipairs(rows) do M.transform(row, name) end
   end
   return y, M.matrix('float', rows, rows[1] and #rows[1] or #labels)
end

return M
