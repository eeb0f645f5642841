-- test/comm/optim_faults_spec.lua - dist.optim when ranks die or stop, gradients are not finite, or
-- options are invalid.
-- runs once
local torch = require 'torch'
local nn = require 'nn'
local dist = require 'dist'
local ranks = require 'test.support.comm.ranks'
local small = require 'test.support.comm.optim_script'
local temporary = require 'test.support.temporary'
local refuses = require 'test.support.refuses'

local function has(text, part) assert.truthy(text:find(part, 1, true), ('%q is not in: %s'):format(part, text)) end

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

   it('continues without a killed worker if one is spare', function()
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
         has(err, 'thrun: the other ranks continued without it')
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
         says('failed while it wrote a shard, which may be half written', step)                -- on whichever rank it ran
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
      bad('eamsgd takes no option update', { scheme = 'eamsgd', update = 'sgd' })
      bad('sparse needs the option model', { sparse = true })
      bad('sparse must be a boolean, got a number (1)', { sparse = 1 })
      bad('gradParameters must be a contiguous vector of floats or doubles on the CPU, got a torch.DoubleTensor of size 2x2',
         { gradParameters = torch.zeros(2, 2) })
      bad('parameters must be a contiguous vector of floats or doubles on the CPU, got a torch.IntTensor of size 3', { parameters = torch.IntTensor(3) })
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
         bad('state must be what Optim:state returned', { state = state })
      end
      refuses('no such batch', opt.step, opt, function() error 'no such batch' end)
      opt:finish()
      refuses('finish: this rank has finished', opt.finish, opt)
   end)
end)

teardown(temporary.remove)
