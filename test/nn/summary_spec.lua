-- test/nn/summary_spec.lua - nn.summary: the table of a net, its totals, what stays unchanged,
-- errors.
local torch = require 'torch'
local nn = require 'nn'
local drawn = require 'test.support.nn.random_cases'
local refuses = require 'test.support.refuses'

before_each(function() torch.manualSeed(3) end)

-- A class of a program; own.NAME() makes one.
local own = {}
local function layer(name, parent) return torch.class('summary_spec.' .. name, parent, own) end

local function small()
   return nn.Sequential()
      :add(nn.SpatialConvolution(1, 4, 3, 3, 1, 1, 1, 1))
      :add(nn.SpatialBatchNormalization(4))
      :add(nn.ReLU(true))
      :add(nn.ConcatTable():add(nn.Identity()):add(nn.Sequential():add(nn.Tanh())))
      :add(nn.CAddTable())
      :add(nn.View(-1):setNumInputDims(3))
      :add(nn.Linear(4 * 6 * 5, 3))
      :float()
end

local function column(t, key)
   local list = {}
   for i, row in ipairs(t) do list[i] = row[key] or '-' end
   return list
end

describe('nn.summary', function()
   it('prints layers, their outputs, their parameters and the totals', function()
      assert.equal(table.concat({
         'layer                                             output              parameters',
         'nn.Sequential                                     2x3',
         '  1 nn.SpatialConvolution(1 -> 4, 3x3, 1,1, 1,1)  2x4x6x5                     40',
         '  2 nn.SpatialBatchNormalization (4D) (4)         2x4x6x5                      8',
         '  3 nn.ReLU                                       2x4x6x5',
         '  4 nn.ConcatTable                                {2x4x6x5, 2x4x6x5}',
         '    1 nn.Identity                                 2x4x6x5',
         '    2 nn.Sequential                               2x4x6x5',
         '      1 nn.Tanh                                   2x4x6x5',
         '  5 nn.CAddTable                                  2x4x6x5',
         '  6 nn.View(-1)                                   2x120',
         '  7 nn.Linear(120 -> 3)                           2x3                        363',
         'input 2x1x6x5; parameters 411 (1.6 KB, torch.FloatTensor); outputs 3.8 KB',
      }, '\n'), tostring(nn.summary(small(), { 2, 1, 6, 5 })))
   end)
   it('has the same as fields', function()
      local t = nn.summary(small(), { 2, 1, 6, 5 })
      assert.same({ 411, 4 * 411, 4 * (4 * 240 + 6), '2x1x6x5', 'torch.FloatTensor' },
                  { t.parameters, t.parameterBytes, t.outputBytes, t.input, t.type })
      local paths = { '', '1', '2', '3', '4', '4.1', '4.2', '4.2.1', '5', '6', '7' }
      assert.same(paths, column(t, 'path'))
      assert.same({ 0, 1, 1, 1, 1, 2, 2, 3, 1, 1, 1 }, column(t, 'depth'))
      assert.same({ 0, 40, 8, 0, 0, 0, 0, 0, 0, 0, 363 }, column(t, 'parameters'))
      assert.equal('nn.Tanh', t[8].type)
      assert.same({ 2, 4, 6, 5 }, t[2].size)
      assert.same({ { 2, 4, 6, 5 }, { 2, 4, 6, 5 } }, t[5].size)
   end)
   it('takes sizes without a batch, and adds one where a layer needs it', function()
      local Batched = layer('Batched', 'nn.Module')
      function Batched:updateOutput(input)    -- luacheck: no self
         if input:dim() ~= 2 then error 'one sample' end
         return input
      end
      local t = nn.summary(nn.Sequential():add(nn.Linear(6, 4)):add(own.Batched()), { 6 })
      assert.equal('1x6', t.input)
      assert.same({ '1x4', '1x4', '1x4' }, column(t, 'output'))
      assert.equal('6', nn.summary(nn.Linear(6, 4), { 6 }).input)
   end)
   it('takes a LongStorage, a tensor and lists of these', function()
      assert.equal('5x6', nn.summary(nn.Linear(6, 4), torch.LongStorage { 5, 6 }).input)
      assert.equal('7x6', nn.summary(nn.Linear(6, 4), torch.FloatTensor(7, 6)).input)
      local words = nn.summary(nn.LookupTable(9, 3), torch.LongTensor { 8, 2 })
      assert.same({ '2x3' }, column(words, 'output'))
      local two = nn.ParallelTable():add(nn.Linear(2, 3)):add(nn.LookupTable(9, 3))
      local t = nn.summary(two, { { 4, 2 }, torch.LongTensor { 9 } })
      assert.equal('{4x2, 1}', t.input)
      assert.same({ '{4x3, 1x3}', '4x3', '1x3' }, column(t, 'output'))
   end)
   it('gives indices that a table of words accepts', function()
      assert.equal('5x3', nn.summary(nn.LookupTable(9, 3), { 5 })[1].output)
   end)
   it('follows the type of the net', function()
      for _, kind in ipairs { 'torch.FloatTensor', 'torch.DoubleTensor' } do
         local t = nn.summary(nn.Linear(6, 4):type(kind), torch.ones(2, 6))
         assert.equal(kind, t.type)
         assert.equal(28 * (kind:find 'Float' and 4 or 8), t.parameterBytes)
         assert.equal(8 * (kind:find 'Float' and 4 or 8), t.outputBytes)
      end
   end)
   it('takes the type of the layers where the container has another one', function()
      local net = nn.Sequential():add(nn.Linear(6, 4):float())
      assert.equal('torch.DoubleTensor', net:type())
      assert.equal('torch.FloatTensor', nn.summary(net, { 6 }).type)
   end)
   it('shows a graph of nngraph', function()
      require 'nngraph'
      local x = nn.Identity()()
      local sum = nn.CAddTable() { nn.Linear(3, 4)(x), nn.Tanh()(nn.Linear(3, 4)(x)) }
      local net = nn.gModule({ x }, { sum })
      local t = nn.summary(net, { 7, 3 })
      assert.equal(32, t.parameters)
      assert.equal('nn.gModule', t[1].name)
      assert.same({ '7x4', '7x3', '7x4', '7x4', '7x4', '7x4' }, column(t, 'output'))
      assert.equal(8 * 4 * 28, t.outputBytes)
   end)
   it('counts shared parameters once, and marks them', function()
      local layer = nn.Linear(3, 3)
      local net = nn.Sequential():add(layer):add(nn.Tanh()):add(layer)
         :add(nn.Linear(3, 3):share(layer, 'weight', 'bias'))
      local t = nn.summary(net, { 2, 3 })
      assert.equal(12, t.parameters)
      assert.same({ 0, 12, 0, 12, 12 }, column(t, 'parameters'))
      local shared = {}
      for i, row in ipairs(t) do shared[i] = row.shared end
      assert.same({ false, false, false, true, true }, shared)
      assert.matches('3 nn%.Linear%(3 %-> 3%)  2x3     12 %(shared%)\n', tostring(t))
   end)
   it('counts the memory of views and of layers that work in place once', function()
      local net = nn.Sequential():add(nn.Linear(4, 6)):add(nn.ReLU(true)):add(nn.View(2, 3))
      net:add(nn.Identity())
      assert.equal(8 * 5 * 6, nn.summary(net, { 5, 4 }).outputBytes)
      assert.equal(0, nn.summary(nn.Identity(), { 5, 4 }).outputBytes)
   end)
   it('shows a layer that does not run', function()
      local Half = layer('Half', 'nn.Container')
      function Half:updateOutput(input) return self.modules[2]:updateOutput(input) end
      local t = nn.summary(own.Half():add(nn.Linear(2, 2)):add(nn.Tanh()), { 2 })
      assert.same({ '2', '-', '2' }, column(t, 'output'))
      assert.matches('\n  1 nn.Linear%(2 %-> 2%)  %- +6\n', tostring(t))
   end)
   it('shows a container that computes by itself as one layer', function()
      local Quiet = layer('Quiet', 'nn.Container')
      function Quiet:updateOutput(input) return input end         -- luacheck: no self
      local net = nn.Sequential():add(own.Quiet():add(nn.Linear(2, 2))):add(nn.Tanh())
      local t = nn.summary(net, { 2 })
      assert.same({ '', '1', '2' }, column(t, 'path'))
      assert.same({ 0, 6, 0 }, column(t, 'parameters'))
      assert.equal(6, t.parameters)
   end)
   it('cuts the text of a layer at 44 characters', function()
      local t = nn.summary(nn.SpatialConvolution(256, 256, 3, 3, 1, 1, 1, 1), { 256, 3, 3 })
      assert.equal('nn.SpatialConvolution(256 -> 256, 3x3, 1,...', t[1].name)
   end)
end)

describe('nn.summary changes', function()
   it('no parameter, statistic, buffer or mode of the net', function()
      local net = small():training()
      net:forward(torch.FloatTensor(3, 1, 6, 5):uniform())
      local before, output = torch.serialize(net), net.output
      nn.summary(net, { 2, 1, 6, 5 })
      assert.is_true(before == torch.serialize(net))
      assert.is_true(output == net.output)
      assert.is_true(net:get(2).train)
      assert.is_nil(rawget(net:get(1), 'updateOutput'))
   end)
   it('no state of a sequence that a layer remembers', function()
      require 'nn.recurrent'
      local net = nn.Sequential():add(nn.LSTM(3, 2, 1, true, 0, true))
      net:forward(torch.rand(4, 5, 3))
      local before = torch.serialize(net)
      assert.equal('1x7x2', nn.summary(net, { 1, 7, 3 })[2].output)
      assert.is_true(before == torch.serialize(net))
   end)
   it('nothing when a layer refuses the input', function()
      local net = small()
      local before, random = torch.serialize(net), torch.getRNGState()
      assert.is_false(pcall(nn.summary, net, { 2, 1, 7, 5 }))
      assert.is_true(before == torch.serialize(net))
      assert.is_true(torch.equal(random, torch.getRNGState()))
   end)
   it('no random number, though a layer draws some', function()
      local Draw = layer('Draw', 'nn.Module')
      function Draw:updateOutput(input) return torch.rand(#input) end
      local state = torch.getRNGState()
      nn.summary(own.Draw(), { 3 })
      assert.is_true(torch.equal(state, torch.getRNGState()))
   end)
   it('nothing of any module of nn', function()
      local count, stdout = 0, print
      for _, case in ipairs(require 'test.support.nn.cases') do
         local m, inputs = drawn.make(case, 3)
         for _, form in ipairs(inputs) do
            rawset(_G, 'print', function() end)               -- nn.PrintSize prints
            m:forward(form[1])
            local before, random = torch.serialize(m), torch.getRNGState()
            local t = nn.summary(m, form[1])
            rawset(_G, 'print', stdout)
            assert(before == torch.serialize(m), case.new)
            assert(torch.equal(random, torch.getRNGState()), case.new)
            assert(t[1].output and #tostring(t) > 0, case.new)
            count = count + 1
         end
      end
      assert.is_true(count > 500)
   end)
   it('not the tensor that it gets', function()
      local x = torch.Tensor(4):fill(-1)
      nn.summary(nn.ReLU(true), x)
      assert.same({ -1, -1, -1, -1 }, x:totable())
   end)
end)

describe('nn.summary refuses', function()
   local WANTED = 'inputSize must be sizes, a LongStorage, a tensor, or a list of these, got '
   it('what is no module', function()
      refuses('nn.summary: net must be a module, got nil', nn.summary)
      refuses('nn.summary: net must be a module, got a number (3)', nn.summary, 3, { 1 })
      refuses('net must be a module, got a nn.MSECriterion', nn.summary, nn.MSECriterion(), { 1 })
   end)
   it('what is no size', function()
      local net = nn.Linear(2, 2)
      refuses(WANTED .. 'nil', nn.summary, net)
      refuses(WANTED .. 'a number (2)', nn.summary, net, 2)
      refuses(WANTED .. 'a string', nn.summary, net, '2x2')
      refuses(WANTED .. 'a table that is no such list', nn.summary, net, {})
      refuses(WANTED .. 'a table that is no such list', nn.summary, net, { x = 2 })
      refuses(WANTED .. 'a table that is no such list', nn.summary, net, { 2, x = 2 })
      refuses(WANTED .. 'a torch.FloatStorage', nn.summary, net, torch.FloatStorage { 2 })
      refuses(WANTED .. 'a torch.LongStorage', nn.summary, net, torch.LongStorage())
      local bad = { ['a number (0)'] = 0, ['a number (-1)'] = -1, ['a number (1.5)'] = 1.5,
         ['a number (nan)'] = 0 / 0, ['a number (inf)'] = math.huge, ['a string'] = 'x',
         ['a table'] = {} }
      for text, n in pairs(bad) do
         local why = 'nn.summary: size 2 of inputSize must be a whole number of at least 1, got '
         refuses(why .. text, nn.summary, net, { 2, n })
      end
   end)
   it('an input that does not fit into memory', function()
      refuses('nn.summary: inputSize must fit into memory, got 1000000x1000000x1000: ', nn.summary,
              nn.Abs(), { 1e6, 1e6, 1e3 })
      refuses('must have fewer than 2^53 elements, got 1000000x1000000x1000000', nn.summary,
              nn.Abs(), { 1e6, 1e6, 1e6 })
   end)
   it('a list and a net that hold themselves', function()
      local list = {}
      list[1] = list
      refuses('inputSize must have fewer than 100 lists in lists', nn.summary, nn.Abs(), list)
      local net = nn.Sequential()
      net:add(nn.Sequential():add(net))
      refuses('net must not hold itself, got nn.Sequential, which does', nn.summary, net, { 2 })
   end)
   it('sizes that a layer refuses, with the name of the layer', function()
      refuses('nn.summary: layer 7, nn.Linear, refuses an input of 2x168: nn.Linear(120 -> 3): ',
              nn.summary, small(), { 2, 1, 7, 6 })
      refuses('nn.summary: the net, nn.Linear, refuses an input of 3: nn.Linear(2 -> 2): ',
              nn.summary, nn.Linear(2, 2), { 3 })
      local inner = nn.Sequential():add(nn.Linear(9, 1))
      local net = nn.Sequential():add(nn.ConcatTable():add(nn.Identity()):add(inner))
      refuses('layer 1.2.1, nn.Linear, refuses an input of 4x8: ', nn.summary, net, { 4, 8 })
   end)
   it('sizes that a layer of a program refuses, with its message', function()
      local Picky = layer('Picky', 'nn.Module')
      function Picky:updateOutput(input) error('no ' .. input:dim()) end      -- luacheck: no self
      refuses('nn.summary: layer 1, summary_spec.Picky, refuses an input of 2x2: no 2', nn.summary,
              nn.Sequential():add(own.Picky()), { 2, 2 })
   end)
end)
