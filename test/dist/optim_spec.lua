-- test/dist/optim_spec.lua - dist.optim: what each scheme promises, against a plain simulation of the same schedule.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local dist = require 'dist'
local ranks = require 'test.dist.ranks'
local temporary = require 'test.temporary'
local refuses = require 'test.refuses'

local function has(text, part) assert.truthy(text:find(part, 1, true), ('%q is not in: %s'):format(part, text)) end

-- A small problem: the gradient of rank r at x is a x + b_r, and steps with it.
local small = [[
local r, n = dist.rank(), dist.size()
local function start() return torch.Tensor{ 1, -2, 3, 0.5, 7 } end
local function gradient(x, rank) return (x * 0.5):add(torch.Tensor{ 1, 0, -1, 2, 0.25 } * (rank + 1)) end
local function near(a, b, what)
   local most = (a - b):abs():max()
   assert(most < 1e-12, (what or '') .. ' differs by ' .. most .. ': ' .. tostring(a) .. tostring(b))
end
local function make(o)
   local x, g = start(), torch.zeros(5)
   if r > 0 then x:fill(99) end                           -- all take those of rank 0
   o.parameters, o.gradParameters = x, g
   o.learningRate = o.learningRate or 0.1
   local opt = dist.optim(o)
   return opt, x, g, function() g:copy(gradient(x, r)) opt:step() end
end
-- One rank after the other.
local function in_turns(f)
   for turn = 0, n - 1 do
      if turn == r then f() end
      dist.barrier()
   end
end
]]

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

describe('dist.optim: synchronous schemes', function()
   for _, case in ipairs { { 4, "scheme = 'allreduce'" }, { 4, "scheme = 'syncps'" }, { 4, "scheme = 'syncps', servers = 2" } } do
      local servers = tonumber(case[2]:match 'servers = (%d)' or 0)
      it('equal the big batch in every parameter after 20 steps: ' .. case[2], function()
         ranks.ok(case[1], digits .. ([[
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
      ranks.ok(3, small .. [[
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
      ranks.ok(3, small .. [[
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

   it('use exactly `workers` gradients in a round, whoever brings them', function()
      ranks.ok(4, small .. [[
         -- Gradients are powers of ten, so a mean tells whose it is of: k times it has k digits 1 and nothing else.
         local opt, rounds = nil, 0
         local function update(x, g)
            local all, many = true, nil
            for q = 0, 3 do all = all and not opt:hasEnded(q) end
            for k = 1, 4 do
               local digits = ('%.0f'):format(g[1] * k)
               if math.abs(g[1] * k - tonumber(digits)) < 1e-9 and digits:match '^[01]+$' and select(2, digits:gsub('1', '')) == k then
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

describe('dist.optim: asynchronous schemes', function()
   it('downpour follows its formulas: pushes every nPush steps, fetches every nFetch', function()
      ranks.ok(3, small .. [[
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
         ranks.ok(3, small .. ('local scheme = %q'):format(scheme) .. [[
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

   it('ssp lets nobody run away, and lets them run as far as they may', function()
      ranks.ok(3, small .. [[
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
               -- My own updates are there, and those that the others have surely made.
               assert(1 - x[1] >= t + (n - 1) * math.max(0, t - staleness), x[1])
            end
            opt:finish()
            assert(furthest <= staleness, furthest)
            assert(r == 2 or furthest == staleness, furthest)
            near(x, start() - 36)
         end]])
   end)

   it('give every rank the same parameters in the end, with servers or not, after different numbers of steps', function()
      ranks.ok(4, small .. [[
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

   it('lose no update when all push at once', function()
      ranks.ok(4, small .. [[
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

describe('dist.optim with sparse = true', function()
   it('sends rows, updates those alone, and comes to what dense gradients come to', function()
      ranks.ok(3, [[
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

describe('dist.optim, when something goes wrong,', function()
   for _, scheme in ipairs { 'syncps', 'ssp', 'downpour' } do
      it('names the rank that was killed: ' .. scheme, function()
         local status, _, err = ranks.run(3, small .. ([[
            local opt, x, g, step = make { scheme = %q }
            for t = 1, 1e9 do
               if t == 5 and r == 1 then os.execute('kill -9 ' .. pid()) end
               if r ~= 1 then os.execute 'sleep 0.01' end
               step()
            end]]):format(scheme), '--grace 3 --spare 1', 'dist.init{deadline = 10} ')
         assert.not_equal(0, status)
         has(err, ('dist.optim, '))
         has(err, 'rank 1 is gone: its process')
      end)
   end

   for _, scheme in ipairs { 'allreduce', 'syncps', 'ssp' } do
      it('names the rank that is stopped, after the deadline: ' .. scheme, function()
         local status, _, err = ranks.run(2, small .. ([[
            local opt, x, g, step = make { scheme = %q }
            for t = 1, 1e9 do
               if t == 5 and r == 1 then os.execute('kill -STOP ' .. pid()) end
               step()
            end]]):format(scheme), '--grace 0.1', 'dist.init{deadline = 1} ')
         assert.equal(1, status)
         has(err, 'rank 1 did not come within 1 s: its process')
         has(err, 'is stopped')
      end)
   end

   it('goes on without a worker that was killed, where there is one to spare', function()
      for _, o in ipairs { "scheme = 'syncps', workers = 2", "scheme = 'ssp', spare = 1", "scheme = 'downpour', spare = 1",
                           "scheme = 'syncps', workers = 2, servers = 1" } do
         local n = o:find 'servers' and 4 or 3
         local status, out, err = ranks.run(n, small .. ([[
            local opt, x, g, step = make { %s }
            if opt:isServer() then opt:serve() else
               for t = 1, 20 do
                  if t == 5 and r == 1 then os.execute('kill -9 ' .. pid()) end
                  step()
               end
               opt:finish()
            end
            print('end ' .. opt.steps)]]):format(o), '--spare 1', 'dist.init{deadline = 10} ')
         assert.equal(0, status, o .. err)
         has(out, '[0] end 20')
         has(out, '[2] end 20')
         has(err, 'thrun: rank 1 was killed by signal 9 (Killed)')
         has(err, 'thrun: the others went on without it')
      end
   end)

   it('refuses a gradient that is not finite, and nothing has changed', function()
      dist.init()
      for _, scheme in ipairs { 'allreduce', 'syncps', 'downpour', 'ssp', 'easgd', 'eamsgd' } do
         local x, g = torch.Tensor{ 1, 2 }, torch.zeros(2)
         local opt = dist.optim { scheme = scheme, parameters = x, gradParameters = g }
         for _, bad in ipairs { 0 / 0, math.huge } do
            g[2] = bad
            refuses('dist.optim: the gradient of step 1 of rank 0 is not finite', opt.step, opt)
         end
         assert.same({ 1, 2 }, x:totable())
         assert.equal(0, opt.steps)
         g:fill(1)
         assert.equal('a', (opt:step(function() return 'a' end)))
         opt:finish()
         assert.equal(1, opt.steps)
      end
   end)

   it('says which rank has other options', function()
      ranks.ok(2, small .. [[
         says('the ranks differ in nPush: rank 0 has 2, rank 1 3', make, { scheme = 'downpour', nPush = 2 + r })
         says('the ranks differ in scheme: rank 0 has ssp, rank 1 syncps', make, { scheme = r == 0 and 'ssp' or 'syncps' })
         says('the ranks differ in update: rank 0 has sgd, rank 1 function', make,
            { scheme = 'ssp', update = r == 1 and function() end or nil })
         says('the ranks differ in size: rank 0 has 2, rank 1 3', dist.optim,
            { scheme = 'allreduce', parameters = torch.zeros(2 + r), gradParameters = torch.zeros(2 + r) })
         local ty = r == 0 and torch.FloatTensor or torch.DoubleTensor
         says('the ranks differ in type: rank 0 has torch.FloatTensor, rank 1 torch.DoubleTensor', dist.optim,
            { scheme = 'allreduce', parameters = ty(2):zero(), gradParameters = ty(2):zero() })
         local opt = make { scheme = 'ssp' }
         local state = opt:state()
         says('the ranks differ in state: rank 0 has none, rank 1 one', make, { scheme = 'ssp', state = r == 1 and state or nil })]])
   end)

   it('names a worker that is stopped, before servers too', function()
      local status, _, err = ranks.run(3, small .. [[
         local opt, x, g, step = make { scheme = 'downpour', servers = 1 }
         if opt:isServer() then opt:serve() end
         for t = 1, r == 0 and 5 or 1e9 do
            if t == 3 and r == 1 then os.execute('kill -STOP ' .. pid()) end
            step()
         end
         os.execute 'sleep 5']], '--grace 0.2', 'dist.init{deadline = 0.5} ')
      assert.equal(1, status)
      has(err, 'dist.optim, serve, step 0 of rank 2: rank 1 did not come within 0.5 s: its process')
   end)

   it('is over for all when an update fails, with its text', function()
      local status, _, err = ranks.run(2, small .. [[
         local function update(x, g)
            x:add(-1, g)
            error 'oops'
         end
         local opt, x, g, step = make { scheme = 'syncps', workers = 2, spare = 1, update = update }
         says('failed at work on a shard, which may be half written', step)                -- on whichever rank it ran
         error('seen by ' .. r)]], '--spare 1')
      assert.equal(1, status)
      has(err, 'seen by 0')
      has(err, 'seen by 1')
   end)

   it('gives what f gives, and looks again at what f did', function()
      dist.init()
      local opt = dist.optim { scheme = 'downpour', parameters = torch.zeros(2), gradParameters = torch.ones(2) }
      local function all(...) return select('#', ...), (select(3, ...)) end
      local n, third = all(opt:step(function() return nil, nil, 3 end))
      assert.same({ 3, 3 }, { n, third })
      opt.g:fill(1e308)                                   -- their sum is not finite; they are
      opt:step()
      assert.equal(2, opt.steps)
      refuses('step: this rank has finished', opt.step, opt, function() opt:finish() end)
      assert.equal(2, opt.steps)
   end)

   it('refuses what makes no sense', function()
      dist.init()
      local x, g = torch.zeros(3), torch.zeros(3)
      local function bad(text, o)
         o.scheme = o.scheme or 'syncps'
         o.parameters, o.gradParameters = o.parameters or x, o.gradParameters or g
         refuses('dist.optim: ' .. text, dist.optim, o)
      end
      refuses('dist.optim: options must be a table, got nil', dist.optim)
      refuses('dist.optim: scheme must be allreduce, syncps, downpour, ssp, easgd or eamsgd, got hogwild', dist.optim, { scheme = 'hogwild' })
      bad('there is no option rate', { rate = 1 })
      bad('learningRate must be a number from 0, got a number (-1)', { learningRate = -1 })
      bad('learningRate must be a number from 0, got a number (nan)', { learningRate = 0 / 0 })
      bad('beta1 must be a number from 0 and less than 1, got a number (1)', { update = 'adam', beta1 = 1 })
      bad('beta2 must be a number from 0 and less than 1, got a number (1.5)', { update = 'adam', beta2 = 1.5 })
      bad('epsilon must be a number from 1e-37, got a number (0)', { update = 'adagrad', epsilon = 0 })
      bad('states must be a whole number from 0 and less than 100, got a number (1e+300)', { update = function() end, states = 1e300 })
      bad('states is an option of updates that are functions', { update = 'adam', states = 2 })
      bad('give either alpha or beta', { scheme = 'easgd', alpha = 0.1, beta = 0.1 })
      bad('parameters and gradParameters must not be the same elements', { gradParameters = x })
      bad('nPush must be a whole number from 1, got a number (1.5)', { scheme = 'downpour', nPush = 1.5 })
      bad('nPush is an option of downpour, not of ssp', { scheme = 'ssp', nPush = 2 })
      bad('tau is an option of easgd, eamsgd, not of syncps', { tau = 2 })
      bad('servers must leave a worker: the job has 1 rank, got 1', { servers = 1 })
      bad('workers must lie in 1..1, got 2', { workers = 2 })
      bad("update must be 'sgd', 'momentum', 'adagrad', 'adam' or a function, got a string", { update = 'add' })
      bad('eamsgd has an update of its own', { scheme = 'eamsgd', update = 'sgd' })
      bad('sparse needs the option model', { sparse = true })
      bad('sparse must be a boolean, got a number (1)', { sparse = 1 })
      bad('gradParameters must be a packed vector of floats or doubles on the CPU, got a torch.DoubleTensor of size 2x2',
         { gradParameters = torch.zeros(2, 2) })
      bad('parameters must be a packed vector of floats or doubles on the CPU, got a torch.IntTensor of size 3', { parameters = torch.IntTensor(3) })
      bad('parameters and gradParameters must be of one type and size', { gradParameters = torch.zeros(2) })
      refuses('dist.optim: model must be a module, got a number (3)', dist.optim, { scheme = 'ssp', model = 3 })
      refuses('dist.optim: give either model, or parameters', dist.optim, { scheme = 'ssp', model = nn.Linear(1, 1), parameters = x })
      refuses('dist.optim: sparse is for gradients: easgd moves all parameters', dist.optim,
         { scheme = 'easgd', model = nn.Linear(1, 1), sparse = true })
      local opt = dist.optim { scheme = 'syncps', parameters = x, gradParameters = g }
      refuses('step: argument 1 must be a function, got a number (1)', opt.step, opt, 1)
      refuses('fetch: argument 1 must be a torch.DoubleTensor of size 3, got a torch.DoubleTensor of size 2', opt.fetch, opt, torch.ones(2))
      refuses('serve: rank 0 is a worker', opt.serve, opt)
      bad('state is of scheme syncps, wanted ssp', { scheme = 'ssp', state = opt:state() })
      bad('state is of update sgd, wanted adam', { update = 'adam', state = opt:state() })
      bad('state is of scheme ssp, wanted syncps', { state = { scheme = 'ssp', n = 3 } })
      bad('state is of 3 elements of a torch.DoubleTensor, wanted 2 of a torch.DoubleTensor',
         { parameters = torch.zeros(2), gradParameters = torch.zeros(2), state = opt:state() })
      for _, spoil in ipairs { function(s) s.shared.epoch = 2 ^ 31 end, function(s) s.shared.copies[2] = torch.zeros(3) end,
            function(s) s.shared.copies[1] = torch.zeros(4) end, function(s) s.shared = nil end, function(s) s.steps = 0.5 end,
            function(s) s.own.states = { 3 } end, function(s) s.x = 'x' end } do
         local state = opt:state()
         spoil(state)
         bad('state is not what Optim:state has given', { state = state })
      end
      refuses('no such batch', opt.step, opt, function() error 'no such batch' end)
      opt:finish()
      refuses('finish: this rank has finished', opt.finish, opt)
   end)
end)

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

   it('lets a trainer go on to the same bits', function()
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
