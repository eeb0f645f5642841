-- test/comm/split_spec.lua - nn.Linear and nn.LookupTable in parts on several ranks, compared with
-- the whole layer.
-- runs once
local nn = require 'nn'
local dist = require 'dist'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

local head = [[
require 'nn'
local r, n = dist.rank(), dist.size()
local function near(a, b) return a:isSameSizeAs(b) and (a - b):abs():max() < 1e-12 end
torch.manualSeed(5)
]]

-- Compares a layer `part` in parts with `whole`: outputs, gradients of input and parameters,
-- parameters, twice, then collect.
local compare = [[
local function compare(part, whole, x, g)
   local first = whole:clone()
   for _, f in ipairs { 'backward', 'apart' } do
      whole:zeroGradParameters()
      part:zeroGradParameters()
      assert(near(part:forward(x), whole:forward(x)))
      if f == 'backward' then
         assert(near(part:backward(x, g, 0.5), whole:backward(x, g, 0.5)))
      else
         assert(near(part:updateGradInput(x, g), whole:updateGradInput(x, g)))
         part:accGradParameters(x, g)
         whole:accGradParameters(x, g)
      end
      whole:updateParameters(0.1)
      part:updateParameters(0.1)
   end
   local again = part:collect()
   assert(torch.type(again) == torch.type(whole) and tostring(again) == tostring(whole))
   for i, p in ipairs(again:parameters()) do assert(near(p, whole:parameters()[i]) and not same(p, first:parameters()[i])) end
end
]]

describe('dist.ColumnLinear and dist.RowLinear', function()
   for n = 1, 4 do
      it(('compute on %d ranks what nn.Linear does, whatever the sizes'):format(n), function()
         ranks.ok(n, head .. compare .. [[
            for _, bias in ipairs { true, false } do
               for _, name in ipairs { 'ColumnLinear', 'RowLinear' } do
                  local whole = nn.Linear(7, 5, bias)
                  compare(dist[name](whole), whole, torch.randn(6, 7), torch.randn(6, 5))
                  compare(dist[name](whole), whole, torch.randn(7), torch.randn(5))
               end
            end]])
      end)
   end

   it('go together without sending what lies between them', function()
      ranks.ok(3, head .. [[
         local a, b = nn.Linear(4, 10), nn.Linear(10, 3)
         local whole = nn.Sequential():add(a:clone()):add(nn.Tanh()):add(b:clone())
         local part = nn.Sequential():add(dist.ColumnLinear(a, { gather = false })):add(nn.Tanh())
            :add(dist.RowLinear(b, { split = false }))
         local x, g = torch.randn(5, 4), torch.randn(5, 3)
         assert(near(part:forward(x), whole:forward(x)) and near(part:backward(x, g), whole:backward(x, g)))
         assert(part:get(1).output:size(2) == ({ 4, 3, 3 })[r + 1])
         local _, grads = part:parameters()
         assert(near(grads[4], b.gradBias + whole:get(3).gradBias))
         local p, d = part:getParameters()
         p:add(-0.1, d)
         whole:updateParameters(0.1)
         local plain = dist.collect(part)
         assert(torch.type(plain:get(1)) == 'nn.Linear' and torch.type(part:get(1)) == 'dist.ColumnLinear')
         assert(near(plain:forward(x), whole:forward(x)))
         says('dist.ColumnLinear: a part of a layer cannot be saved: save what dist.collect(model) returns', torch.save, os.tmpname(), part)
         torch.save(os.tmpname(), plain)
         assert(near(part:clone():forward(x), whole:forward(x)))]])
   end)

   it('begin with the numbers that the first rank draws, and convert', function()
      ranks.ok(3, [[
         require 'nn'
         torch.manualSeed(dist.rank())
         local part = dist.ColumnLinear(4, 6):float()
         local own = part:collect()
         torch.manualSeed(0)
         assert(same(own.weight, nn.Linear(4, 6):float().weight) and own:type() == 'torch.FloatTensor')
         torch.manualSeed(dist.rank() + 7)
         part:reset(0.5)
         local row = dist.RowLinear(6, 4)
         torch.manualSeed(7)
         assert(part:collect().weight:dist(nn.Linear(4, 6):float():reset(0.5).weight) == 0 or dist.rank() > 0)
         assert(same(dist.allgather(row:collect().bias)[1], row:get(2).bias))
         local table, layer = nn.LookupTable(4, 4), nn.Linear(4, 4)
         local drawn = torch.getRNGState()
         dist.RowLookupTable(table):collect()
         dist.ColumnLookupTable(table):collect()
         dist.RowLinear(layer):collect()
         dist.ColumnLinear(layer):collect()
         assert(same(drawn, torch.getRNGState()))
         assert(part:forward(torch.FloatTensor(2, 4):fill(1)):type() == 'torch.FloatTensor')]])
   end)

   it('train beside data parallelism: 4 ranks, 2 copies of 2 parts', function()
      ranks.ok(4, head .. [[
         local data, parts = dist.mesh(2, 2)
         local a, b = nn.Linear(4, 7), nn.Linear(7, 3)
         local whole = nn.Sequential():add(a:clone()):add(nn.Tanh()):add(b:clone())
         local net = dist.DataParallel(nn.Sequential():add(dist.ColumnLinear(a, { gather = false, group = parts })):add(nn.Tanh())
            :add(dist.RowLinear(b, { split = false, group = parts })), { group = data })
         local x, t, c = torch.randn(8, 4), torch.randn(8, 3), nn.MSECriterion()
         local first = 1 + 4 * data:rank()
         for step = 1, 5 do
            whole:zeroGradParameters()
            net:zeroGradParameters()
            c:forward(whole:forward(x), t)
            whole:backward(x, c:backward(whole.output, t))
            local mine, its = x:narrow(1, first, 4), t:narrow(1, first, 4)
            c:forward(net:forward(mine), its)
            net:backward(mine, c:backward(net.output, its))
            whole:updateParameters(0.1)
            net:updateParameters(0.1)
         end
         assert(near(dist.collect(net:get(1)):forward(x), whole:forward(x)))]])
   end)

   it('lie in a pipeline too, which is gathered whole', function()
      ranks.ok(4, head .. [[
         local stages, parts = dist.mesh(2, 2)
         local a, b, c = nn.Linear(4, 6), nn.Linear(6, 3), nn.MSECriterion()
         local whole = nn.Sequential():add(a:clone()):add(nn.Tanh()):add(b:clone())
         local model = nn.Sequential():add(dist.ColumnLinear(a, { group = parts })):add(nn.Tanh())
            :add(dist.RowLinear(b, { group = parts }))
         local pipe = dist.Pipeline(model, { criterion = c, micro = 2, group = stages })
         local x, t = torch.randn(8, 4), torch.randn(8, 3)
         local loss = c:forward(whole:forward(x), t)
         whole:backward(x, c:backward(whole.output, t))
         assert(math.abs(pipe:forwardBackward(x, t) - loss) < 1e-12)
         whole:updateParameters(0.1)
         pipe:updateParameters(0.1)
         local again = pipe:collect()
         assert(tostring(again) == tostring(whole) and near(again:forward(x), whole:forward(x)))]])
   end)

   it('refuse what makes no sense, on all ranks', function()
      ranks.ok(3, head .. [[
         local odd = r == 2
         local column, row = dist.ColumnLinear, dist.RowLinear
         says('dist.ColumnLinear: 2 outputs for 3 ranks: each needs at least one', column, 5, 2)
         says('dist.RowLinear: 2 inputs for 3 ranks: each needs at least one', row, 2, 5)
         says('the ranks differ in size 1 of weight: rank 0 has 4, rank 2 5', column, 5, odd and 5 or 4)
         says('the ranks differ in having a bias: rank 0 has 1, rank 2 0', row, 5, 4, not odd)
         says('inputSize must be a whole number from 1, got a number (0)', column, odd and 0 or 5, 4)
         local a, b = column(6, 4), row(6, 4)
         says('input must be a matrix with 6 columns', a.forward, a, torch.ones(2, 5))
         says('input must have 6 columns, got 2x5', b.forward, b, torch.ones(2, 5))
         a:forward(torch.ones(2, 6))
         says('gradOutput must have 4 columns, got 2x3', a.backward, a, torch.ones(2, 6), torch.ones(2, 3))
         says('the numbers of elements differ', b.forward, b, torch.ones(odd and 2 or 3, 6))
         assert(b:forward(torch.ones(2, 6)):size(2) == 4)]])
      dist.init()
      refuses('dist.ColumnLinear: outputSize must be a whole number from 1, got nil', dist.ColumnLinear, 3)
      refuses('dist.RowLinear: bias must be true or false, got a number (1)', dist.RowLinear, 3, 2, 1)
      refuses('dist.RowLinear: there is no option gather', dist.RowLinear, nn.Linear(3, 2), { gather = false })
      refuses('dist.ColumnLinear: gather must be true or false, got a number (1)', dist.ColumnLinear, 3, 2, true, { gather = 1 })
      refuses('dist.ColumnLinear: options must be a table, got a number (4)', dist.ColumnLinear, 3, 2, true, 4)
      refuses('dist.ColumnLinear: group must be a group made by dist.group', dist.ColumnLinear, 3, 2, true, { group = {} })
      refuses('dist.ColumnLinear: argument 1 must be an nn.Linear or a size, got a nn.Tanh', dist.ColumnLinear, nn.Tanh())
      refuses('dist.collect: model must be a module, got nil', dist.collect)
   end)
end)

describe('dist.RowLookupTable and dist.ColumnLookupTable', function()
   for n = 1, 4 do
      it(('look up on %d ranks what nn.LookupTable does'):format(n), function()
         ranks.ok(n, head .. compare .. [[
            for _, name in ipairs { 'RowLookupTable', 'ColumnLookupTable' } do
               local whole = nn.LookupTable(9, 5, 4)
               local x = torch.LongTensor{ { 1, 9, 4 }, { 2, 2, 7 } }
               compare(dist[name](whole), whole, x, torch.randn(2, 3, 5))
               compare(dist[name](whole), whole, torch.Tensor{ 3, 3, 3, 4 }, torch.randn(4, 5))
               compare(dist[name](whole:scaleGradByFreq()), whole, x:int(), torch.randn(2, 3, 5))
               assert(same(dist[name](whole):forward(x), whole:forward(x)))
            end
            local whole = nn.LookupTable(9, 5, 0, 0.5)
            compare(dist.RowLookupTable(whole), whole, torch.LongTensor{ 8, 1, 8 }, torch.randn(3, 5))
            local own = dist.ColumnLookupTable(9, 5, { gather = false })
            assert(own:forward(torch.LongTensor{ 2 }):size(2) == own:get(1).weight:size(2))
            own:backward(torch.LongTensor{ 2 }, own.output)]])
      end)
   end

   it('refuse what makes no sense', function()
      ranks.ok(2, head .. [[
         local t = dist.RowLookupTable(5, 3)
         says('dist.RowLookupTable: 1 rows for 2 ranks: each needs at least one', dist.RowLookupTable, 1, 3)
         says('input must hold numbers of 1..5, got 6', t.forward, t, torch.LongTensor{ 1, 6 })
         says('input must hold numbers of 1..5, got 0', t.forward, t, torch.LongTensor{ 0 })
         says('input must be a vector or a matrix of numbers, got nil', t.forward, t)
         says('input must be a LongTensor', t.forward, t, torch.HalfTensor{ 1 })
         t:forward(torch.LongTensor{ 1, 5 })
         says('gradOutput must have 6 elements, got 3', t.backward, t, torch.LongTensor{ 1, 5 }, torch.ones(3))
         t:reset()
         assert(same(dist.allgather(t:collect().weight)[1], t:collect().weight))]])
      dist.init()
      refuses('dist.ColumnLookupTable: maxNorm needs whole rows', dist.ColumnLookupTable, nn.LookupTable(3, 2, 0, 1))
      refuses('dist.RowLookupTable: the table has no gradient', dist.RowLookupTable, nn.LookupTable(3, 2):accUpdateOnly())
      refuses('dist.RowLookupTable: nOutput must be a whole number from 1, got nil', dist.RowLookupTable, 3)
      refuses('argument 1 must be an nn.LookupTable or a number of rows, got a nn.Tanh', dist.RowLookupTable, nn.Tanh())
      refuses('dist.RowLookupTable: there is no option gather', dist.RowLookupTable, 3, 2, { gather = true })
   end)
end)

describe('layers in parts', function()
   it('take a step without gradients kept, as the whole layer does, and keep their gradients', function()
      ranks.ok(2, head .. [[
         local words = torch.LongTensor { 1, 5, 2 }
         for _, case in ipairs { { 'ColumnLinear', nn.Linear(4, 5), torch.randn(3, 4) },
            { 'RowLinear', nn.Linear(4, 5), torch.randn(3, 4) }, { 'RowLookupTable', nn.LookupTable(6, 5), words },
            { 'ColumnLookupTable', nn.LookupTable(6, 5), words } } do
            local part, whole, x, g = dist[case[1] ](case[2]), case[2], case[3], torch.randn(3, 5)
            local first, net = whole.weight:clone(), nn.Sequential():add(part)
            net:forward(x)
            whole:forward(x)
            net:backwardUpdate(x, g, 0.1)
            whole:backwardUpdate(x, g, 0.1)
            assert(near(part:collect().weight, whole.weight) and not near(first, whole.weight), case[1])
            assert(not whole.bias or near(part:collect().bias, whole.bias))
            local _, grads = net:parameters()
            for _, d in ipairs(grads) do assert(d:eq(0):all()) end
            if torch.isTypeOf(whole, 'nn.Linear') then
               says('gradOutput', part.accUpdateGradParameters, part, x, torch.ones(3, 9), 0.1)
               assert(near(part:collect().weight, whole.weight))
            end
         end]])
   end)

   it('refuse tables that the ranks give other paddings or norms', function()
      ranks.ok(2, head .. [[
         says('the ranks differ in maxNorm: rank 0 has 0, rank 1 1', dist.RowLookupTable, nn.LookupTable(5, 2, 0, r == 1 and 1 or nil))
         says('the ranks differ in paddingValue', dist.ColumnLookupTable, nn.LookupTable(5, 2, r))
         says('input must be a vector or a matrix of numbers', function()
            dist.RowLookupTable(5, 2):accGradParameters(nil, torch.ones(2, 2))
         end)]])
   end)

   it('are collected without dist.DataParallel around them', function()
      ranks.ok(2, head .. [[
         local data, parts = dist.mesh(1, 2)
         local net = nn.Sequential():add(dist.ColumnLinear(3, 2, true, { group = parts }))
         assert(torch.type(dist.collect(dist.DataParallel(net, { group = data }))) == 'nn.Sequential')
         assert(torch.type(dist.collect(dist.DataParallel(net, { group = data })):get(1)) == 'nn.Linear')
         says('dist.DataParallel: a group cannot be saved: save the model', torch.save, os.tmpname(), dist.DataParallel(net, { group = data }))]])
   end)
end)

teardown(temporary.remove)
