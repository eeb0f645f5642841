-- test/comm/optim_state_spec.lua - dist.optim: its state, the number of trainers in a job, and the
-- example.
-- runs once
local torch = require 'torch'
local dist = require 'dist'
local ranks = require 'test.support.comm.ranks'
local small = require 'test.support.comm.optim_script'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

local function has(text, part) assert.truthy(text:find(part, 1, true), ('%q is not in: %s'):format(part, text)) end

describe('dist.optim:state', function()
   it('gives all ranks of syncps the parameters of one epoch, on any number of ranks', function()
      local folder = temporary.name '.d'
      local code = small .. ('local folder = %q'):format(folder) .. [[
         local state = dist.restore { folder = folder }
         local opt, x, g = make { scheme = 'syncps', workers = 1, state = state, learningRate = 1 }
         if not state then
            if r == 0 then for t = 1, 5 do g:fill(1) opt:step() end end
            dist.commit(opt:state(), { folder = folder })
         else
            near(x, start() - 5)
            assert(opt.version == 5 and opt.shared:epoch() == 5)
            dist.barrier()
            if r == 0 then g:fill(1) opt:step() near(x, start() - 6) end
         end
         opt:finish()]]
      ranks.ok(2, code)
      ranks.ok(2, code)
      ranks.ok(3, code)
   end)

   it('lets a trainer continue with the same bits', function()
      ranks.ok(2, small .. [[
         for _, scheme in ipairs { 'allreduce', 'syncps', 'downpour', 'easgd', 'eamsgd' } do
            local update = scheme ~= 'eamsgd' and 'adam' or nil
            local function run(opt, x, g, first, last)
               for t = first, last do in_turns(function()
                  g:copy(gradient(x, r))
                  if scheme ~= 'allreduce' and scheme ~= 'syncps' then opt:step() end
               end)
               if scheme == 'allreduce' or scheme == 'syncps' then opt:step() end end
            end
            local function options(state)
               return { scheme = scheme, update = update, state = state, tau = scheme:find '^ea' and 3 or nil,
                        nPush = scheme == 'downpour' and 2 or nil, nFetch = scheme == 'downpour' and 3 or nil }
            end
            local a, ax, ag = make(options())
            run(a, ax, ag, 1, 10)
            a:finish()
            local b, bx, bg = make(options())
            run(b, bx, bg, 1, 5)
            local state = torch.deserialize(torch.serialize(b:state()))
            local c, cx, cg = make(options(state))
            assert(c.steps == 5)
            run(c, cx, cg, 6, 10)
            c:finish()
            assert(same(ax, cx), scheme .. tostring(ax) .. tostring(cx))
         end]])
   end)
end)

describe('dist.optim:finish', function()
   it('gives its names back: a job may have any number of trainers, one after the other', function()
      ranks.ok(2, small .. [[
         for i = 1, 300 do
            local scheme = i % 2 == 0 and 'syncps' or 'downpour'
            local servers = i % 3 == 0 and 1 or 0
            local opt, x, g, step = make { scheme = scheme, servers = servers, update = i % 5 == 0 and 'adam' or nil }
            if opt:isServer() then opt:serve() else
               step()
               opt:finish()
            end
            local y = torch.Tensor(5)
            assert(same(opt:fetch(y), x) and not same(x, start()))
         end]])
   end)

   it('keeps what state gives', function()
      ranks.ok(2, small .. [[
         local function run(before)
            local opt, x, _, step = make { scheme = 'syncps', update = 'momentum' }
            for t = 1, 3 do step() end
            local state = before and opt:state()
            opt:finish()
            state = state or opt:state()
            local again, y, _, more = make { scheme = 'syncps', update = 'momentum', state = state }
            assert(same(x, y))
            for t = 1, 3 do more() end
            again:finish()
            return y
         end
         assert(same(run(true), run(false)))]])
   end)
end)

describe('dist.optim, when its counters are full,', function()
   it('says so, and nothing has changed', function()
      local text = { downpour = 'push, step 1 of rank 0: it was written 2^31 - 1 times, and cannot be written again',
                     syncps = 'update, step 1 of rank 0: 2^31 - 1 rounds are the maximum' }
      dist.init()
      for scheme, why in pairs(text) do
         local x, g = torch.Tensor{ 1, 2 }, torch.zeros(2)
         local state = dist.optim { scheme = scheme, parameters = x, gradParameters = g }:state()
         state.shared.epoch = 2 ^ 31 - 2
         local opt = dist.optim { scheme = scheme, parameters = x, gradParameters = g, state = state, learningRate = 1 }
         g:fill(1)
         opt:step()
         assert.same({ 0, 1 }, x:totable())
         opt.steps = 0
         refuses(why, opt.step, opt)
         assert.same({ 0, 1 }, opt.shared:fetch():totable())
         opt.steps = 2 ^ 30
         refuses('dist.optim: rank 0 has taken 2^30 steps, which is the maximum', opt.step, opt)
         assert.equal(2 ^ 30, opt.steps)
      end
   end)
end)

describe('examples/distributed.lua', function()
   it('reaches the accuracy of a single process less half a percent under every scheme', function()
      local options = "examples/distributed.lua -epochs 40"
      local status, out, err = ranks.sh(("'%s' %s -scheme allreduce -batchSize 64"):format(ranks.th, options))
      assert.equal(0, status, err)
      local alone = tonumber(out:match 'allreduce +1 +%d+ +([%d.]+)')
      assert.is_true(alone > 95)
      status, out, err = ranks.sh(("'%s' -n 4 %s"):format(ranks.thrun, options))
      assert.equal(0, status, err)
      for _, scheme in ipairs { 'allreduce', 'syncps', 'downpour', 'ssp', 'easgd', 'eamsgd' } do
         local reached = tonumber(out:match(scheme .. ' +4 +%d+ +([%d.]+)'))
         assert.is_true(reached >= alone - 0.5, ('%s: %g, alone %g'):format(scheme, reached, alone))
      end
   end)

   it('refuses options that it does not have', function()
      local status, _, err = ranks.sh(("'%s' examples/distributed.lua -scheme hogwild"):format(ranks.th))
      assert.equal(1, status)
      has(err, 'distributed: -scheme must be allreduce, syncps, downpour, ssp, easgd, eamsgd or all, got hogwild')
      status, _, err = ranks.sh(("'%s' examples/distributed.lua -epochs 0"):format(ranks.th))
      assert.equal(1, status)
      has(err, 'distributed: -epochs must be a whole number from 1, got 0')
      status, _, err = ranks.sh(("'%s' examples/distributed.lua -data /no/such"):format(ranks.th))
      assert.equal(1, status)
      has(err, 'distributed: /no/such has no t10k-images-idx3-ubyte[.gz]')
   end)
end)

teardown(temporary.remove)
