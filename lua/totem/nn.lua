-- lua/totem/nn.lua - totem.nn: checks of nn modules.
--
-- Each takes a tester, which counts and reports, and returns whether all held.
local torch = require 'torch'
require 'nn'
local arg_check = require 'torch.arg'

local M = {}

-- Calls f for every tensor in a nested table, and returns the results as a table of the same shape.
-- Other values stay.
local function each(x, f, ...)
   if torch.isTensor(x) then
      local others = {}
      for i = 1, select('#', ...) do others[i] = (select(i, ...)) end
      return f(x, unpack(others))
   end
   if type(x) ~= 'table' then return x end
   local out = {}
   for k, v in pairs(x) do
      local others = {}
      for i = 1, select('#', ...) do others[i] = (select(i, ...))[k] end
      out[k] = each(v, f, unpack(others))
   end
   return out
end

local function clone(x) return each(x, function(t) return t:clone() end) end
local function noise(x) return each(x, function(t) return t:clone():uniform(-1, 1) end) end
local function cast(x, kind) return each(x, function(t) return t:type(kind) end) end

local function dot(x, y)
   local sum = 0
   each(x, function(a, b) sum = sum + torch.cmul(a, b):sum() end, y)
   return sum
end

-- The largest distance of the elements of two nested tables of tensors; infinity where their sizes
-- differ.
local function distance(x, y)
   local most = 0
   local ok = pcall(each, x, function(a, b)
      if not a:isSameSizeAs(b) then error 'sizes' end
      if a:nElement() == 0 then return end
      local gap = (a:double() - b:double()):abs():max()
      most = gap == gap and math.max(most, gap) or math.huge
   end, y)
   return ok and most or math.huge
end

local function need(who, tester, module)
   if not torch.isTypeOf(tester, 'torch.Tester') then
      arg_check.refuse(who, 'tester', 'a torch.Tester', tester, 3)
   end
   if not torch.isTypeOf(module, 'nn.Module') then
      arg_check.refuse(who, 'module', 'an nn.Module', module, 3)
   end
end

local function near(tester, x, y, precision, what)
   return tester:assertle(distance(x, y), precision, what)
end

-- Parameters and their gradients, empty for modules that have none.
local function parameters_of(module)
   local weights, gradients = module:parameters()
   return weights or {}, gradients or {}
end

-- The derivative of value() by every element of t, by central differences.
local function differences(t, value, step)
   local flat = t:contiguous():view(-1)
   local estimate = torch.DoubleTensor(flat:nElement())
   for i = 1, flat:nElement() do
      local kept = flat[i]
      local function at(v)
         flat[i] = v
         if not t:isContiguous() then t:copy(flat:viewAs(t)) end
         return value()
      end
      local up = at(kept + step)
      estimate[i] = (up - at(kept - step)) / (2 * step)
      flat[i] = kept
      if not t:isContiguous() then t:copy(flat:viewAs(t)) end
   end
   return estimate:viewAs(t)
end

--- totem.nn.checkGradients(tester, module, input, [precision], [step]): Backward must compute the same
-- gradients by the input and by the parameters as central differences.
-- @param precision  the largest distance, default 1e-5
-- @param step       of the differences, default 1e-6
function M.checkGradients(tester, module, input, precision, step)
   need('totem.nn.checkGradients', tester, module)
   precision, step = precision or 1e-5, step or 1e-6
   input = clone(input)
   local weight = noise(module:forward(input))
   local function value() return dot(module:forward(input), weight) end
   module:zeroGradParameters()
   value()
   local gradInput = clone(module:backward(input, weight))
   local params, gradParams = parameters_of(module)
   gradParams = clone(gradParams)
   local function estimate(t) return differences(t, value, step) end
   local by_input = near(tester, gradInput, each(input, estimate), precision,
                         'the gradient by the input')
   local by_params = near(tester, gradParams, each(params, estimate), precision,
                          'the gradients by the parameters')
   module:zeroGradParameters()
   return by_input and by_params
end

-- The number of samples: the first size of a tensor in the batch.
local size_of
function size_of(batch)
   if torch.isTensor(batch) then return batch:size(1) end
   if type(batch) ~= 'table' then return nil end
   for _, part in pairs(batch) do
      local n = size_of(part)
      if n then return n end
   end
end

--- totem.nn.checkMinibatch(tester, module, input, [precision]): A batch must give the same results as its samples
-- one by one: the output, the gradient by the input, and the sum of the gradients by the
-- parameters.
-- @param precision  the largest distance, default 1e-10
function M.checkMinibatch(tester, module, input, precision)
   need('totem.nn.checkMinibatch', tester, module)
   precision = precision or 1e-10
   local output = clone(module:forward(input))
   local weight = noise(output)
   module:zeroGradParameters()
   local gradInput = clone(module:backward(input, weight))
   local _, gradParams = parameters_of(module)
   local of_batch = clone(gradParams)
   module:zeroGradParameters()
   local all = true
   local function compare(x, y, what) all = near(tester, x, y, precision, what) and all end
   for i = 1, size_of(input) or 0 do
      -- a vector of numbers has samples that are numbers, which stay vectors of one element
      local function at(x)
         return each(x, function(t) return t:dim() == 1 and t:narrow(1, i, 1) or t:select(1, i) end)
      end
      local x = clone(at(input))
      compare(module:forward(x), at(output), ('the output for sample %d'):format(i))
      compare(module:backward(x, clone(at(weight))), at(gradInput),
              ('the gradient by the input for sample %d'):format(i))
   end
   compare(gradParams, of_batch, 'the gradients by the parameters')
   module:zeroGradParameters()
   return all
end

--- totem.nn.checkTypeCastable(tester, module, input, [toType], [precision]): A module of another
-- type must compute the same output and the same gradient, as tensors of that type.
-- @param toType     default 'torch.FloatTensor'
-- @param precision  the largest distance, default 1e-6
function M.checkTypeCastable(tester, module, input, toType, precision)
   need('totem.nn.checkTypeCastable', tester, module)
   toType, precision = toType or 'torch.FloatTensor', precision or 1e-6
   local output = clone(module:forward(input))
   local weight = noise(output)
   local gradInput = clone(module:updateGradInput(input, weight))
   local other = module:clone():type(toType)
   local other_input = cast(clone(input), toType)
   local other_output = other:forward(other_input)
   local all = true
   local function of_type(t, what) all = tester:eq(t:type(), toType, what) and all end
   each(other_output, function(t) of_type(t, 'the type of the output') end)
   all = near(tester, other_output, output, precision, 'the output') and all
   local other_gradient = other:updateGradInput(other_input, cast(clone(weight), toType))
   all = near(tester, other_gradient, gradInput, precision, 'the gradient by the input') and all
   for i, t in ipairs((parameters_of(other))) do of_type(t, ('the type of parameter %d'):format(i)) end
   return all
end

--- totem.nn.checkSerializable(tester, module, input, [precision]): A module that was written and
-- read must compute the same output and the same gradient.
function M.checkSerializable(tester, module, input, precision)
   need('totem.nn.checkSerializable', tester, module)
   precision = precision or 0
   local output = clone(module:forward(input))
   local weight = noise(output)
   local gradInput = clone(module:updateGradInput(input, weight))
   local read = torch.deserialize(torch.serialize(module))
   local same_type = tester:eq(torch.type(read), torch.type(module), 'the type of the module')
   local same_output = near(tester, read:forward(input), output, precision, 'the output')
   local same_gradient = near(tester, read:updateGradInput(input, weight), gradInput, precision,
                              'the gradient by the input')
   return same_type and same_output and same_gradient
end

--- totem.nn.checkTypePreservesSharing(tester, module, [toType]): Two modules that share their
-- parameters must share them after their container is converted to another type.
-- @param toType  default: torch.FloatTensor, or torch.DoubleTensor for a module of floats
function M.checkTypePreservesSharing(tester, module, toType)
   need('totem.nn.checkTypePreservesSharing', tester, module)
   toType = toType or module:type() == 'torch.FloatTensor' and 'torch.DoubleTensor' or 'torch.FloatTensor'
   local first, second = module:clone(), module:clone()
   local function shared(visit)
      local p, dp = parameters_of(first)
      local q, dq = parameters_of(second)
      for i = 1, #p do
         visit(p[i], q[i], 'parameter ' .. i)
         if dp[i] and dq[i] then visit(dp[i], dq[i], 'the gradient of parameter ' .. i) end
      end
   end
   shared(function(t, u) u:set(t) end)
   local container = nn.Sequential():add(first):add(second):type(toType)
   first, second = container:get(1), container:get(2)
   local all = true
   shared(function(t, u, what)
      if torch.pointer(t:storage()) == torch.pointer(u:storage()) then return end
      all = false
      tester:assert(false, what .. ' is no longer shared')
   end)
   return tester:assert(all, 'shared parameters')
end

return M
