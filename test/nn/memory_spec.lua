-- test/nn/memory_spec.lua - nn.optimizeMemory and nn.save: less memory for inference, small files.
local torch = require 'torch'
local nn = require 'nn'
local check = require 'test.support.gradcheck'
local drawn = require 'test.support.nn.random_cases'
local near = require 'test.support.nn.rounding'.near
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

before_each(function() torch.manualSeed(2) end)
after_each(temporary.remove)

local function deep(n)
   local m = nn.Sequential()
   for _ = 1, n do m:add(nn.Linear(16, 16)):add(nn.ReLU(true)):add(nn.Tanh()) end
   return m
end

local function residual()
   local branch = nn.Sequential():add(nn.SpatialConvolution(3, 3, 3, 3, 1, 1, 1, 1)):add(nn.SpatialBatchNormalization(3)):add(nn.ReLU(true))
      :add(nn.SpatialConvolution(3, 3, 3, 3, 1, 1, 1, 1))
   return nn.Sequential():add(nn.ConcatTable():add(branch):add(nn.Identity())):add(nn.CAddTable()):add(nn.ReLU(true))
end

local function convnet()
   local m = nn.Sequential():add(nn.SpatialConvolution(1, 3, 3, 3, 1, 1, 1, 1)):add(residual()):add(residual())
   m:add(nn.Concat(2):add(nn.SpatialConvolution(3, 2, 1, 1)):add(nn.Sequential():add(nn.SpatialConvolution(3, 2, 3, 3, 1, 1, 1, 1)):add(nn.Tanh())))
   return m:add(nn.SpatialMaxPooling(2, 2)):add(nn.View(-1):setNumInputDims(3)):add(nn.Linear(4 * 4 * 4, 5)):add(nn.Dropout(0.5)):add(nn.LogSoftMax())
end

local function graph()
   require 'nngraph'
   local x = nn.Identity()()
   local a = nn.Tanh()(nn.Linear(16, 16)(x))
   local b = nn.Linear(16, 16)(nn.Sigmoid()(nn.Linear(16, 16)(a)))
   return nn.gModule({x}, {nn.CAddTable(){a, b}})
end

local function numbers(...) return torch.rand(...):add(-0.5) end

-- What the model gives for x, and a copy of it without sharing.
local function both(model, x)
   model:evaluate()
   local plain = model:clone()
   return plain, plain:forward(x):clone()
end

describe('nn.optimizeMemory', function()
   it('saves most of what outputs take, says how much, and gives the same bits', function()
      local x = numbers(64, 16)
      local m = deep(10)
      local _, want = both(m, x)
      local saved, before, after = nn.optimizeMemory(m, x)
      assert.equal(before - after, saved)
      assert.equal(20 * 64 * 16 * 8, before)                   -- ReLU works in place
      assert.equal(2 * 64 * 16 * 8, after)
      near(m:forward(x), want, 0)
   end)
   it('gives the memory back to the process', function()
      local x = numbers(256, 16)
      local m = deep(20):evaluate()
      m:forward(x)
      collectgarbage()
      collectgarbage()
      local before = torch.memory().bytes
      local saved = nn.optimizeMemory(m, x)
      collectgarbage()
      collectgarbage()
      assert.is_true(before - torch.memory().bytes > 0.9 * saved and saved > 38 * 256 * 16 * 8 - 1)
   end)
   it('is right for branches, tables, views, work in place, graphs, and layers that come twice', function()
      local twice = nn.Linear(16, 16)
      for name, case in pairs{
         convnet = {convnet, {2, 1, 8, 8}, {5, 1, 8, 8}, 4}, graph = {graph, {3, 16}, {7, 16}, 1.2},
         twice = {function() return nn.Sequential():add(twice):add(nn.Tanh()):add(twice):add(nn.Sigmoid()):add(nn.Linear(16, 16)) end,
            {3, 16}, {9, 16}, 1.3},
      } do
         local m, x, larger = case[1](), numbers(unpack(case[2])), numbers(unpack(case[3]))
         local plain, want = both(m, x)
         local _, before, after = nn.optimizeMemory(m, x)
         assert(before > case[4] * after or name == 'convnet' and before > 1.5 * after, ('%s: %d to %d'):format(name, before, after))
         for _ = 1, 2 do near(m:forward(x), want, 0) end
         near(m:forward(larger), plain:forward(larger), 0)
         near(m:forward(x), want, 0)
         local copy, file = m:clone(), torch.deserialize(torch.serialize(m))
         near(copy:forward(larger), plain:forward(larger), 0)
         near(file:forward(x), want, 0)
         near(m:clone():float():forward(x:float()), plain:clone():float():forward(x:float()), 0)
      end
   end)
   it('is right for every module of nn between others', function()
      local count = 0
      for _, case in ipairs(require 'test.support.nn.cases') do
         local m, inputs = drawn.make(case, 3)
         for _, form in ipairs(inputs) do
            local x = form[1]
            local double = torch.isTensor(x) and x:type() == 'torch.DoubleTensor'
            m:evaluate()
            local stdout = print
            _G.print = function() end
            local y = m:clone():forward(x)
            local model = nn.Sequential()
            if double and not case.lo then model:add(nn.MulConstant(0.5)):add(nn.MulConstant(2)) end
            model:add(m:clone())
            if torch.isTensor(y) and y:type() == 'torch.DoubleTensor' then
               model:add(nn.MulConstant(3)):add(nn.Tanh()):add(nn.MulConstant(2))
            end
            model:evaluate()
            torch.manualSeed(8)
            local want = check.copy(model:clone():forward(x))
            torch.manualSeed(8)
            nn.optimizeMemory(model, x)
            torch.manualSeed(8)
            local got = model:forward(x)
            _G.print = stdout
            assert(check.dot(want, want) == check.dot(got, want) and check.dot(got, got) == check.dot(got, want), case.new)
            count = count + 1
         end
      end
      assert.is_true(count > 300)
   end)
   it('ends with training() and with clearState(); backward is refused before', function()
      for _, finish in ipairs{'training', 'clearState'} do
         local x, g = numbers(3, 16), numbers(3, 16)
         local m = deep(3)
         local plain = both(m, x)
         nn.optimizeMemory(m, x)
         m:forward(x)
         refuses('nn.Sequential: backward needs the outputs of all layers, but nn.optimizeMemory lets them share memory', m.backward, m, x, g)
         refuses('nn.Linear: backward needs the outputs', m:get(1).updateGradInput, m:get(1), x, g)
         m[finish](m)
         near(m:forward(x), plain:forward(x), 0)
         near(m:backward(x, g), plain:backward(x, g), 0)
      end
   end)
   it('can be called again, for a larger input', function()
      local m = deep(4):evaluate()
      local first = nn.optimizeMemory(m, numbers(2, 16))
      assert.equal(10 * first, (nn.optimizeMemory(m, numbers(20, 16))))
   end)
   it('leaves tensors of others alone', function()
      local m, x, g = nn.Sequential():add(nn.Identity()):add(nn.Linear(16, 16)):add(nn.Identity()), numbers(3, 16), numbers(3, 16)
      m:forward(x)
      m:backward(x, g)
      local x0, g0 = x:clone(), g:clone()
      nn.optimizeMemory(m:evaluate(), x)
      m:forward(x)
      near(x, x0, 0)
      near(g, g0, 0)
   end)
   it('refuses what is no module, a model in training, and inputs that do not fit', function()
      refuses('nn.optimizeMemory: model must be a module, got number', nn.optimizeMemory, 3, torch.ones(2))
      refuses('nn.optimizeMemory: nn.Dropout is in training mode; call model:evaluate() first', nn.optimizeMemory,
         nn.Sequential():add(nn.Dropout()), torch.ones(2))
      local m, x = deep(2):evaluate(), numbers(2, 16)
      local want = m:forward(x):clone()
      refuses('nn.Linear', nn.optimizeMemory, m, numbers(2, 5))
      assert.is_nil(m.sharesMemory)
      near(m:forward(x), want, 0)
   end)
   it('refuses a model whose layers read old outputs of others, and leaves it as it was', function()
      local package = {}
      local Late, Module = torch.class('memory_spec.Late', 'nn.Module', package)
      function Late:__init(other)
         Module.__init(self)
         self.other = function() return other.output end
      end
      function Late:updateOutput(x)
         self.output:resize(x:size()):copy(x):add(self.other())
         return self.output
      end
      local first = nn.Linear(16, 16)
      local m = nn.Sequential():add(first):add(nn.Tanh()):add(nn.Linear(16, 16)):add(nn.Sigmoid()):add(package.Late(first)):evaluate()
      local x = numbers(3, 16)
      local want = m:forward(x):clone()
      refuses('nn.optimizeMemory: a layer of this model reads outputs after others have overwritten them', nn.optimizeMemory, m, x)
      near(m:forward(x), want, 0)
   end)
end)

describe('nn.save', function()
   local function size(path)
      local f = assert(io.open(path, 'rb'))
      local n = f:seek 'end'
      f:close()
      return n
   end
   it('writes checkpoints without outputs and buffers, and leaves the model in memory as it is', function()
      local path, all = temporary.name '.t7', temporary.name '.t7'
      local m, x, g = convnet(), numbers(20, 1, 8, 8), numbers(20, 5)
      local y = m:forward(x)
      local gx = m:backward(x, g)
      local y0, gx0 = y:clone(), gx:clone()
      local parameters, gradients = m:getParameters()
      nn.save(path, {model = m, parameters = parameters, optimizer = {t = 3, m = gradients}, note = 'x'})
      torch.save(all, m)
      near(m.output, y0, 0)
      near(m.gradInput, gx0, 0)
      assert.is_true(size(path) < size(all) / 4, size(path) .. ' of ' .. size(all))
      local c = torch.load(path)
      assert.same({3, 'x'}, {c.optimizer.t, c.note})
      near(c.optimizer.m, gradients, 0)
      near(c.model:evaluate():forward(x), m:evaluate():forward(x), 0)
      c.parameters:zero()                                       -- what was shared is shared
      assert.equal(0, c.model:get(1).weight:norm())
      assert.is_true(m:get(1).weight:norm() > 0)
      nn.save(path, m, 'ascii')
      near(torch.load(path, 'ascii'):evaluate():forward(x), m:forward(x), 0)
   end)
   it('writes every module of nn so that it works after loading', function()
      local path = temporary.name '.t7'
      for _, case in ipairs(require 'test.support.nn.cases') do
         local no = case.no or {}
         if not no.file then
            local m, inputs = drawn.make(case, 3)
            local stdout = print
            _G.print = function() end
            torch.manualSeed(8)
            local want = check.copy(m:forward(inputs[1][1]))
            nn.save(path, m)
            torch.manualSeed(8)
            local got = torch.load(path):forward(inputs[1][1])
            _G.print = stdout
            assert(check.dot(want, want) == check.dot(got, want) and check.dot(got, got) == check.dot(got, want), case.new)
         end
      end
   end)
   it('refuses names of files that cannot be', function()
      refuses('torch.save', nn.save, 3, nn.Abs())
      assert.is_false(pcall(nn.save, '/nowhere/at/all.t7', nn.Abs()))
   end)
end)
