-- test/torch/torch7_faults_spec.lua - faults of Torch7 that must not return: crashes, missing checks, results that were arguments.
local torch = require 'torch'
local nn = require 'nn'
local optim = require 'optim'
local xlua = require 'xlua'
local refuses = require 'test.support.refuses'

local function gives(want, x) assert.same(want, x:totable()) end
local function draw(...) return torch.rand(...):add(-0.5) end
local function near(a, b) assert.is_true((a - b):abs():max() < 1e-12) end

describe('what ended the process in Torch7', function()
   it('is an error or a number: whole numbers divided by 0', function()
      for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long' } do
         local x = torch[name .. 'Tensor'] { 7, 3 }
         for _, method in ipairs { 'div', 'fmod', 'remainder' } do
            for _, by in ipairs { 0, x:clone():zero() } do
               local f = x[by == 0 and method or 'c' .. method]
               local ok, why = pcall(f, x:clone(), by)
               assert.is_true(ok or tostring(why):find(method, 1, true) ~= nil, tostring(why))
            end
         end
      end
   end)
   it('is an error or a number: the least number divided by -1', function()
      for name, bits in pairs { Int = 32, Long = 64 } do
         local x = torch[name .. 'Tensor'] { 1 }:lshift(bits - 1)
         assert.is_true(x[1] < 0)
         for _, method in ipairs { 'div', 'fmod', 'remainder' } do assert(pcall(x[method], x:clone(), -1)) end
      end
   end)
   it('is an error: a histogram without bins', function()
      refuses('histc', torch.histc, torch.Tensor { 1, 2 }, 0)
   end)
   it('is a file that can be read: an empty CharStorage', function()
      local f = torch.MemoryFile(torch.CharStorage(), 'r')
      assert.is_false(pcall(f.readInt, f))
   end)
end)

describe('what Torch7 did not check', function()
   it('is refused', function()
      refuses('histc', torch.histc, torch.Tensor { 1, 2 }, 3, 5, 1)
      refuses('multinomial', torch.multinomial, torch.Tensor { 1, -1 }, 1)
      refuses('size', torch.Tensor, -1)
      local state = torch.multinomialAliasSetup(torch.Tensor { 0.5, 0.5 })
      state[1][1] = 1000
      local ok, drawn = pcall(torch.multinomialAlias, torch.LongTensor(20), state)
      assert.is_true(not ok or (drawn:min() >= 1 and drawn:max() <= 2))
   end)
end)

describe('what returned its last argument in Torch7', function()
   it('returns the result', function()
      local x, i = torch.zeros(3), torch.LongTensor { 2 }
      assert(rawequal(x, x:indexCopy(1, i, torch.ones(1))))
      assert(rawequal(x, x:indexAdd(1, i, torch.ones(1))))
      assert(rawequal(x, x:indexFill(1, i, 5)))
      assert(rawequal(x, x:maskedFill(torch.ByteTensor { 1, 0, 0 }, 4)))
      gives({ 4, 5, 0 }, x)
      local y = torch.Tensor()
      assert(rawequal(y, y:index(x, 1, i)))
      assert(rawequal(y, y:maskedSelect(x, torch.ByteTensor { 1, 1, 0 })))
      gives({ 4, 5 }, y)
   end)
end)

describe('what refused a result of another size or type in Torch7', function()
   it('resizes it', function()
      local a = torch.ones(2, 2)
      gives({ { 2, 2 }, { 2, 2 } }, torch.mm(torch.Tensor(), a, a))
      gives({ 2, 2 }, torch.mv(torch.Tensor(7), a, torch.ones(2)))
      gives({ { { 2, 2 }, { 2, 2 } } }, torch.bmm(torch.Tensor(1), a:view(1, 2, 2), a:view(1, 2, 2)))
      gives({ { 1, 1 }, { 1, 1 } }, torch.ger(torch.Tensor(), torch.ones(2), torch.ones(2)))
      gives({ { 1 }, { 1 } }, torch.gather(torch.Tensor(3), a, 2, torch.LongTensor { { 1 }, { 2 } }))
      gives({ 1, 0 }, torch.lt(torch.ByteTensor(), torch.Tensor { 1, 2 }, 1.5))
      gives({ { 2 } }, torch.nonzero(torch.LongTensor(), torch.Tensor { 0, 3 }))
   end)
   it('compares whole numbers with the number itself, not with its whole part', function()
      gives({ 0, 0 }, torch.IntTensor { 2, 3 }:eq(2.5))
   end)
end)

describe('what modules of Torch7 got wrong', function()
   it('SpatialDepthWiseConvolution keeps height and width apart', function()
      assert.same({ 2, 5, 3 }, nn.SpatialDepthWiseConvolution(2, 1, 3, 1):forward(draw(2, 5, 5)):size():totable())
   end)
   it('TemporalRowConvolution without bias gives the same each time', function()
      local m, x = nn.TemporalRowConvolution(3, 2):noBias(), draw(5, 3)
      local y = m:forward(x):clone()
      near(m:forward(x), y)
   end)
   it('WeightNorm and LinearWeightNorm leave the weight as it is when gradients are collected', function()
      for _, m in ipairs { nn.WeightNorm(nn.Linear(3, 2)), nn.LinearWeightNorm(3, 2) } do
         local x = draw(4, 3)
         local y = m:forward(x):clone()
         m:backward(x, draw(4, 2))
         near(m:forward(x), y)
      end
   end)
   it('SparseLinear clears its state and has a gradInput of numbers', function()
      local m, x = nn.SparseLinear(4, 2), torch.Tensor { { 1, 0.5 }, { 3, 1 } }
      m:forward(x)
      local g = m:updateGradInput(x, torch.ones(2))
      assert.is_true(not torch.isTensor(g) or g:nElement() == 0 or g:eq(g):all())
      assert(rawequal(m, m:clearState()))
   end)
   it('IndexLinear goes back through one sample without doGradInput', function()
      local m = nn.IndexLinear(4, 2)
      local x = { torch.LongTensor { 1, 3 }, torch.Tensor { 0.5, 1 } }
      m:forward(x)
      m:backward(x, torch.ones(2))
   end)
   it('PartialLinear works without bias and on a vector', function()
      local m = nn.PartialLinear(3, 2, false)
      assert.equal(2, m:forward(draw(3)):nElement())
      m:backward(draw(3), draw(2))
   end)
   it('SpatialAutoCropMSECriterion goes back when the target is larger', function()
      local c, x = nn.SpatialAutoCropMSECriterion(), draw(1, 1, 4, 4)
      local y = draw(1, 1, 6, 6)
      c:forward(x, y)
      assert.same({ 1, 1, 4, 4 }, c:backward(x, y):size():totable())
   end)
   it('FeatureLPPooling prints itself and works without batch_mode', function()
      local m = nn.FeatureLPPooling(2, 2, 2)
      assert.truthy(tostring(m):find 'FeatureLPPooling')
      assert.equal(2, m:forward(draw(4)):nElement())
   end)
   it('TemporalSubSampling and SpatialFullConvolutionMap take batches', function()
      assert.equal(2, tonumber(nn.TemporalSubSampling(3, 2):forward(draw(2, 5, 3)):size(1)))
      assert.equal(2, tonumber(nn.SpatialFullConvolutionMap(nn.tables.full(1, 2), 3, 3):forward(draw(2, 1, 4, 4)):size(1)))
   end)
   it('second derivatives begin at zero', function()
      nn.hessian.enable()
      torch.Tensor(6):fill(7)
      collectgarbage()
      local m = nn.Linear(3, 2)
      m:initDiagHessianParameters()
      assert.equal(0, m.diagHessianWeight:abs():sum() + m.diagHessianBias:abs():sum())
   end)
   it('no constructor leaves chance in what is saved', function()
      for _, make in ipairs { function() return nn.Linear(3, 2) end, function() return nn.SpatialConvolution(2, 3, 3, 3) end,
         function() return nn.LookupTable(5, 2) end, function() return nn.Add(3) end, function() return nn.CMul(3) end } do
         torch.manualSeed(3)
         local a = torch.serialize(make())
         torch.Tensor(1000):fill(0 / 0)
         collectgarbage()
         torch.manualSeed(3)
         assert.equal(a, torch.serialize(make()))
      end
   end)
end)

describe('other faults of Torch7', function()
   it('optim.de starts from the best individual', function()
      torch.manualSeed(1)
      local function f(x) return (x - 1):pow(2):sum() end
      local x = optim.de(f, torch.zeros(2), { popsize = 20, maxFEval = 600, scaleFactor = 0.5, crossoverRate = 0.9 })
      assert.is_true(f(x) < 1)
   end)
   it('xlua.installed and string.tosymbol work', function()
      assert.is_boolean(not not xlua.installed 'torch')
      assert.is_true(pcall(function() return ('a b'):tosymbol() end))
   end)
   it('CmdLine:string ends with the prefix where nothing has changed', function()
      local cmd = torch.CmdLine()
      cmd:option('-a', 1, 'a number')
      assert.is_nil(cmd:string('run', cmd:parse {}, {}):find '[,_]$')
   end)
end)
