-- test/comm/split_errors_spec.lua - an error on one rank in layers in parts, or beside them in a pipeline:
-- all ranks learn of it immediately, and continue. A rank that waited until the timeout would
-- report that instead, and the job would be broken.
-- runs once
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'

describe('a layer in parts', function()
   it('raises on all ranks what goes wrong in a pass on one, with its number, and works afterwards', function()
      ranks.ok(3, [[
         require 'nn'
         local r = dist.rank()
         local x, g, words = torch.randn(4, 6), torch.randn(4, 5), torch.LongTensor { 1, 4, 2 }
         local passes = { 'forward', 'updateGradInput', 'accGradParameters', 'backward', 'accUpdateGradParameters' }
         local function try(layer, pass, input, gradOutput, badInput, badGradOutput, text)
            local who = torch.type(layer)
            if r == 1 then input, gradOutput = badInput, badGradOutput end
            says(r == 1 and text or who .. ': rank 1: ', layer[pass], layer, input, gradOutput, 0.1)
            says(text, layer[pass], layer, input, gradOutput, 0.1)
         end
         for _, case in ipairs { { 'ColumnLinear', { gather = true } }, { 'ColumnLinear', { gather = false } },
            { 'RowLinear', { split = true } }, { 'RowLinear', { split = false } } } do
            local layer = dist[case[1] ](6, 5, true, case[2])
            local input = case[2].split == false and x:narrow(2, 1 + 2 * r, 2) or x
            layer:forward(input)
            local gradOutput = case[2].gather == false and layer.output:clone() or g
            for i, pass in ipairs(passes) do
               if i == 1 then try(layer, pass, input, nil, torch.randn(4, 7), nil, 'got 4x7')
               else try(layer, pass, input, gradOutput, input, torch.randn(4, 7), 'must have ') end
            end
            local y = layer:forward(input):clone()
            layer:backward(input, gradOutput)
            assert(same(y, layer:forward(input)))
         end
         for _, name in ipairs { 'RowLookupTable', 'ColumnLookupTable' } do
            local layer = dist[name](4, 5)
            g = torch.randn(3, 5)
            layer:forward(words)
            for _, pass in ipairs(passes) do
               if pass ~= 'updateGradInput' then
                  try(layer, pass, words, g, torch.LongTensor { 1, 5, 2 }, g, '1..4')
                  try(layer, pass, words, g, torch.DoubleTensor { 1, 0 / 0, 2 }, g, '1..4')
               end
            end
            layer:forward(words)
            layer:backward(words, g)
         end]])
   end)

   it('tells the text of the rank, without its traceback, and keeps the parameters', function()
      ranks.ok(2, [[
         require 'nn'
         local layer = dist.RowLinear(4, 2)
         local before = layer:collect().weight
         local ok, why = pcall(layer.forward, layer, torch.ones(2, 4 + dist.rank()))
         assert(not ok)
         if dist.rank() == 0 then
            assert(why:find '^dist.RowLinear: rank 1: ', why)
            assert(why:find 'RowLinear%(4 .. 2, columns 2 of 2%): input must have 4 columns, got 2x5$', why)
         end
         assert(same(before, layer:collect().weight))]])
   end)
end)

-- Two pipelines (ranks 0 2 and 1 3) of two stages; each stage has a layer in parts between two
-- layers that can be made to fail.
local pipelines = [[
require 'nn'
local r = dist.rank()
local stages, parts = dist.mesh(2, 2)
local plan, calls = {}, {}
local Fails, Identity = torch.class('nn.Fails', 'nn.Identity')
function Fails:__init(place) Identity.__init(self) self.place = place end
local function see(self, pass)
   local key = pass .. self.place
   calls[key] = (calls[key] or 0) + 1
   if plan.rank == r and plan.key == key and plan.call == calls[key] then error('bad luck at ' .. key) end
end
function Fails:updateOutput(input) see(self, 'forward') return Identity.updateOutput(self, input) end
function Fails:updateGradInput(input, g) see(self, 'backward') return Identity.updateGradInput(self, input, g) end
torch.manualSeed(3)
local a, b, c = nn.Linear(2, 4), nn.Linear(4, 2), nn.MSECriterion()
local whole = nn.Sequential():add(a:clone()):add(b:clone())
local function pipeline(micro, schedule)
   local net = nn.Sequential():add(nn.Fails(1)):add(dist.ColumnLinear(a, { group = parts })):add(nn.Fails(2))
      :add(nn.Fails(3)):add(dist.RowLinear(b, { group = parts })):add(nn.Fails(4))
   return dist.Pipeline(net, { criterion = c, micro = micro, schedule = schedule, group = stages, stages = { 3, 3 } })
end
local x, t = torch.range(1, 12):view(6, 2), torch.ones(6, 2)
local loss = c:forward(whole:forward(x), t)
local function good(pipe)
   plan = {}
   assert(math.abs(pipe:forwardBackward(x, t) - loss) < 1e-9)
end
]]

describe('a pipeline with layers in parts', function()
   for _, schedule in ipairs { '1f1b', 'gpipe' } do
      it('makes an error of any layer, in any pass of any micro-batch, one on the ranks of all pipelines: ' .. schedule, function()
         ranks.ok(4, pipelines .. ([[
            for _, micro in ipairs { 1, 3 } do
               local pipe = pipeline(micro, '%s')
               for bad = 0, 3 do
                  for place = 1 + 2 * math.floor(bad / 2), 2 + 2 * math.floor(bad / 2) do
                     for _, pass in ipairs { 'forward', 'backward' } do
                        for call = 1, micro, 2 do
                           plan, calls = { rank = bad, key = pass .. place, call = call }, {}
                           says(r == bad and 'bad luck at ' .. plan.key or 'dist.Pipeline: rank ' .. bad .. ': ',
                              pipe.forwardBackward, pipe, x, t)
                           says('bad luck', function() calls = {} pipe:forwardBackward(x, t) end)
                        end
                     end
                  end
               end
               good(pipe)
            end]]):format(schedule))
      end)
   end

   it('hears of an error in a layer in parts as of others, where ranks fail at the same time too', function()
      ranks.ok(4, pipelines .. [[
         local pipe = pipeline(3)
         local narrow = torch.ones(6, 3)                               -- too wide for the layer in parts of the first stage
         says(r == 1 and 'matrix with 2 columns' or 'rank 1: ', pipe.forwardBackward, pipe, r == 1 and narrow or x, t)
         says('matrix with 2 columns', pipe.forwardBackward, pipe, r == 1 and narrow or x, t)
         says('matrix with 2 columns', pipe.forwardBackward, pipe, narrow, t)
         plan, calls = { rank = r, key = r < 2 and 'forward2' or 'forward3', call = 1 }, {}
         says('bad luck', pipe.forwardBackward, pipe, x, t)
         good(pipe)]])
   end)

   it('continues after a rank failed while its partner was in an operation', function()
      ranks.ok(4, pipelines .. [[
         local pipe, real, count = pipeline(3), dist.allgather, 0
         for bad = 0, 3 do
            count = 0
            function dist.allgather(x, options)
               if x:dim() == 2 then                                        -- columns of a layer in parts, without agreement
                  count = count + 1
                  if r == bad and count == 2 then error 'no memory left' end
               end
               return real(x, options)
            end
            local ok, why = pcall(pipe.forwardBackward, pipe, x, t)
            dist.allgather = real
            assert(not ok and (r ~= bad or why:find 'no memory left'), why)
            good(pipe)
         end]])
   end)
end)

teardown(temporary.remove)
