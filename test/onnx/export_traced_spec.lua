-- test/onnx/export_traced_spec.lua - onnx.save of functions that autograd can trace.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local autograd = require 'autograd'
local onnx = require 'onnx'
local exported = require 'test.support.onnx.exported'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

after_each(temporary.remove)
setup(function() torch.manualSeed(5) end)

-- The example with other numbers, in nested tables.
local function scaled(x, k)
   if torch.isTensor(x) then return x * k end
   local y = {}
   for i, v in ipairs(x) do y[i] = scaled(v, k) end
   return y
end

-- Saves f and compares onnx.load with f for other numbers than those of the example. Returns what onnx.save returned.
local function same(f, example, options)
   local path = temporary.name '.onnx'
   local info = onnx.save(path, f, example, options)
   local ok, model = pcall(onnx.load, path)
   if not ok and tostring(model):find('are not here', 1, true) then return info end
   assert(ok, model)
   for _, k in ipairs{1, -2.5} do
      local x, given = scaled(example, k), {}
      for i, t in ipairs(exported.flat(x)) do given[info.inputs[i]] = t:float() end
      local want = f(x)
      want = type(want) == 'number' and {torch.Tensor{want}} or exported.flat(want)
      local out = model:forward(given)
      for i, w in ipairs(want) do
         local got = torch.isTensor(out) and out or out[info.outputs[i]] or out[i]
         local d = exported.difference(w, got)
         assert(d and d <= 1e-5, ('output %d differs by %s'):format(i, tostring(d)))
      end
   end
   return info
end

describe('onnx.save of a function', function()
   it('writes products, sums of rows, activations and views, for any number of samples', function()
      local W, b = torch.randn(4, 3), torch.randn(4)
      local info = same(function(x) return torch.tanh(x * torch.t(W) + torch.expand(torch.view(b, 1, 4), torch.size(x, 1), 4)) end, torch.randn(5, 3))
      assert.is_true(info.batch)
      same(function(x) return torch.sum(torch.pow(x, 2)) end, torch.randn(3, 2))
      same(function(x) return torch.sum(x, 2) + torch.max(x, 2) + torch.mean(x, 2) - torch.min(x, 2) end, torch.randn(3, 4))
      same(function(x) return torch.cmul(torch.sigmoid(x), torch.exp(-x)) / 2 + torch.abs(x) - torch.clamp(x, -1, 1) end, torch.randn(3, 4))
      same(function(x) return x[1] + x:narrow(1, 2, 1):view(4) + torch.select(x, 1, 3) end, torch.randn(3, 4))
      same(function(x) return torch.cmax(x, 0.2):transpose(1, 2):contiguous():view(-1) end, torch.randn(3, 4))
      same(function(x) return torch.cat({x, x * 2, torch.ones(3, 1)}, 2) end, torch.randn(3, 4))
      same(function(x) return torch.maskedFill(torch.clone(x), torch.gt(x, 0.1), 7) end, torch.randn(3, 4))
      same(function(x) return x * x:max() + torch.sum(x) / 2 end, torch.randn(3, 4))
      same(function(x) return torch.repeatTensor(x, 2, 1) end, torch.randn(3, 4), {batch = false})
   end)

   it('takes and gives tables', function()
      local info = same(function(t) return {t[1] + t[2], torch.cmul(t[1], t[2])} end, {torch.randn(3, 2), torch.randn(3, 2)})
      assert.same({'input1', 'input2'}, info.inputs)
      assert.same({'output1', 'output2'}, info.outputs)
   end)

   it('writes the models of autograd', function()
      local mlp, p = autograd.model.NeuralNetwork{inputFeatures = 6, hiddenFeatures = {4, 2}, classifier = true}
      same(function(x) return mlp(p, x) end, torch.randn(5, 6))
      for _, name in ipairs{'RecurrentNetwork', 'RecurrentLSTMNetwork', 'RecurrentGRUNetwork'} do
         local f, params = autograd.model[name]{inputFeatures = 4, hiddenFeatures = 3, outputType = 'last'}
         assert.is_true(same(function(x) return (f(params, x)) end, torch.randn(2, 5, 4)).batch)
      end
   end)

   it('writes modules of nn that the function calls, as in evaluation mode', function()
      local f, params = autograd.functionalize(nn.Sequential():add(nn.Linear(3, 4)):add(nn.ReLU()))
      same(function(x) return torch.sigmoid(f(params, x)) end, torch.randn(5, 3))
   end)
end)

describe('onnx.save of a function refuses', function()
   local function refused(text, f, x) refuses(text, onnx.save, temporary.name '.onnx', f, x) end

   it('branches, loops and masks that depend on the input', function()
      refused('depends on its input (a branch', function(x) return autograd.value(x):sum() > 0 and x * 2 or x * 3 end, torch.ones(2, 2))
      refused('depends on its input (a branch', function(x) return autograd.value(x):sum() > 0 and x or -x end, torch.ones(2, 2))
      refused('depends on its input', function(x) return x * autograd.value(x):max() end, torch.ones(2, 2))
   end)

   it('random numbers', function()
      refused('or is random', function(x) return torch.cmul(x, torch.rand(3, 2)) end, torch.ones(3, 2))
   end)

   it('inputs that are no floats, results that are no tensors, and ops without a rule', function()
      refused('a function takes tensors of floats', function(x) return x end, torch.LongTensor{1})
      refused('its result does not depend on its input', function() return 3 end, torch.ones(1))
      refused('it gives a string', function() return 'x' end, torch.ones(1))
      refused('it calls torch.cumsum, which has no rule', function(x) return torch.cumsum(x, 1) end, torch.ones(2, 2))
   end)

   it('a function that fails for the example', function()
      refused('that autograd can trace', function(x) return torch.mm(x, torch.ones(7, 1)) end, torch.ones(2, 2))
   end)
end)
