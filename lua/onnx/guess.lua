-- lua/onnx/guess.lua - an input for a net from the classes and sizes of its first modules, found by trying.
local torch = require 'torch'

local M = {}

local SQUARES = { 224, 227, 231, 221, 299, 256, 192, 160, 128, 112, 96, 64, 48, 46, 40, 36, 32, 28, 24, 20, 16, 14, 12, 10,
   9, 8, 7, 6, 5, 4, 3, 2, 1 }
local STEPS = { 16, 20, 25, 32, 50, 64, 100, 12, 10, 8, 6, 5, 4, 3, 2, 1 }
local SAMPLES = 2

-- The first module that says which input it takes; modules that take any are passed over.
local function first_of(m, depth)
   if depth > 100 then return nil end
   if torch.isTypeOf(m, 'nn.gModule') and m.nInputs ~= 1 then return nil end
   if torch.isTypeOf(m, 'nn.ParallelTable') or torch.isTypeOf(m, 'nn.MapTable') then return nil end
   if torch.isTypeOf(m, 'nn.RNN') or not m.modules then return m end
   for _, child in ipairs(m.modules) do
      local found = first_of(child, depth + 1)
      if not found then return nil end
      if M.shapes(found) then return found end
      if not torch.isTypeOf(m, 'nn.Sequential') and not torch.isTypeOf(m, 'nn.gModule') and not torch.isTypeOf(m, 'nn.Concat')
         and not torch.isTypeOf(m, 'nn.ConcatTable') and not torch.isTypeOf(m, 'nn.Decorator') then return found end
   end
   return m
end

local function each(list, make)
   local all = {}
   for i, n in ipairs(list) do all[i] = make(n) end
   return all
end

--- The sizes that the input of a module may have, in the order to try them, and its type; nil where it does not say.
function M.shapes(m)
   local planes = m.nInputPlane
   local function is(name) return torch.isTypeOf(m, name) end
   if is 'nn.VolumetricConvolution' or is 'nn.VolumetricFullConvolution' then
      return each(STEPS, function(n) return { SAMPLES, planes, 16, n * 4, n * 4 } end)
   end
   if planes and m.kW and m.kH then return each(SQUARES, function(n) return { SAMPLES, planes, n, n } end) end
   if is 'nn.Linear' and m.weight then return { { SAMPLES, tonumber(m.weight:size(2)) } } end
   if is 'nn.SpatialBatchNormalization' then
      local n = tonumber(m.running_mean:nElement())
      return each(SQUARES, function(s) return { SAMPLES, n, s, s } end)
   end
   if is 'nn.BatchNormalization' and m.nDim ~= 5 then return { { SAMPLES, tonumber(m.running_mean:nElement()) } } end
   if is 'nn.LookupTable' then return each(STEPS, function(n) return { SAMPLES, n } end), 'long' end
   if is 'nn.TemporalConvolution' or is 'nn.TemporalRowConvolution' then
      return each(STEPS, function(n) return { SAMPLES, n, m.inputFrameSize } end)
   end
   if is 'nn.RNN' then return { m.batchFirst and { SAMPLES, 10, m.inputSize } or { 10, SAMPLES, m.inputSize } } end
   if is 'nn.MultiHeadAttention' then return { { SAMPLES, 10, m.size } } end
   return nil
end

--- A tensor of these sizes: numbers between -1 and 1, or ones of whole numbers.
function M.tensor(sizes, kind, float)
   local size = torch.LongStorage(sizes)
   if kind == 'long' then return torch.LongTensor(size):fill(1) end
   local t = torch.Tensor(size)
   local n = tonumber(t:nElement())
   if n > 0 then t:view(-1):copy(torch.range(0, n - 1):apply(function(i) return (i * 37 % 101) / 50.5 - 1 end)) end
   return t:type(float)
end

--- An input that the net takes, in evaluation mode, and its sizes; nil where none is found.
function M.input(net)
   local first = first_of(net, 0)
   local shapes, kind = nil, nil
   if first then shapes, kind = M.shapes(first) end
   if not shapes then return nil end
   local copy = net:clone()
   copy:evaluate()
   for _, sizes in ipairs(shapes) do
      local x = M.tensor(sizes, kind, copy:type())
      if pcall(copy.forward, copy, x) then return M.tensor(sizes, kind, copy:type()), sizes end
   end
   return nil
end

return M
