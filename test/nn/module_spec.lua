-- test/nn/module_spec.lua - the base classes: parameters, sharing, types, errors inside containers, modules of users.
local torch = require 'torch'
local nn = require 'nn'

local refuses = require 'test.support.refuses'

local function net()
   return nn.Sequential():add(nn.Linear(2, 3)):add(nn.Tanh()):add(nn.Linear(3, 2))
end

describe('getParameters', function()
   it('gives two vectors of which the parameters become views', function()
      local m = net()
      local first = m:get(1).weight:clone()
      local p, g = m:getParameters()
      assert.equal(17, p:nElement())
      assert.equal(17, g:nElement())
      assert.same(first:totable(), m:get(1).weight:totable())
      p:fill(2)
      assert.equal(2, m:get(3).bias[1])
      m:zeroGradParameters()
      m:forward(torch.ones(4, 2))
      m:backward(torch.ones(4, 2), torch.ones(4, 2))
      assert(g:norm() > 0)
   end)
   it('holds shared parameters once, and keeps them shared', function()
      local a = nn.Linear(2, 2)
      local m = nn.Sequential():add(a):add(a:clone('weight', 'gradWeight'))
      local p = m:getParameters()
      assert.equal(4 + 2 + 2, p:nElement())
      p:fill(5)
      assert.equal(5, m:get(2).weight[2][2])
      assert.equal(m:get(1).weight:storageOffset(), m:get(2).weight:storageOffset())
   end)
   it('refuses a parameter with elements of others between its own, and takes two that fill the gaps', function()
      local m, square = nn.Linear(4, 4), torch.ones(4, 4)
      m.bias = square:select(2, 2)
      refuses('must not have gaps in memory', m.getParameters, m)
      local two, wide = nn.Sequential():add(nn.Linear(2, 3)):add(nn.Linear(2, 3)), torch.range(1, 12):view(3, 4)
      two:get(1).weight, two:get(2).weight = wide:narrow(2, 1, 2), wide:narrow(2, 3, 2)
      assert.equal(18, (two:getParameters()):nElement())
      assert.same({{3, 4}, {7, 8}, {11, 12}}, two:get(2).weight:totable())
   end)
   it('takes a parameter that is transposed or expanded', function()
      local m = nn.Linear(3, 2)
      m.weight, m.bias = torch.range(1, 6):view(3, 2):t(), torch.ones(1):expand(2)
      assert.equal(7, (m:getParameters()):nElement())
      assert.same({{1, 3, 5}, {2, 4, 6}}, m.weight:totable())
   end)
   it('may be called again', function()
      local m = net()
      local p = m:getParameters()
      local q = m:getParameters()
      assert.same(p:totable(), q:totable())
      q:fill(1)
      assert.equal(1, m:get(1).bias[1])
   end)
   it('leaves out the holes of a storage that parameters lie in', function()
      local big = torch.range(1, 12)
      local p = nn.Module.flatten{big:narrow(1, 2, 3), big:narrow(1, 8, 2), big:narrow(1, 3, 3)}
      assert.same({2, 3, 4, 5, 8, 9}, p:totable())
   end)
   it('keeps transposed parameters as they are', function()
      local w = torch.range(1, 6):view(2, 3):t()
      nn.Module.flatten{w}
      assert.same({{1, 4}, {2, 5}, {3, 6}}, w:totable())
   end)
   it('gives empty vectors for modules without parameters', function()
      assert.equal(0, nn.Tanh():getParameters():nElement())
   end)
end)

describe('a module', function()
   it('names its parameters and their gradients', function()
      local m = nn.Linear(2, 3)
      local p, g = m:parameters()
      assert.equal(m.weight, p[1])
      assert.equal(m.bias, p[2])
      assert.equal(m.gradWeight, g[1])
      assert.is_nil(nn.Tanh():parameters())
   end)
   it('takes a step with updateParameters, or right away with backwardUpdate', function()
      local a = nn.Linear(2, 2)
      local b = a:clone()
      local x, g = torch.rand(3, 2), torch.rand(3, 2)
      a:zeroGradParameters()
      a:forward(x)
      a:backward(x, g)
      a:updateParameters(0.1)
      b:forward(x)
      b:backwardUpdate(x, g, 0.1)
      assert((a.weight - b.weight):abs():max() < 1e-12)
      assert((a.bias - b.bias):abs():max() < 1e-12)
   end)
   it('is converted with what it shares still shared', function()
      local a = nn.Linear(2, 2)
      local m = nn.Sequential():add(a):add(a:clone('weight')):float()
      assert.equal('torch.FloatTensor', m:type())
      m:get(1).weight:fill(3)
      assert.equal(3, m:get(2).weight[1][1])
   end)
   it('continues sharing between modules that are converted with one cache', function()
      local a = nn.Linear(2, 2)
      local b = nn.Linear(2, 2):share(a, 'weight')
      local cache = {}
      a:float(cache)
      b:float(cache)
      a.weight:fill(4)
      assert.equal(4, b.weight[1][1])
   end)
   it('is small after clearState', function()
      local m = nn.Sequential():add(nn.Linear(20, 30)):add(nn.ReLU()):add(nn.Dropout(0.5))
      local before = #torch.serialize(m)
      m:forward(torch.ones(50, 20))
      m:backward(torch.ones(50, 20), torch.ones(50, 30))
      m:clearState()
      assert(#torch.serialize(m) < before + 1000)
   end)
   it('does not allocate in forward and backward of a second call', function()
      local m = nn.Sequential():add(nn.Linear(8, 16)):add(nn.Tanh()):add(nn.Linear(16, 4)):add(nn.LogSoftMax())
      local x, g = torch.rand(10, 8), torch.rand(10, 4)
      local function step()
         m:forward(x)
         m:backward(x, g)
      end
      step()
      local function addresses()
         local list = {}
         for i = 1, 4 do
            list[i] = torch.pointer(m:get(i).output:storage()) + torch.pointer(m:get(i).gradInput:storage())
         end
         return list
      end
      local first = addresses()
      step()
      assert.same(first, addresses())
   end)
   it('finds, lists, replaces and visits what is inside', function()
      local m = nn.Sequential():add(nn.Linear(2, 2)):add(nn.Concat(1):add(nn.Tanh()):add(nn.Linear(2, 3)))
      local found, holders = m:findModules 'nn.Linear'
      assert.equal(2, #found)
      assert.equal('nn.Concat', torch.type(holders[2]))
      assert.equal(5, #m:listModules())
      m:replace(function(module) return torch.type(module) == 'nn.Tanh' and nn.Sigmoid() or module end)
      assert.equal('nn.Sigmoid', torch.type(m:get(2):get(1)))
      local n = 0
      m:apply(function() n = n + 1 end)
      assert.equal(5, n)
   end)
end)

describe('a module written for Torch7', function()
   local Scale, parent = torch.class('nn.SpecScale', 'nn.Module')
   function Scale:__init(n)
      parent.__init(self)
      self.weight = torch.Tensor(n):fill(2)
      self.gradWeight = torch.Tensor(n):zero()
   end
   function Scale:updateOutput(input)
      self.output:resizeAs(input):copy(input)
      self.output:cmul(self.weight:view(1, -1):expandAs(input))
      return self.output
   end
   function Scale:updateGradInput(_, gradOutput)
      self.gradInput:resizeAs(gradOutput):copy(gradOutput)
      self.gradInput:cmul(self.weight:view(1, -1):expandAs(gradOutput))
      return self.gradInput
   end
   function Scale:accGradParameters(input, gradOutput, scale)
      self.gradWeight:add(scale, torch.cmul(input, gradOutput):sum(1))
   end
   nn.SpecScale = nil                       -- known to torch.class; the registry of nn stays as it was

   local make = function()
      local m = torch.factory 'nn.SpecScale'()
      m:__init(3)
      return m
   end
   it('works without a word changed: parameters, types, copies, files', function()
      local m = nn.Sequential():add(make())
      local x = torch.ones(2, 3)
      assert.same({{2, 2, 2}, {2, 2, 2}}, m:forward(x):totable())
      m:backward(x, x)
      assert.same({2, 2, 2}, m:get(1).gradWeight:totable())
      local p = m:getParameters()
      assert.equal(3, p:nElement())
      p:fill(1)
      assert.equal(1, m:get(1).weight[3])
      assert.equal('torch.FloatTensor', m:clone():float():get(1).weight:type())
      assert.same({{1, 1, 1}, {1, 1, 1}}, torch.deserialize(torch.serialize(m)):forward(x):totable())
   end)
end)

describe('an error inside containers', function()
   it('tells the way to the module, once the traceback, and the line that called', function()
      local m = nn.Sequential():add(nn.Tanh()):add(nn.Concat(1):add(nn.Identity()):add(nn.Linear(3, 2)))
      local err = refuses('nn.Linear(3 -> 2): input must be a matrix with 3 columns or a vector of 3, got 4x5', function()
         m:forward(torch.ones(4, 5))
      end)
      assert(err:find '^In 2 module of nn.Sequential:\nIn 2 module of nn.Concat:\n[^\n]*module_spec.lua:%d+: nn.Linear', err)
      local _, n = err:gsub('its traceback', '')
      assert.equal(1, n)
   end)
   it('keeps an error that is no text', function()
      local m = nn.Tanh()
      m.updateOutput = function() error {code = 7} end
      local ok, err = pcall(function() nn.Sequential():add(m):forward(torch.ones(1)) end)
      assert.is_false(ok)
      assert.equal(7, err.code)
   end)
end)

describe('wrong input is refused with the name of the module:', function()
   for new, row in pairs{
      ['nn.Linear(3, 2)'] = {torch.ones(4), 'nn.Linear(3 -> 2): input must be a matrix with 3 columns or a vector of 3, got 4'},
      ['nn.SpatialConvolution(2, 3, 3, 3)'] = {torch.ones(1, 4, 4),
         'nn.SpatialConvolution(2 -> 3, 3x3): input must be 2 x height x width or samples x 2 x height x width, got 1x4x4'},
      ['nn.SpatialConvolutionMM(2, 3, 3, 3)'] = {torch.ones(2, 2, 4), 'input must be at least 3x3 with its padding, got 2x2x4'},
      ['nn.SpatialMaxPooling(3, 3)'] = {torch.ones(1, 2, 2), 'nn.SpatialMaxPooling(3x3, 3,3): input must be at least 3x3'},
      ['nn.SpatialAveragePooling(3, 3)'] = {torch.ones(2, 2), 'input must be planes x height x width'},
      ['nn.BatchNormalization(3)'] = {torch.ones(2, 4), 'input must have 2 dimensions, the second of size 3, got 2x4'},
      ['nn.SpatialBatchNormalization(3)'] = {torch.ones(2, 3), 'input must have 4 dimensions, the second of size 3, got 2x3'},
      ['nn.View(2, 3)'] = {torch.ones(7), 'nn.View(2, 3): input must have a multiple of 6 elements, got 7'},
      ['nn.Reshape(2, 3)'] = {torch.ones(7), 'nn.Reshape(2x3): input must have 6 elements'},
      ['nn.ReLU()'] = {torch.IntTensor(3), 'nn.ReLU: input must be a torch.DoubleTensor, got a torch.IntTensor'},
      ['nn.Tanh()'] = {{1}, 'nn.Tanh: input must be a torch.DoubleTensor, got a table'},
      ['nn.CAddTable()'] = {torch.ones(3), 'nn.CAddTable: input must be a table of at least 1 tensors, got 3'},
      ['nn.CSubTable()'] = {{torch.ones(3)}, 'nn.CSubTable: input must be a table of 2 tensors, got a table of 1'},
      ['nn.JoinTable(1)'] = {{torch.ones(2, 3), torch.ones(1, 2)}, 'input 2 must have the shape 2x3, but for dimension 1, got 1x2'},
      ['nn.Narrow(1, 3, 2)'] = {torch.ones(3), 'input must reach from 3 over 2 along dimension 1, got 3'},
      ['nn.Select(1, 4)'] = {torch.ones(3), 'input must have a slice 4 along dimension 1, got 3'},
      ['nn.Sum(3)'] = {torch.ones(3, 2), 'nn.Sum: input must have a dimension 3, got 3x2'},
      ['nn.SoftMax()'] = {torch.ones(1, 1, 1, 1, 1), 'nn.SoftMax: input must be a vector'},
      ['nn.CMul(3)'] = {torch.ones(4), 'nn.CMul: input must be of shape 3, or a batch of those, got 4'},
      ['nn.MM()'] = {{torch.ones(3), torch.ones(3, 2)}, 'nn.MM: input must be tensors of 2 and 2 dimensions'},
      ['nn.SelectTable(3)'] = {{1, 2}, 'nn.SelectTable(3): input must have an element 3, got a table of 2'},
      ['nn.Normalize(2)'] = {torch.ones(2, 2, 2), 'nn.Normalize(2): input must be a vector or a matrix, got 2x2x2'},
      ['nn.LookupTable(3, 2)'] = {torch.ones(2, 2, 2), 'nn.LookupTable: input must be a vector or a matrix of numbers, got 2x2x2'},
   } do
      it(new, function()
         local m = assert(loadstring('local nn = ... return ' .. new))(nn)
         refuses(row[2], function() m:forward(row[1]) end)
      end)
   end
   it('and so are wrong arguments of constructors', function()
      refuses('nn.Dropout: p must lie in 0 <= p < 1, got 1', function() nn.Dropout(1) end)
      refuses('nn.HardTanh: max_value must be larger than min_value', function() nn.HardTanh(1, -1) end)
      refuses('nn.ELU: alpha must be a number, got string', function() nn.ELU 'x' end)
      refuses('nn.Sequential:add: expected a module, got number', function() nn.Sequential():add(3) end)
      refuses('nn.Sequential:insert: index must lie in 1..1, got 3', function() nn.Sequential():insert(nn.Tanh(), 3) end)
      refuses('nn.Sequential:remove: index must lie in 1..0, got 1', function() nn.Sequential():remove(1) end)
      refuses('nn.MapTable:add: it holds one module only', function() nn.MapTable(nn.Tanh()):add(nn.Tanh()) end)
      refuses('nn.View: sizes must be at least 0, one of them may be -1', function() nn.View(-1, -1) end)
      refuses('nn.BatchNormalization: nOutput must be a whole number', function() nn.BatchNormalization(0) end)
   end)
end)

describe('nn.Sequential', function()
   it('inserts and removes', function()
      local m = net()
      m:insert(nn.Sigmoid(), 2)
      assert.equal('nn.Sigmoid', torch.type(m:get(2)))
      m:remove(2)
      m:remove()
      assert.equal(2, m:size())
      assert.equal(3, m:forward(torch.ones(2)):nElement())
   end)
   it('returns its input when it is empty', function()
      local x = torch.ones(2)
      assert.equal(x, nn.Sequential():forward(x))
      assert.equal(x, nn.Sequential():backward(x, x))
   end)
   it('prints what it holds, however deep', function()
      local m = nn.Sequential():add(nn.ConcatTable():add(nn.Tanh()):add(nn.Sequential():add(nn.Linear(2, 1))))
      assert.equal([[
nn.Sequential {
  [input -> (1) -> output]
  (1): nn.ConcatTable {
    input
      |`-> (1): nn.Tanh
       `-> (2): nn.Sequential {
             [input -> (1) -> output]
             (1): nn.Linear(2 -> 1)
           }
       ... -> output
  }
}]], tostring(m))
   end)
end)

describe('nn.Dropout', function()
   it('keeps the mean, and is off in evaluation mode', function()
      torch.manualSeed(2)
      local m, x = nn.Dropout(0.25), torch.ones(10000)
      local y = m:forward(x)
      assert.near(1, y:mean(), 0.03)
      assert.near(0.25, y:eq(0):sum() / 10000, 0.02)
      m:evaluate()
      assert.equal(10000, m:forward(x):sum())
   end)
end)

describe('nn.BatchNormalization', function()
   it('normalises in training and uses the running estimates in evaluation', function()
      local m = nn.BatchNormalization(2, 0, 0.5)
      m.weight:fill(1)
      local y = m:forward(torch.Tensor{{1, 10}, {3, 30}})
      assert.same({{-1, -1}, {1, 1}}, y:totable())
      assert.same({1, 10}, m.running_mean:totable())
      m:evaluate()
      assert.near((5 - 1) / math.sqrt(m.running_var[1]), m:forward(torch.Tensor{{5, 10}})[1][1], 1e-12)
   end)
end)

describe('nn.LookupTable', function()
   it('never changes the row of its padding value', function()
      local m = nn.LookupTable(3, 2, 2)
      m:zeroGradParameters()
      local x = torch.LongTensor{1, 2}
      m:forward(x)
      m:backward(x, torch.ones(2, 2))
      assert.same({{1, 1}, {0, 0}, {0, 0}}, m.gradWeight:totable())
   end)
end)

describe('what classes derived from a layer may call', function()
   it('nn.LookupTable: packed input, fields of early versions', function()
      local m = nn.LookupTable(3, 2)
      local x = torch.LongTensor{{1, 2}, {3, 1}}
      assert.equal(x, m:makeInputContiguous(x))
      local packed = m:makeInputContiguous(x:t())
      assert.is_true(packed:isContiguous())
      assert.same({{1, 3}, {2, 1}}, packed:totable())
      m.paddingValue, m.normType = nil, nil
      m:backCompatibility()
      assert.same({0, 2}, {m.paddingValue, m.normType})
      m.paddingValue, m.normType, m.maxNorm = nil, nil, 1
      m.weight:fill(3)
      assert.near(1, m:forward(x:t()):select(1, 1):select(1, 1):norm(), 1e-6)
      m:scaleGradByFreq():zeroGradParameters()
      m:accGradParameters(x:t(), torch.ones(2, 2, 2))
      assert.same({{1, 1}, {1, 1}, {1, 1}}, m.gradWeight:totable())
   end)
   it('nn.LookupTable:accUpdateOnly changes the weight without a gradient', function()
      local m, x = nn.LookupTable(3, 2), torch.LongTensor{1, 3, 1}
      local net = nn.Sequential():add(m):add(nn.Linear(2, 2))
      assert.equal(m, m:accUpdateOnly())
      assert.is_nil(m:parameters())
      assert.equal(2, #net:parameters())
      net:zeroGradParameters()
      net:updateParameters(0.1)
      m.weight:fill(0)
      m:forward(x)
      m:backwardUpdate(x, torch.ones(3, 2), 0.5)
      assert.same({{-1, -1}, {0, 0}, {-0.5, -0.5}}, m.weight:totable())
      assert.is_nil(m.gradWeight)
      refuses('nn.LookupTable: there is no gradient after accUpdateOnly', function() m:backward(x, torch.ones(3, 2)) end)
   end)
   it('nn.Max, nn.Min: their buffers', function()
      for _, new in ipairs{nn.Max, nn.Min} do
         local m = new(1):float()
         m:_lazyInit()
         assert.equal('torch.FloatTensor', m._output:type())
         assert.equal('torch.LongTensor', m._indices:type())
         assert.same({2}, m:forward(torch.FloatTensor{2, 2}):totable())
      end
   end)
   it('nn.Threshold, nn.HardTanh: validateParameters', function()
      local m = nn.Threshold(0, 1)
      m:validateParameters()
      m.inplace = true
      refuses('in place the value must not be larger', function() m:validateParameters() end)
      local h = nn.HardTanh()
      h.min_val = 2
      refuses('max_value must be larger', function() h:validateParameters() end)
      local Mine, Threshold = torch.class('nn.MyThreshold', 'nn.Threshold', {})
      function Mine:validateParameters() self.asked = true end
      function Mine:__init() Threshold.__init(self, 0, 1, true) end
      assert.is_true(Mine.new().asked)
   end)
   it('nn.Module._flattenTensorBuffer: where parameters are collected', function()
      local kinds, made = nn.Module._flattenTensorBuffer, 0
      kinds['torch.FloatTensor'] = function()
         made = made + 1
         return torch.DoubleTensor()
      end
      local m = nn.Linear(2, 3):float()
      local before = m.weight:clone()
      local p, g = m:getParameters()
      kinds['torch.FloatTensor'] = nil
      assert.equal(2, made)
      assert.equal('torch.FloatTensor', p:type())
      assert.same({9, 9}, {p:nElement(), g:nElement()})
      assert.same(before:totable(), m.weight:totable())
      p:fill(7)
      assert.equal(7, m.weight[1][2])
   end)
end)

describe('nn.Convert', function()
   local x = torch.range(1, 24):view(2, 3, 4)
   it('builds a layer for the shapes once', function()
      local m = nn.Convert('bct', 'tbc')
      local y = m:forward(x)
      assert.same({4, 2, 3}, y:size():totable())
      assert.equal(x[2][3][1], y[1][2][3])
      assert.equal('nn.Transpose', torch.type(m.converter))
      local built = m.converter
      m:forward(x)
      assert.equal(built, m.converter)
      assert.same(x:totable(), m:backward(x, y):totable())
      assert.equal(1, #m:findModules 'nn.Transpose')
   end)
   it('gives its layers by name', function()
      local m = nn.Convert('tbc', 'bf')
      assert.same({3, 8}, m:bf():forward(x):size():totable())
      assert.same({3, 8}, m:bt():forward(x):size():totable())
      assert.same({4, 2, 3}, m:transpose 'ctb':forward(x):size():totable())
      refuses('nn.Convert: cannot make bf of tbc', function() m:default() end)
      refuses('nn.Convert: cannot make ctx of tbc', function() m:transpose 'ctx' end)
      refuses('nn.Convert: cannot make nil of tbc', function() m:transpose() end)
      assert.same({1, 2, 3}, nn.Convert('bf', 'b'):forward(torch.Tensor{{1}, {2}, {3}}):totable())
      assert.same({{1}, {2}}, nn.Convert('b', 'bt'):forward(torch.Tensor{1, 2}):totable())
      assert.same({{1, 2}}, nn.Convert('fb', 'bf'):forward(torch.Tensor{{1}, {2}}):totable())
   end)
   it('takes an input of another type', function()
      local m = nn.Convert('bct', 'bf'):float()
      assert.equal('torch.FloatTensor', m:forward(x:int()):type())
      m:clearState()
      assert.same({2, 12}, m:forward(x:int()):size():totable())
   end)
   it('lets derived classes convert to other shapes', function()
      local Mine = torch.class('nn.MyConvert', 'nn.Convert', {})
      function Mine.batches(self, input)
         assert.equal('bf', self.inputShape)
         assert.equal(2, input:dim())
         return nn.Sum(2)
      end
      assert.same({3, 7}, Mine.new('bf', 'batches'):forward(torch.Tensor{{1, 2}, {3, 4}}):totable())
   end)
   it('refuses shapes that cannot be', function()
      refuses('cannot make bcx of bcd', function() nn.Convert('cd', 'cx'):forward(torch.ones(2, 2)) end)
      refuses('an outputShape needs an inputShape', function() nn.Convert(nil, 'bc') end)
      refuses('cannot make bxy of bc', function() nn.Convert('bc', 'bxy'):forward(torch.ones(2, 2)) end)
      refuses('have one element for each sample', function() nn.Convert('bc', 'b'):forward(torch.ones(2, 2)) end)
      refuses('have the dimensions bc', function() nn.Convert('bc', 'b'):forward(torch.ones(2, 1, 1)) end)
      refuses('nn.Convert: bc has no dimension h', function() nn.Convert('bc', 'cb'):findAxis 'h' end)
      assert.is_nil(nn.Convert('bc', 'cb'):findAxis('h', nil, true))
   end)
end)
