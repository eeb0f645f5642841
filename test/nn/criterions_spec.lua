-- test/nn/criterions_spec.lua - what every criterion promises: known values, right gradients, refusal of wrong targets.
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local check = require 'test.support.gradcheck'

local cases, named = {}, {}

-- criterion('nn.MSECriterion()', input, target, loss): input and target are made by functions; loss may be nil.
local function criterion(new, input, target, loss, tol)
   named[new:match 'nn%.(%w+)'] = true
   cases[#cases + 1] = {new = new, input = input, target = target, loss = loss, tol = tol or 1e-6}
end

local function T(values) return function() return torch.DoubleTensor(values) end end
local function L(values) return function() return torch.LongTensor(values) end end
local function N(value) return function() return value end end
local function R(...)
   local sizes = {...}
   return function() return check.tensor(sizes) end
end
local function P(...)                                -- probabilities
   local sizes = {...}
   return function() return check.tensor(sizes, 0.1, 0.9) end
end
local function pair(a, b) return function() return {a(), b()} end end

criterion('nn.Criterion()', T{1, 2}, T{1, 2})
for _, average in ipairs{'', 'false'} do
   local n = average == '' and 2 or 1
   criterion('nn.MSECriterion(' .. average .. ')', T{1, 2}, T{3, -1}, 13 / n)
   criterion('nn.AbsCriterion(' .. average .. ')', T{1, 2}, T{3, -1}, 5 / n)
   criterion('nn.SmoothL1Criterion(' .. average .. ')', T{1, 2}, T{3, 1.5}, (1.5 + 0.125) / n)
   criterion('nn.BCECriterion(nil, ' .. (average == '' and 'true' or average) .. ')', T{0.25, 0.5}, T{1, 0},
      (math.log(4) + math.log(2)) / n)
   criterion('nn.ClassNLLCriterion(nil, ' .. (average == '' and 'true' or average) .. ')', T{{-1, -2}, {-3, -4}}, L{2, 1},
      5 / n)
end
criterion('nn.MSECriterion()', R(3, 4), R(3, 4))
criterion('nn.BCECriterion(torch.Tensor{1, 2, 3})', P(4, 3), P(4, 3))
criterion('nn.MultiLabelSoftMarginCriterion()', R(4, 3), P(4, 3))
criterion('nn.MultiLabelSoftMarginCriterion(torch.Tensor{1, 2, 3})', T{0, 0, 0}, T{1, 0, 1}, 2 * math.log(2))
criterion('nn.ClassNLLCriterion()', T{-1, -2, -3}, N(3), 3)
criterion('nn.ClassNLLCriterion(torch.Tensor{1, 3})', T{{-1, -2}, {-3, -4}}, L{2, 1}, (6 + 3) / 4)
criterion('nn.ClassNLLCriterion(nil, true, 2)', T{{-1, -2}, {-3, -4}}, L{2, 1}, 3)
criterion('nn.CrossEntropyCriterion()', T{0, 0}, N(1), math.log(2))
criterion('nn.CrossEntropyCriterion()', R(3, 4), L{1, 4, 2})
criterion('nn.SpatialClassNLLCriterion()', R(2, 3, 2, 2), L{{{1, 2}, {3, 1}}, {{2, 2}, {1, 3}}})
criterion('nn.DistKLDivCriterion()', T{math.log(0.5), math.log(0.5)}, T{1, 0}, math.log(2) / 2)
criterion('nn.HingeEmbeddingCriterion()', T{0.5, 0.25, 3}, T{1, -1, -1}, 1.25 / 3)
criterion('nn.L1HingeEmbeddingCriterion()', pair(T{1, 2}, T{2, 0}), N(1), 3)
criterion('nn.L1HingeEmbeddingCriterion(5)', pair(T{1, 2}, T{2, 0}), N(-1), 2)
criterion('nn.CosineEmbeddingCriterion()', pair(T{1, 0}, T{0, 1}), N(1), 1)
criterion('nn.CosineEmbeddingCriterion(0.1)', pair(R(5, 4), R(5, 4)), T{1, -1, 1, -1, 1})
criterion('nn.MarginCriterion()', T{0.5, -2, 3}, T{1, 1, -1}, (0.5 + 3 + 4) / 3)
criterion('nn.SoftMarginCriterion()', T{0, 0}, T{1, -1}, math.log(2))
criterion('nn.SoftMarginCriterion()', R(6), T{1, -1, 1, 1, -1, 1})
criterion('nn.MarginRankingCriterion(1)', pair(T{1, 2}, T{3, 1.5}), T{1, 1}, 1.75)
criterion('nn.MultiMarginCriterion()', T{1, 2, 3}, N(1), (2 + 3) / 3)
criterion('nn.MultiMarginCriterion(2, torch.Tensor{1, 2, 3}, 0.5)', R(4, 3), L{1, 3, 2, 2})
criterion('nn.MultiLabelMarginCriterion()', T{0.1, 0.2, 0.4, 0.8}, T{4, 1, 0, 2}, (0.4 + 0.6 + 1.1 + 1.3) / 4)
criterion('nn.L1Cost()', T{1, -2, 3}, N(nil), 6)
criterion('nn.DistanceRatioCriterion()', pair(T{1, 1}, T{1, 1}), N(nil), math.log(2))
criterion('nn.WeightedMSECriterion(torch.Tensor{1, 2})', T{1, 1}, T{2, 1}, 1)
criterion('nn.ClassSimplexCriterion(3)', R(4, 3), L{1, 3, 2, 2})
criterion('nn.SpatialAutoCropMSECriterion()', R(2, 2, 2), R(2, 4, 4))
criterion('nn.MultiCriterion():add(nn.MSECriterion(), 2):add(nn.AbsCriterion())', T{1, 2}, T{3, -1}, 13 + 2.5)
criterion('nn.ParallelCriterion():add(nn.MSECriterion(), 2):add(nn.AbsCriterion())', pair(T{1, 2}, T{0}), pair(T{3, -1}, T{1}),
   13 + 1)
criterion('nn.ParallelCriterion(true):add(nn.MSECriterion()):add(nn.AbsCriterion())', pair(R(3), R(3)), R(3))
criterion('nn.ModuleCriterion(nn.MSECriterion(), nn.Tanh(), nn.Abs())', R(3, 2), R(3, 2))
criterion('nn.HSM({{2, 1}, {1, 1}, {1, 2}, {2, 2}, {1, 3}}, 4)', R(5, 4), L{1, 5, 3, 3, 2})
criterion('nn.HSM(torch.LongTensor{{1, 1}, {1, 2}, {2, 1}}, 3, 2)', R(4, 3), L{2, 1, 3, 2})
criterion('nn.HSM({{1, 1}, {2, 1}}, 3)', R(3), N(2))
local words = N{{1, 3}, {}, {2, 2}}
criterion('nn.CTCCriterion()', T{{{0, 0, 0}}, {{0, 0, 0}}}, N{{1}}, math.log(3))
criterion('nn.CTCCriterion(true)', T{{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}}, L{{1, 3}}, 4.903828791875187)
criterion('nn.CTCCriterion(true, true)', T{{{0, 0}, {0, 0}}, {{0, 0}, {0, 0}}}, L{{1}, {0}}, (math.log(4 / 3) + math.log(4)) / 2)
criterion('nn.CTCCriterion()', R(5, 3, 4), words)
criterion('nn.CTCCriterion(true, true, 3)', R(3, 5, 4), words)
criterion('nn.CTCCriterion()', R(5, 4), N{2, 1})
criterion('nn.CTCCriterion(true)', R(5, 4), L{2, 1})

for _, case in ipairs(cases) do
   local function make()
      torch.manualSeed(5)
      return assert(loadstring('local nn, torch = ... return ' .. case.new))(nn, torch), case.input(), case.target()
   end
   describe(case.new, function()
      if case.loss then
         it('gives ' .. ('%.4g'):format(case.loss), function()
            local c, x, t = make()
            assert.near(case.loss, c:forward(x, t), 1e-9)
         end)
      end
      if case.new ~= 'nn.Criterion()' then
         it('has the gradient of its loss', function()
            local c, x, t = make()
            local off = check.criterion(c, x, t)
            assert(off <= case.tol, ('gradInput is off by %g'):format(off))
         end)
      end
      it('gives the same after clone, in float, and from a file', function()
         local c, x, t = make()
         local loss = c:forward(x, t) or 0
         local g = check.copy(c:backward(x, t))
         local copy = c:clone()
         assert.equal(loss, copy:forward(x, t) or 0)
         if g then assert.near(check.dot(g, g), check.dot(copy:backward(x, t), g), 1e-12) end
         assert.equal(loss, torch.deserialize(torch.serialize(c)):forward(x, t) or 0)
         local function float(v) return v:type() == 'torch.DoubleTensor' and v:float() or v end
         assert.near(loss, c:float():forward(nn.utils.map(x, float), nn.utils.map(t, float)) or 0, 1e-5)
      end)
      it('does not mind how its input lies in memory', function()
         local c, x, t = make()
         local loss = c:forward(x, t) or 0
         assert.near(loss, c:forward(check.strided(x), t) or 0, 1e-12)
      end)
   end)
end

describe('a criterion refuses', function()
   local function refuses(text, f)
      local ok, err = pcall(f)
      assert.is_false(ok)
      assert(tostring(err):find(text, 1, true), tostring(err))
   end
   it('targets of another size', function()
      local x = torch.ones(3)
      refuses('nn.BCECriterion: target must have as many elements as the input, 3, got 2', function()
         nn.BCECriterion():forward(x, torch.ones(2))
      end)
      refuses('nn.MarginCriterion: target must have as many elements as the input, 3, got 2', function()
         nn.MarginCriterion():forward(x, torch.ones(2))
      end)
      assert.is_false(pcall(function() nn.MSECriterion():forward(x, torch.ones(2)) end))
   end)
   it('classes that do not exist', function()
      for _, class in ipairs{0, 4, -1} do
         assert.is_false(pcall(function() nn.ClassNLLCriterion():forward(torch.zeros(3), class) end))
      end
      refuses('hold classes of 1..4, or 0', function()
         nn.MultiLabelMarginCriterion():forward(torch.ones(4), torch.Tensor{5, 0, 0, 0})
      end)
   end)
   it('an input that is no tensor, in a backward without a forward', function()
      for _, wrong in ipairs{5LL, 3, 'x', {}} do
         refuses('nn.MultiLabelMarginCriterion: input must be a vector or a matrix of scores, got', function()
            nn.MultiLabelMarginCriterion():backward(wrong, torch.ones(3))
         end)
      end
   end)
   it('targets that are no classes', function()
      refuses('nn.ClassNLLCriterion: target must be a number or a tensor of class numbers, got string', function()
         nn.ClassNLLCriterion():forward(torch.zeros(3), 'x')
      end)
   end)
   it('a weight that is no vector', function()
      refuses('weights must be a vector', function() nn.BCECriterion(torch.ones(2, 2)) end)
      refuses('weights must be a vector', function() nn.ClassNLLCriterion(torch.ones(2, 2)) end)
   end)
   it('what is no criterion', function()
      refuses('nn.MultiCriterion:add: expected a criterion, got number', function() nn.MultiCriterion():add(3) end)
   end)
end)

describe('every criterion', function()
   it('answers what makes no sense with an error of ours, or with a result', function()
      local wrong = {false, 3, 'x', {}, torch.Tensor(), torch.Tensor(0, 3), torch.ones(1), torch.ones(3), torch.ones(2, 3),
         torch.ones(1, 1, 1, 1, 1, 1), torch.LongTensor{1, 9}, torch.FloatTensor(3):zero(), {torch.ones(3)},
         {torch.ones(3), torch.ones(3)}, {1, 2}, {torch.ones(2, 3), torch.ones(2, 3)}}
      for _, case in ipairs(cases) do
         for _, x in ipairs(wrong) do
            for _, t in ipairs(wrong) do
               local c = assert(loadstring('local nn, torch = ... return ' .. case.new))(nn, torch)
               local ok, err = pcall(c.forward, c, x or nil, t or nil)
               if ok then ok, err = pcall(c.backward, c, x or nil, t or nil) end
               err = tostring(err):match '^[^\n]*'
               assert(ok or not (err:find 'attempt to' or err:find 'bad argument'), case.new .. ': ' .. err)
            end
         end
      end
   end)
end)

describe('nn.CrossEntropyCriterion', function()
   it('follows sizeAverage of itself and of its nll', function()
      local c, x, t = nn.CrossEntropyCriterion(), torch.zeros(4, 2), torch.LongTensor{1, 2, 1, 2}
      c.sizeAverage = false
      assert.near(4 * math.log(2), c:forward(x, t), 1e-12)
      c.nll.sizeAverage = true
      assert.near(math.log(2), c:forward(x, t), 1e-12)
   end)
end)

describe('this spec', function()
   it('has a case for every criterion of nn', function()
      local missing = {}
      for _, name in ipairs(check.classes 'nn.Criterion') do
         if not named[name] then missing[#missing + 1] = name end
      end
      assert.same({}, missing)
   end)
end)
