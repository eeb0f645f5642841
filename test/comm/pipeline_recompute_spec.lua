-- test/comm/pipeline_recompute_spec.lua - dist.Pipeline with checkpoint = true: recompute gives the same
-- bits.
-- runs once
local nn = require 'nn'
local dist = require 'dist'
local ranks = require 'test.support.comm.ranks'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

-- Layers that draw random numbers, keep estimates and write into their input; `Seen` counts its
-- calls and the replicas that are called.
local head = [[
require 'nn'
local r, n = dist.rank(), dist.size()
local Seen, Identity = torch.class('nn.Seen', 'nn.Identity')
local calls, copies = 0, {}
function Seen:updateOutput(x)
   calls, copies[self] = calls + 1, true
   return Identity.updateOutput(self, x)
end
local function seen()
   local c, k = calls, 0
   for _ in pairs(copies) do k = k + 1 end
   calls, copies = 0, {}
   return c, k
end
local function model()
   torch.manualSeed(3)
   return nn.Sequential():add(nn.MulConstant(2, true)):add(nn.Linear(4, 6)):add(nn.BatchNormalization(6)):add(nn.Dropout(0.3))
      :add(nn.Seen()):add(nn.MulConstant(3, true)):add(nn.ReLU(true)):add(nn.Dropout(0.5, true)):add(nn.Linear(6, 6)):add(nn.Seen())
      :add(nn.Dropout(0.2, false, true)):add(nn.BatchNormalization(6)):add(nn.Linear(6, 2)):add(nn.Seen())
end
local c = nn.MSECriterion()
torch.manualSeed(5)
local x, t = torch.randn(23, 4), torch.randn(23, 2)
]]

describe('dist.Pipeline with checkpoint', function()
   for _, count in ipairs { 1, 2, 3 } do
      for _, schedule in ipairs { '1f1b', 'gpipe' } do
         it(('gives %d ranks the bits that activations which are kept give (%s)'):format(count, schedule), function()
            ranks.ok(count, head .. ([[
               local function make(more)
                  local o = { criterion = c, schedule = '%s', stages = ({ { 14 }, { 5, 9 }, { 5, 5, 4 } })[n], checkpoint = more }
                  return function(m) o.micro = m return dist.Pipeline(model(), o) end
               end
               for _, m in ipairs { 1, 4, 7 } do
                  local plain, pipe = make(nil)(m), make(true)(m)
                  for step = 1, 3 do
                     local drawn, losses = {}, {}
                     for i, p in ipairs { plain, pipe } do
                        p:zeroGradParameters()
                        torch.manualSeed(step + r)
                        losses[i] = p:forwardBackward(x:clone(), t)
                        drawn[i] = torch.getRNGState()
                     end
                     assert(losses[1] == losses[2] and same(drawn[1], drawn[2]))
                     local a, d = plain:parameters()
                     local b, e = pipe:parameters()
                     for i = 1, #a do assert(same(a[i], b[i]) and same(d[i], e[i])) end
                     for i, bn in ipairs((plain:findModules 'nn.BatchNormalization')) do
                        local other = pipe:findModules 'nn.BatchNormalization'[i]
                        assert(same(bn.running_mean, other.running_mean) and same(bn.running_var, other.running_var))
                     end
                     plain:updateParameters(0.1)
                     pipe:updateParameters(0.1)
                  end
               end]]):format(schedule))
         end)
      end
   end

   it('keeps no copies of the stage, and computes forward once more, but for what it did last', function()
      ranks.ok(2, head .. [[
         for _, schedule in ipairs { '1f1b', 'gpipe' } do
            for _, checkpoint in ipairs { false, true } do
               local pipe = dist.Pipeline(model(), { criterion = c, micro = 5, stages = { 5, 9 }, schedule = schedule,
                  checkpoint = checkpoint })
               seen()
               pipe:forwardBackward(x, t)
               local called, copied = seen()
               local each = r == 0 and 1 or 2                                 -- layers of the stage that count
               local kept = select(3, pipe:bubble())
               assert(kept == (schedule == 'gpipe' and 5 or 2 - r))
               assert(copied == (checkpoint and each or kept * each), copied)
               assert(called == each * (checkpoint and kept > 1 and 10 or 5), called)
            end
         end]])
   end)

   it('may have layers in parts, lists between stages and layers that fail only when they compute again', function()
      ranks.ok(4, head .. [[
         local stages, parts = dist.mesh(2, 2)
         local Again = torch.class('nn.Again', 'nn.Identity')
         local told, times = false, 0
         function Again:updateOutput(input)
            times = times + 1
            if told and times == 3 then error 'not twice' end
            return Identity.updateOutput(self, input)
         end
         local a, b = nn.Linear(4, 6), nn.Linear(6, 2)
         local function net(group)
            return nn.Sequential():add(nn.ConcatTable():add(nn.Identity()):add(nn.Again())):add(nn.JoinTable(2))
               :add(nn.Narrow(2, 1, 4)):add(group and dist.ColumnLinear(a, { group = group }) or a):add(nn.Dropout(0.4))
               :add(group and dist.RowLinear(b, { group = group }) or b)
         end
         local function make(checkpoint)
            return dist.Pipeline(net(parts), { criterion = c, micro = 3, group = stages, stages = { 1, 5 }, schedule = 'gpipe',
               checkpoint = checkpoint })
         end
         local plain, pipe, losses = make(nil), make(true), {}
         for i, p in ipairs { plain, pipe } do
            p:zeroGradParameters()
            torch.manualSeed(7)
            losses[i] = p:forwardBackward(x, t)
         end
         assert(losses[1] == losses[2])
         for i, d in ipairs(select(2, plain:parameters()) or {}) do assert(same(d, select(2, pipe:parameters())[i])) end
         told, times = true, 0
         says(r == 1 and 'not twice' or 'rank 1: ', function()
            if r ~= 1 then told = false end
            times = -1                                                         -- its fourth call
            pipe:forwardBackward(x, t)
         end)
         told = false
         torch.manualSeed(7)
         assert(pipe:forwardBackward(x, t) == losses[1])]])
   end)

   it('must be the same on all ranks, and true or false', function()
      ranks.ok(2, head .. [[
         says('the ranks differ in checkpoint: rank 0 has 0, rank 1 1', dist.Pipeline, model(), { checkpoint = r == 1 })]])
      dist.init()
      refuses('dist.Pipeline: checkpoint must be a boolean, got a number (1)', dist.Pipeline,
         nn.Sequential():add(nn.Abs()), { checkpoint = 1 })
   end)
end)

teardown(temporary.remove)
