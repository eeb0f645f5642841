-- test/soak/save.lua - saves a state of training in every format and restores it: training continues to the same bits as without.
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'

local function steps(state, n)
   local params, grads = state.net:getParameters()
   local criterion = nn.MSECriterion()
   torch.setRNGState(state.random)
   for _ = 1, n do
      local x, target = torch.randn(8, 10), torch.randn(8, 3)
      optim.adam(function()
         grads:zero()
         local loss = criterion:forward(state.net:forward(x), target)
         state.net:backward(x, criterion:backward(state.net.output, target))
         return loss, grads
      end, params, state.config)
   end
   state.random = torch.getRNGState()
   return params:clone()
end

local function begin(round)
   torch.manualSeed(round)
   local net = nn.Sequential():add(nn.Linear(10, 30 + round % 7)):add(nn.Tanh()):add(nn.Linear(30 + round % 7, 3))
   return { net = net, config = { learningRate = 0.01 }, random = torch.getRNGState() }
end

return function(soak)
   local straight = begin(soak.round)
   steps(straight, 3)
   local want = steps(straight, 3)
   local mode = soak.round % 2 == 0 and 'ascii' or 'binary'
   local state, name = begin(soak.round), soak:file 'state.t7'
   steps(state, 3)
   for _ = 1, 3 do torch.save(name, state, mode) end            -- the second replaces the first
   state = torch.load(name, mode)
   assert(torch.equal(want, steps(state, 3)), 'restored training gives other bits')
   state = torch.deserialize(torch.serialize(begin(soak.round)))
   steps(state, 3)
   assert(torch.equal(want, steps(state, 3)), 'a copy gives other bits')
   os.remove(name)
   local x, y = want:float(), want:narrow(1, 1, 50):long()
   for suffix, object in pairs { npy = x, npz = { x = x, y = y }, safetensors = { x = x, y = y } } do
      local file = soak:file('tensors.' .. suffix)
      torch.save(file, object)
      local back = torch.load(file)
      assert(torch.equal(x, suffix == 'npy' and back or back.x), suffix .. ' gives other numbers')
      os.remove(file)
   end
end
