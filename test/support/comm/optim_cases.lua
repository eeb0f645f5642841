-- test/support/comm/optim_cases.lua - the guarantees of each scheme of dist.optim, compared with a plain
-- simulation of the same schedule: for ranks on one host, and on several.
local small = require 'test.support.comm.optim_script'

local digits = [[
package.path = './?.lua;' .. package.path
require 'nn'
local train = require 'examples.lib.digits'.load { opt = { data = '' }, tensorType = 'torch.FloatTensor' }
local criterion = nn.ClassNLLCriterion():float()
local function model()
   torch.manualSeed(1)
   return nn.Sequential():add(nn.SpatialConvolution(1, 8, 3, 3)):add(nn.Tanh()):add(nn.View(-1):setNumInputDims(3))
      :add(nn.Linear(288, 32)):add(nn.Tanh()):add(nn.Linear(32, 10)):add(nn.LogSoftMax()):float()
end
local function backward(net, step, first, n)
   local at = (step - 1) * 64 + first
   local x, t = train.input:narrow(1, at, n):clone():div(16), train.target:narrow(1, at, n)
   criterion:forward(net:forward(x), t)
   net:backward(x, criterion:backward(net.output, t))
end
local whole = model()
local want = whole:getParameters()
for step = 1, 20 do
   whole:zeroGradParameters()
   backward(whole, step, 1, 64)
   whole:updateParameters(0.1)
end
local r = dist.rank()
]]

--- Declares the cases, with busted's describe and it.
-- @param where  appended to the titles
-- @param run    function(n, code) that runs a script as n ranks, and checks that it succeeds
return function(describe, it, where, run)
   describe('dist.optim: synchronous schemes' .. where, function()
      for _, case in ipairs { { 4, "scheme = 'allreduce'" }, { 4, "scheme = 'syncps'" },
                              { 4, "scheme = 'syncps', servers = 2" } } do
         local servers = tonumber(case[2]:match 'servers = (%d)' or 0)
         it('equal the big batch in every parameter after 20 steps: ' .. case[2], function()
            run(case[1], digits .. ([[
               local servers, net = %d, model()
               local opt = dist.optim{ model = net, learningRate = 0.1, %s }
               local each = 64 / (dist.size() - servers)
               if opt:isServer() then opt:serve() else
                  for step = 1, 20 do
                     net:zeroGradParameters()
                     backward(net, step, 1 + each * r, each)
                     opt:step()
                  end
                  opt:finish()
               end
               local most = (opt.x - want):abs():max()
               assert(most < 1e-5, most)
               assert(opt.dropped == 0)]]):format(servers, case[2]))
         end)
      end

      it('take the steps of every update, and of a function', function()
         run(3, small .. [[
            local run = {}
            function run.sgd(x, g) x:add(-0.1, g) end
            function run.momentum(x, g, s) s.v = (s.v or g * 0) * 0.9 + g x:add(-0.1, s.v) end
            function run.adagrad(x, g, s)
               s.v = (s.v or g * 0) + torch.cmul(g, g)
               x:add(-0.1, torch.cdiv(g, torch.sqrt(s.v) + 1e-10))
            end
            function run.adam(x, g, s, t)
               s.m, s.v = (s.m or g * 0) * 0.9 + g * 0.1, (s.v or g * 0) * 0.999 + torch.cmul(g, g) * 0.001
               x:add(-0.1, torch.cdiv(s.m / (1 - 0.9 ^ t), torch.sqrt(s.v / (1 - 0.999 ^ t)) + 1e-8 / math.sqrt(1 - 0.999 ^ t)))
            end
            function run.mine(x, g, s, t) s.v = (s.v or g * 0) + g x:add(-0.1 / t, s.v) end
            local function mine(x, g, state, config) state[1]:add(g) x:add(-config.learningRate / config.step, state[1]) end
            for _, scheme in ipairs { 'allreduce', 'syncps' } do
               for _, name in ipairs { 'sgd', 'momentum', 'adagrad', 'adam', 'mine' } do
                  local update = run[name]
                  local opt, x, _, step = make { scheme = scheme, update = name == 'mine' and mine or name,
                                               states = name == 'mine' and 1 or nil }
                  local y, s = start(), {}
                  for t = 1, 7 do
                     step()
                     local g = gradient(y, 0):add(gradient(y, 1)):add(gradient(y, 2)) / 3
                     update(y, g, s, t)
                     near(x, y, scheme .. ' ' .. name)
                  end
                  opt:finish()
                  near(x, y)
               end
            end]])
      end)

      it('drop the gradients of backup workers that come late', function()
         run(3, small .. [[
            do
               local opt, x, g = make { scheme = 'syncps', workers = 2 }
               local y = start()
               for t = 1, 3 do y:add(-0.1, gradient(y, 0):add(gradient(y, 1)) / 2) end
               if r < 2 then
                  for t = 1, 3 do g:copy(gradient(x, r)) opt:step() end
                  near(x, y)
               else
                  g:fill(1e6)                                -- of the first parameters
                  opt:step(function() opt.shared:wait(3) end)
                  near(x, y, 'after the drop')
                  assert(opt.dropped == 1 and opt.version == 3)
                  g:copy(gradient(x, 2))                     -- the others have finished: this one counts alone
                  opt:step()
                  assert(opt.dropped == 1)
               end
               opt:finish()
               near(x, y:add(-0.1, gradient(y, 2)))
            end]])
      end)

      it('use exactly `workers` gradients in a round, from any workers', function()
         run(4, small .. [[
            -- Gradients are powers of ten, so the digits of a mean show whose gradients it
            -- contains: k times it has k digits 1.
            local opt, rounds = nil, 0
            local function update(x, g)
               local all, many = true, nil
               for q = 0, 3 do all = all and not opt:hasEnded(q) end
               for k = 1, 4 do
                  local digits = ('%.0f'):format(g[1] * k)
                  if math.abs(g[1] * k - tonumber(digits)) < 1e-9 and digits:match '^[01]+$'
                     and select(2, digits:gsub('1', '')) == k then
                     many = k
                  end
               end
               assert(many and (many == 3 or (many < 3 and not all)), g[1])
               if many == 3 then rounds = rounds + 1 end
               x:add(-1, g)
            end
            local x, g = start(), torch.zeros(5)
            opt = dist.optim { scheme = 'syncps', parameters = x, gradParameters = g, workers = 3, update = update }
            for t = 1, 50 do
               g:fill(10 ^ r)
               opt:step(function() if (t + r) % 4 == 0 then os.execute 'sleep 0.003' end end)
            end
            opt:finish()
            local all = dist.allgather(torch.Tensor{ opt.dropped, rounds })
            assert(all:select(2, 1):sum() > 0 and all:select(2, 2):sum() > 50)]])
      end)
   end)

   describe('dist.optim: asynchronous schemes' .. where, function()
      it('downpour follows its formulas: pushes every nPush steps, fetches every nFetch', function()
         run(3, small .. [[
            local opt, x, _, step = make { scheme = 'downpour', nPush = 3, nFetch = 2, update = 'adagrad' }
            local centre, square, worker = start(), torch.zeros(5), {}
            for q = 0, n - 1 do worker[q] = { x = start(), sum = torch.zeros(5) } end
            local function push(w)
               square:add(torch.cmul(w.sum, w.sum))
               centre:add(-0.1, torch.cdiv(w.sum, torch.sqrt(square) + 1e-10))
               w.sum:zero()
            end
            for t = 1, 8 do
               for q = 0, n - 1 do
                  local w = worker[q]
                  local g = gradient(w.x, q)
                  w.sum:add(g)
                  w.x:add(-0.1, g)
                  if t % 3 == 0 then push(w) end
                  if t % 2 == 0 then w.x:copy(centre) end
               end
               in_turns(step)
               near(x, worker[r].x, 'step ' .. t)
            end
            for turn = 0, n - 1 do
               push(worker[turn])
               if turn == r then opt:push(opt.own.sum) opt.own.sum:zero() end
               dist.barrier()
            end
            opt.steps = 9                                    -- the rest is pushed
            opt:finish()
            near(x, centre)]])
      end)

      for _, scheme in ipairs { 'easgd', 'eamsgd' } do
         it(scheme .. ' moves workers and centre by its formulas', function()
            run(3, small .. ('local scheme = %q'):format(scheme) .. [[
               local opt, x, _, step = make { scheme = scheme, tau = 2, beta = 0.6, learningRate = 0.05 }
               local alpha, centre, worker = 0.6 / 3, start(), {}
               for q = 0, n - 1 do worker[q] = { x = start(), v = torch.zeros(5) } end
               for t = 0, 6 do
                  for q = 0, n - 1 do
                     local w = worker[q]
                     local g = gradient(scheme == 'easgd' and w.x or w.x + w.v * 0.9, q)
                     if t % 2 == 0 then
                        local move = (w.x - centre) * alpha
                        w.x:add(-1, move)
                        centre:add(move)
                     end
                     if scheme == 'easgd' then w.x:add(-0.05, g)
                     else
                        w.v = w.v * 0.9 - g * 0.05
                        w.x:add(w.v)
                     end
                  end
                  in_turns(step)
                  near(scheme == 'easgd' and x or opt.own.x, worker[r].x, 'step ' .. t)
                  near(opt:fetch(torch.Tensor(5)), centre, 'centre')
                  dist.barrier()
               end
               opt:finish()
               near(x, centre)]])
         end)
      end

      it('ssp bounds the lead of a worker, and allows all of that', function()
         run(3, small .. [[
            for _, staleness in ipairs { 0, 2 } do
               local opt, x, g = make { scheme = 'ssp', staleness = staleness, learningRate = 1 }
               local furthest = 0
               for t = 1, 12 do
                  for q = 0, n - 1 do
                     furthest = math.max(furthest, opt.control:count(opt.at.CLOCK + r) - opt.control:count(opt.at.CLOCK + q))
                  end
                  g:fill(1)
                  if r == 2 then os.execute 'sleep 0.01' end
                  local before = x[1]
                  opt:step()
                  -- My updates are included, and those that the others have surely made.
                  assert(1 - x[1] >= t + (n - 1) * math.max(0, t - staleness), x[1])
               end
               opt:finish()
               assert(furthest <= staleness, furthest)
               assert(r == 2 or furthest == staleness, furthest)
               near(x, start() - 36)
            end]])
      end)

      it('give every rank the same parameters in the end, with servers or not, after different numbers of steps', function()
         run(4, small .. [[
            for _, scheme in ipairs { 'allreduce', 'syncps', 'downpour', 'ssp', 'easgd', 'eamsgd' } do
               for servers = 0, scheme == 'allreduce' and 0 or 2, 2 do
                  local opt, x, g = make { scheme = scheme, servers = servers, tau = scheme:find '^ea' and 2 or nil }
                  if opt:isServer() then
                     says('is a server, it calls serve', opt.step, opt)
                     opt:serve()
                  else
                     for t = 1, 3 + 4 * r do g:copy(gradient(x, r)) opt:step() end
                     opt:finish()
                     says('step: this rank has finished', opt.step, opt)
                  end
                  local all = dist.allgather(x)
                  for q = 2, n do assert(all[q]:ne(all[1]):sum() == 0, scheme) end
                  assert(all[1]:ne(start()):sum() == 5, scheme)
               end
            end]])
      end)

      it('say that a rank has finished, whatever it calls then', function()
         run(3, small .. [[
            for servers = 0, 1 do
               local opt, x, g = make { scheme = 'downpour', servers = servers }
               if opt:isServer() then opt:serve() else opt:finish() end
               if opt:isServer() then says('serve: this rank has finished', opt.serve, opt) end
               says('push: this rank has finished', opt.push, opt, g)
               opt:handled()
               assert(opt:hasEnded(0) and opt:hasEnded(1))
            end
            assert(not make({ scheme = 'ssp' }):hasEnded(1))]])
      end)

      it('lose no update when all push at once', function()
         run(4, small .. [[
            for servers = 0, 1 do
               for _, scheme in ipairs { 'downpour', 'ssp' } do
                  local opt, x, g = make { scheme = scheme, servers = servers, learningRate = 1 }
                  if opt:isServer() then opt:serve() else
                     for t = 1, 200 do g:fill(r + 1) opt:step() end
                     opt:finish()
                  end
                  near(x, start() - (servers == 0 and 2000 or 1200), scheme)
               end
            end]])
      end)
   end)

   describe('dist.optim with sparse = true' .. where, function()
      it('sends rows, updates those alone, and comes to what dense gradients come to', function()
         run(3, [[
            require 'nn'
            local r = dist.rank()
            local function train(o, update)
               torch.manualSeed(3)
               local net = nn.Sequential():add(nn.LookupTable(40, 4)):add(nn.Mean(1)):add(nn.Linear(4, 2))
               o.model, o.learningRate, o.update = net, 0.1, update
               local opt = dist.optim(o)
               if opt:isServer() then opt:serve() return opt.x end
               for t = 1, 6 do
                  net:zeroGradParameters()
                  net:forward(torch.LongTensor{ 1 + (t * 7 + r) % 40, 1 + (t * 3 + 5 * r) % 40, 2 })
                  net:backward(torch.LongTensor{ 1 + (t * 7 + r) % 40, 1 + (t * 3 + 5 * r) % 40, 2 }, torch.Tensor{ 1, r - 0.5 })
                  opt:step()
               end
               opt:finish()
               return opt.x
            end
            for _, update in ipairs { 'sgd', 'adagrad' } do
               for _, scheme in ipairs { 'allreduce', 'syncps' } do
                  for servers = 0, scheme == 'syncps' and 1 or 0 do
                     local dense = train({ scheme = scheme, servers = servers }, update):clone()
                     local sparse = train({ scheme = scheme, servers = servers, sparse = true }, update)
                     local most = (dense - sparse):abs():max()
                     assert(most < 1e-12, scheme .. update .. servers .. ' ' .. most)
                  end
               end
            end
            local rows, elements = 0, 0
            local function count(x, g)
               if x:dim() == 2 then rows = rows + x:size(1) assert(g:size(2) == 4 and g:abs():max(2):min() > 0)
               else elements = elements + x:nElement() end
            end
            train({ scheme = 'downpour' , sparse = true }, count)
            assert(rows <= 18 and rows >= 6 and elements == 6 * 10, rows .. ' ' .. elements)
            train({ scheme = 'ssp' , sparse = true, servers = 1 }, count)]])
      end)
   end)
end
