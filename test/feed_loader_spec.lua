-- test/feed_loader_spec.lua - batches of a dataset: their order, threads, ranks, states, what goes wrong.
-- runs once
local ffi = require 'ffi'
local torch = require 'torch'
local paths = require 'paths'
local feed = require 'feed'
local refuses = require 'test.refuses'
local temporary = require 'test.temporary'

local TH = os.getenv 'TH' or 'build/bin/th'

teardown(temporary.remove)

local function loader(options, n)
   options.dataset = options.dataset or feed.tensors(torch.range(1, n or 23))
   return feed.loader(options)
end

-- The batches of so many epochs as texts.
local function texts(l, epochs)
   local list = {}
   for _ = 1, epochs or 1 do
      for batch, i in l:epoch() do list[#list + 1] = i .. ': ' .. table.concat(batch:totable(), ' ') end
   end
   return list
end

local function numbers(l)
   local list = {}
   for batch in l:epoch() do for _, v in ipairs(batch:totable()) do list[#list + 1] = v end end
   return list
end

local function sorted(list)
   table.sort(list)
   return list
end

local function range(n) return torch.range(1, n):totable() end

local function threads()
   local list = paths.dir '/proc/self/task'
   return #list
end

-- Threads that have been told to end may take a moment to disappear from /proc.
local function threads_become(n)
   local timer = torch.Timer()
   while threads() > n and timer:time().real < 10 do end
   return math.max(threads(), n)
end

-- A dataset whose samples say what was random in them.
local function noisy(n)
   return feed.map(feed.tensors(torch.range(1, n)), function(x, random) return x + torch.uniform(random) end)
end

describe('the order', function()
   it('is that of the dataset without shuffle', function()
      assert.same({ '1: 1 2 3', '2: 4 5 6', '3: 7' }, texts(loader({ batch = 3 }, 7)))
      assert.same({ '1: 1 2 3', '2: 4 5 6' }, texts(loader({ batch = 3, dropLast = true }, 7)))
   end)
   it('has every sample once an epoch, and is another one in the next', function()
      for _, chunk in ipairs { false, 1, 4, 5, 23, 100 } do
         for _, window in ipairs { 1, 2, 16 } do
            local l = loader { batch = 4, shuffle = true, chunk = chunk or nil, window = window }
            local first, second = numbers(l), numbers(l)
            assert.not_same(first, second)
            assert.same(range(23), sorted(first))
            assert.same(range(23), sorted(second))
         end
      end
   end)
   it('depends on the seed alone', function()
      local function of(seed) return texts(loader { batch = 4, shuffle = true, seed = seed }, 2) end
      assert.same(of(7), of(7))
      assert.not_same(of(7), of(8))
      torch.manualSeed(3)
      local a = torch.random()
      torch.manualSeed(3)
      of(7)
      assert.equal(a, torch.random())
   end)
   it('takes samples of a window of chunks, which lie anywhere', function()
      local l = loader({ batch = 20, shuffle = true, chunk = 10, window = 2 }, 200)
      for batch in l:epoch() do                               -- two chunks, mixed
         local chunks = {}
         for _, v in ipairs(batch:totable()) do chunks[math.floor((v - 1) / 10)] = true end
         local count = 0
         for _ in pairs(chunks) do count = count + 1 end
         assert.equal(2, count)
         assert.not_same(sorted(batch:totable()), batch:totable())
      end
   end)
   it('is equal for 0, 1 and 4 workers and any prefetch, and so are random numbers in samples', function()
      local function run(workers, prefetch, chunk)
         local l = loader { dataset = noisy(101), batch = 4, shuffle = true, workers = workers, prefetch = prefetch, chunk = chunk }
         local list = texts(l, 2)
         l:close()
         return list
      end
      for _, chunk in ipairs { false, 7 } do
         local wanted = run(0, nil, chunk or nil)
         assert.equal(52, #wanted)
         for _, how in ipairs { { 1, 1 }, { 1, 16 }, { 4, 2 }, { 4, 1 }, { 3, 5 } } do
            assert.same(wanted, run(how[1], how[2], chunk or nil))
         end
      end
   end)
   it('gives a sample other random numbers in another epoch and with another seed', function()
      local function of(seed)
         local l = loader { dataset = noisy(3), batch = 3, seed = seed }
         return texts(l, 2)
      end
      local a, b = of(1), of(2)
      assert.not_equal(a[1], a[2])
      assert.not_equal(a[1], b[1])
   end)
   it('is that of the epoch also where it could not be made at first', function()
      local seed = require 'feed.seed'
      local permutation = seed.permutation
      for _, chunk in ipairs { false, 2 } do
         local function make() return loader({ batch = 6, shuffle = true, chunk = chunk or nil, window = 2 }, 20) end
         for fails = 1, chunk and 2 or 1 do
            local l, calls = make(), 0
            l:epoch()()
            seed.permutation = function(...)
               calls = calls + 1
               if calls == fails then error('out of memory', 0) end
               return permutation(...)
            end
            refuses('out of memory', l:epoch(2))
            seed.permutation = permutation
            local right = make()
            right:epoch(2)
            assert.same(texts(right), texts(l))
         end
      end
   end)
   it('has no batch for a dataset without samples', function()
      for _, shuffle in ipairs { true, false } do
         assert.same({}, texts(feed.loader { dataset = feed.list {}, shuffle = shuffle, workers = 1 }, 2))
      end
   end)
end)

describe('ranks', function()
   local function all(options, n)
      local lists = {}
      for rank = 0, options.ranks - 1 do
         options.rank = rank
         local l = loader(options, n)
         lists[rank + 1] = texts(l)
         assert.equal(l:batches(), #lists[rank + 1])
      end
      return lists
   end
   it('share each epoch out, with equal numbers of batches', function()
      assert.same({ { '1: 1 2', '2: 7' }, { '1: 3 4', '2: 8' }, { '1: 5 6', '2: 9' } }, all({ batch = 2, ranks = 3 }, 9))
      assert.same({ { '1: 1 2', '2: 7 8' }, { '1: 3 4', '2: 9' }, { '1: 5 6', '2: 10' } }, all({ batch = 2, ranks = 3 }, 10))
   end)
   it('repeat the first samples where fewer than ranks are left, or drop them', function()
      assert.same({ { '1: 1 2', '2: 7' }, { '1: 3 4', '2: 1' }, { '1: 5 6', '2: 2' } }, all({ batch = 2, ranks = 3 }, 7))
      assert.same({ { '1: 1 2' }, { '1: 3 4' }, { '1: 5 6' } }, all({ batch = 2, ranks = 3, dropLast = true }, 7))
      assert.same({ { '1: 1' }, { '1: 1' }, { '1: 1' } }, all({ batch = 2, ranks = 3 }, 1))
   end)
   it('are those of dist, where it has been started', function()
      local file = temporary.put([[
         local feed, dist = require 'feed', require 'dist'.init()
         local l = feed.loader{dataset = feed.tensors(torch.range(1, 8)), batch = 2}
         local sum = torch.DoubleTensor{0}
         for batch in l:epoch() do sum:add(batch:sum()) end
         local own = sum[1]
         dist.allreduce(sum)
         assert(own < 36 and sum[1] == 36 and l:batches() == 2)
         dist.barrier()
         if dist.rank() == 0 then print('fine') end
      ]], '.lua')
      local p = io.popen(("timeout 120 '%s' -n 2 '%s' 2>&1"):format((TH:gsub('th$', 'thrun')), file))
      local out = p:read '*a'
      p:close()
      assert(out:find 'fine', out)
   end)
end)

describe('a state', function()
   local options = { batch = 4, shuffle = true, chunk = 5, window = 2 }
   local function make(workers, more)
      local all = { dataset = noisy(more and more.n or 57), workers = workers }
      if more then more.n = nil end
      for k, v in pairs(options) do all[k] = v end
      for k, v in pairs(more or {}) do all[k] = v end
      return feed.loader(all)
   end
   it('is small, and what torch.save takes', function()
      local l = make(0)
      l:epoch()()
      assert.same({ epoch = 1, place = 4, size = 57, seed = 1, shuffle = true, chunk = 5, window = 2 }, l:state())
      assert.same(l:state(), torch.deserialize(torch.serialize(l:state())))
   end)
   it('taken after any batch goes on with the next, with any number of workers', function()
      local wanted = texts(make(0), 2)
      for _, workers in ipairs { 0, 3 } do
         local l, back = make(workers), make(3 - workers)
         for at = 1, #wanted - 1, 7 do
            local got = {}
            l:epoch(1)
            local turn, step = 0, l:epoch()
            while turn < at do
               local batch = step()
               if batch then turn = turn + 1 else step = l:epoch() end
            end
            back:restore(l:state())
            while #got < #wanted - at do
               for batch, i in back:epoch() do got[#got + 1] = i .. ': ' .. table.concat(batch:totable(), ' ') end
            end
            for k = 1, #wanted - at do assert.equal(wanted[at + k], got[k]) end
         end
         l:close()
         back:close()
      end
   end)
   it('goes on with another number of ranks: what was given out does not come again', function()
      local seen, state = {}, nil
      local function give(l, most)
         local turn = 0
         for batch in l:epoch() do
            for _, v in ipairs(batch:totable()) do seen[#seen + 1] = math.floor(v) end
            turn = turn + 1
            if turn == most then break end
         end
         return l:state()
      end
      for rank = 0, 2 do state = give(make(0, { n = 58, rank = rank, ranks = 3 }), 2) end
      for rank = 0, 1 do give(make(0, { n = 58, rank = rank, ranks = 2 }):restore(state)) end
      assert.same(range(58), sorted(seen))
   end)
   it('of a process that was killed in the middle of an epoch goes on with the same batches', function()
      local file, log = temporary.name '.t7', temporary.name '.log'
      local script = temporary.put([[
         local feed = require 'feed'
         local file, log, workers, last = arg[1], arg[2], tonumber(arg[3]), tonumber(arg[4])
         local d = feed.map(feed.tensors(torch.range(1, 90)), function(x, random) return x + torch.uniform(random) end)
         local l = feed.loader{dataset = d, batch = 4, shuffle = true, workers = workers}
         local ok, state = pcall(torch.load, file)
         if ok then l:restore(state) end
         local out, turn = io.open(log, 'a'), 0
         while l:state().epoch < 3 do
            for batch, i in l:epoch() do
               out:write(l:state().epoch, '.', i, ': ', table.concat(batch:totable(), ' '), '\n')
               out:flush()
               torch.save(file, l:state())
               turn = turn + 1
               if turn == last then os.execute('kill -9 $PPID') end
            end
         end
      ]], '.lua')
      local function run(at, workers, last)
         return os.execute(("timeout 120 '%s' %s %s %s %d %d 2>/dev/null"):format(TH, script, at, log, workers, last))
      end
      assert.equal(0, run(temporary.name '.t7', 0, -1))
      local wanted = temporary.get(log)
      os.remove(log)
      for _, workers in ipairs { 2, 0, 4 } do assert.not_equal(0, run(file, workers, 9)) end
      assert.equal(0, run(file, 1, -1))
      assert.equal(46, select(2, wanted:gsub('\n', '')))
      assert.equal(wanted, temporary.get(log))
   end)
   it('of another dataset or order is refused, and nothing changes', function()
      local l = make(0)
      local state = l:state()
      for name, v in pairs { size = 56, seed = 2, shuffle = false, chunk = 4, window = 3 } do
         local other = {}
         for k, x in pairs(state) do other[k] = x end
         other[name] = v
         refuses(('loader:restore: %s is %s in the state, and %s here'):format(name, tostring(v), tostring(state[name])),
            l.restore, l, other)
      end
      refuses('state must be a table from loader:state(), got nil', l.restore, l)
      state.place = 58
      refuses('loader:restore: state.place must be a whole number in 0..57, got a number (58)', l.restore, l, state)
      state.place, state.epoch = 3, 0.5
      refuses('loader:restore: state.epoch must be', l.restore, l, state)
      assert.equal(0, l:state().place)
   end)
end)

describe('loader:epoch', function()
   it('goes on where a loop was left, and begins an epoch that is named', function()
      for _, workers in ipairs { 0, 2 } do
         local l = loader({ batch = 2, workers = workers }, 6)
         l:epoch()()
         assert.same({ '2: 3 4', '3: 5 6' }, texts(l))
         l:epoch()()
         l:epoch(1)
         assert.same({ '1: 1 2', '2: 3 4', '3: 5 6' }, texts(l))
         assert.equal(2, l:state().epoch)
         l:close()
      end
   end)
   it('ends the loops that were there', function()
      local l = loader({ batch = 2 }, 5)
      local outer, turns = l:epoch(), 0
      outer()
      for _ in l:epoch() do turns = turns + 1 end
      assert.equal(2, turns)
      refuses('feed.loader: this loop is over: the loader has gone on', outer)
      local ended = l:epoch()
      for _ = 1, 3 do assert.truthy(ended()) end
      assert.is_nil(ended())
      assert.is_nil(ended())
      assert.equal(3, l:state().epoch)
      local old = l:epoch()
      l:restore(l:state())
      refuses('this loop is over', old)
   end)
   it('refuses what is no epoch', function()
      local l = loader {}
      refuses('loader:epoch: n must be a whole number in 1..9007199254740991, got a number (0)', l.epoch, l, 0)
      refuses('loader:epoch: n must be', l.epoch, l, 'x')
      refuses('loader:epoch: argument 1 must be a loader made by feed.loader, got a number (3)', l.epoch, 3)
   end)
end)

describe('batches', function()
   local function only(samples, more)
      local options = { dataset = feed.list(samples), batch = 9 }
      for k, v in pairs(more or {}) do options[k] = v end
      return feed.loader(options):epoch()()
   end
   it('are stacked tensors, tensors of numbers, lists of strings, and tables of these', function()
      local b = only { { x = torch.IntTensor { 1, 2 }, y = 1, z = 'a', [1] = { true } }, { x = torch.IntTensor { 3, 4 }, y = 2, z = 'b', [1] = { false } } }
      assert.equal('torch.IntTensor', b.x:type())
      assert.same({ { 1, 2 }, { 3, 4 } }, b.x:totable())
      assert.same({ 1, 2 }, b.y:totable())
      assert.same({ 'a', 'b' }, b.z)
      assert.same({ { true, false } }, b[1])
   end)
   it('of tensors do not share their elements with the dataset', function()
      local x = torch.ones(4)
      feed.loader { dataset = feed.tensors(x), batch = 4 }:epoch()():fill(7)
      assert.equal(4, x:sum())
   end)
   it('are what collate makes of a list and its numbers', function()
      for _, workers in ipairs { 0, 1 } do
         local b = only({ 'x', 'y' }, { workers = workers, collate = function(s, n) return { table.concat(s), n[2] } end })
         assert.same({ 'xy', 2 }, b)
      end
   end)
   it('are refused where samples differ, and the samples are named', function()
      local hint = ': that makes no batch; the option collate takes a function that makes one'
      refuses('feed.loader: sample 2 has a string, sample 1 a number (1)' .. hint, only, { 1, 'x' })
      refuses('sample 3 has a torch.DoubleTensor of size 3, sample 1 a torch.DoubleTensor of size 2' .. hint, only,
         { torch.ones(2), torch.ones(2), torch.ones(3) })
      refuses('sample 2 has a torch.FloatTensor of size 2, sample 1', only, { torch.ones(2), torch.ones(2):float() })
      refuses('sample 2 has a string at .y, sample 1 a number (1)', only, { { y = 1 }, { y = 'x' } })
      refuses('sample 2 has .z, sample 1 does not' .. hint, only, { { y = 1 }, { z = 1 } })
      refuses('sample 2 has .x.z, sample 1 does not', only, { { x = { y = 1 } }, { x = { y = 1, z = 1 } } })
      refuses('sample 1 has .z, sample 2 does not', only, { { y = 1, z = 1 }, { y = 1 } })
   end)
   it('made by a collate that fails name their samples', function()
      refuses('collate, for the samples 1 ... 2: ', only, { 1, 2 }, { collate = function() error 'no' end })
      refuses('collate, for the samples 1 ... 2, returned nil', only, { 1, 2 }, { collate = function() end })
   end)
end)

describe('batches with reuse', function()
   -- A dataset of each kind that makes whole batches.
   local name = temporary.name '.pack'
   feed.pack(name, feed.tensors(torch.range(1, 2 * 61):view(61, 2)))
   local npy = temporary.name '.npy'
   torch.save(npy, torch.range(1, 2 * 61):view(61, 2))
   local kinds = {
      feed.records(name), feed.npy(npy), feed.tensors(torch.range(1, 2 * 61):view(61, 2)),
      feed.subset(feed.records(name), torch.range(61, 1, -1):long()),
   }

   it('are the same while each has its turn', function()
      for _, set in ipairs(kinds) do
         for _, how in ipairs { { 0 }, { 1, 1 }, { 1, 3 }, { 3, 1 }, { 2, 2 } } do
            local plain = feed.loader { dataset = feed.zip { x = set }, batch = 4, shuffle = true }
            local again = feed.loader { dataset = feed.zip { x = set }, batch = 4, shuffle = true, reuse = true, workers = how[1], prefetch = how[2] }
            for _ = 1, 3 do
               local step = again:epoch()
               for wanted in plain:epoch() do
                  local timer, batch = torch.Timer(), step()
                  if how[1] > 0 then while timer:time().real < 2e-4 do end end        -- threads get ahead
                  assert.same(wanted.x:totable(), batch.x:totable())
               end
               assert.is_nil(step())
            end
            again:close()
         end
      end
   end)
   it('lie in few places', function()
      for _, set in ipairs(kinds) do
         for workers = 0, 2 do
            local places, count = {}, 0
            for batch in feed.loader { dataset = set, batch = 6, dropLast = true, workers = workers, reuse = true }:epoch() do
               local at = tostring(batch:data())
               if not places[at] then count = count + 1 end
               places[at] = true
            end
            assert(count == 1 or workers > 0 and count <= 3 * workers, count)
         end
      end
   end)
end)

describe('an error of a dataset that makes batches', function()
   local function of(more)
      local set = { size = function() return 4 end, get = function(_, i) return i end }
      for k, v in pairs(more) do set[k] = v end
      return feed.loader { dataset = set, batch = 2 }
   end
   it('is raised: that of the sample, if one is to blame, else its own', function()
      local function fail() error('no batch', 0) end
      refuses('feed.loader: batch, for the samples 1 ... 2: no batch', of { batch = fail }:epoch())
      refuses('feed.loader: sample 2: no sample', of { batch = fail, get = function(_, i)
         if i == 2 then error('no sample', 0) end
         return i
      end }:epoch())
   end)
   it('that is Ctrl-C ends the loop', function()
      local asked = 0
      refuses('feed.loader: interrupted', of { batch = function() error('interrupted', 0) end, get = function() asked = asked + 1 end }:epoch())
      assert.equal(0, asked)
   end)
   it('cannot come from what is no function', function()
      refuses('feed.loader: dataset.batch must be a function, got a number (5)', of, { batch = 5 })
   end)
end)

describe('an error in a sample', function()
   local function failing(workers, what)
      return feed.loader { batch = 2, workers = workers, dataset = {
         size = function() return 9 end,
         get = function(_, i)
            if i == 6 then return what(i) end
            return i
         end } }
   end
   it('is raised in the reader behind the batches before it, with the number of the sample; the loader can be used again', function()
      local before = threads()
      for _, workers in ipairs { 0, 1, 3 } do
         local l = failing(workers, function() error('no such file', 0) end)
         local got = {}
         local ok, why = pcall(function() for b in l:epoch() do got[#got + 1] = b:sum() end end)
         assert.is_false(ok)
         assert.equal('feed.loader: sample 6: no such file', why)
         assert.same({ 3, 7 }, got)
         assert.equal(before, threads_become(before))
         refuses('sample 6: no such file', l:epoch())
         l:epoch(1)
         assert.equal(3, l:epoch()():sum())
         l:close()
      end
   end)
   it('that is no text says what it is', function()
      refuses('feed.loader: sample 6: an error that is a table', function() texts(failing(1, function() error {} end)) end)
   end)
   it('that is nil is one', function()
      for _, workers in ipairs { 0, 2 } do
         refuses('feed.loader: sample 6: the dataset returned nil', function() texts(failing(workers, function() return nil end)) end)
      end
   end)
   it('that ends the thread is one, and nothing hangs', function()
      local before = threads()
      local l = failing(2, function()
         local c = require 'ffi'
         c.cdef 'void pthread_exit(void *result);'
         c.C.pthread_exit(nil)
      end)
      refuses('feed.loader: its thread has ended', function() texts(l) end)
      assert.equal(before, threads_become(before))
   end)
   it('that cannot go to a thread says where it is', function()
      local file = io.tmpfile()
      local l = feed.loader { workers = 1, dataset = { size = function() return 1 end, get = function() return file end } }
      refuses('feed.loader: the variable file of a function cannot go to another thread: it is a userdata', l:epoch())
      l = feed.loader { workers = 1, dataset = { size = function() return 1 end, get = function() return 1 end, x = { file } } }
      refuses("feed.loader: the loader's dataset.x cannot go to another thread: it is a userdata", l:epoch())
      l = feed.loader { workers = 1, dataset = feed.list { 1 }, init = function() error('no device', 0) end }
      refuses('feed.loader: no device', l:epoch())
   end)
end)

describe('threads of a loader', function()
   it('end when it is closed or forgotten, in the middle of an epoch', function()
      local before = threads()
      local l = loader { workers = 3 }
      l:epoch()()
      assert.equal(before + 3, threads())
      l:close()
      l:close()
      assert.equal(before, threads_become(before))
      assert.equal('2: 2', texts(l)[1])
      l = nil
      collectgarbage()
      collectgarbage()
      assert.equal(before, threads_become(before))
      assert.is_nil(l)
   end)
   it('do no more than they may: workers × prefetch batches ahead', function()
      local done = torch.IntTensor { 0 }
      local l = feed.loader { workers = 1, prefetch = 3, dataset = { done = done, size = function() return 50 end, get = function(self, i)
         self.done[1] = i
         return i
      end } }
      local step = l:epoch()
      step()
      local timer = torch.Timer()
      while done[1] < 4 and timer:time().real < 10 do end
      timer:reset()
      while timer:time().real < 0.1 do end
      assert.equal(4, done[1])
      l:close()
   end)
   it('end with the process, whatever they do', function()
      local file = temporary.put([[
         local l = require 'feed'.loader{workers = 2, dataset = {size = function() return 100 end, get = function(_, i)
            local t = torch.Timer()
            while t:time().real < 0.05 do end
            return i
         end}}
         l:epoch()()
         print('end')
      ]], '.lua')
      local p = io.popen(("timeout 60 '%s' %s 2>&1; echo $?"):format(TH, file))
      assert.equal('end\n0\n', p:read '*a')
      p:close()
   end)
   it('keep the tensors that they share from growing', function()
      local x = torch.range(1, 6)
      local l = loader { dataset = feed.tensors(x), batch = 2, workers = 2 }
      local step = l:epoch()
      step()
      refuses('cannot grow', x.resize, x, 1000)
      assert.same({ 3, 4 }, step():totable())
      l:close()
      assert.equal(1000, x:resize(1000):size(1))
   end)
   it('make tensors of the default type of the reader', function()
      local l = loader { dataset = feed.list { 1, 2, 3, 4 }, workers = 1, prefetch = 1 }
      assert.equal('torch.DoubleTensor', l:epoch()():type())
      torch.setdefaulttensortype 'torch.FloatTensor'
      l:epoch(2)
      local ok, batch = pcall(l:epoch())
      torch.setdefaulttensortype 'torch.DoubleTensor'
      l:close()
      assert(ok, batch)
      assert.equal('torch.FloatTensor', batch:type())
   end)
   it('have what init has loaded before the dataset comes', function()
      local dir = os.tmpname()
      os.remove(dir)
      assert(os.execute(("mkdir '%s'"):format(dir)) == 0)
      local f = io.open(dir .. '/ownset.lua', 'w')
      f:write [[
         local Set = torch.class('OwnSet')
         function Set:__init(n) self.n = n end
         function Set:size() return self.n end
         function Set:get(i) return 10 * i end
         return OwnSet
      ]]
      f:close()
      local before = package.path
      package.path = dir .. '/?.lua;' .. package.path
      local set = require 'ownset'(3)
      local l = loader { dataset = set, batch = 3, workers = 1, init = function() require 'ownset' end }
      local ok, got = pcall(texts, l)
      l:close()
      package.path = before
      os.execute(("rm -r '%s'"):format(dir))
      assert.same({ true, { '1: 10 20 30' } }, { ok, got })
   end)
   it('give each batch once, also where it cannot be pinned at first', function()
      local there, boom = package.loaded.cutorch, true
      package.loaded.cutorch = { createCudaHostDoubleTensor = function(sizes)
         if boom then error('no pinned memory', 0) end
         return torch.DoubleTensor(sizes)
      end }
      for workers = 0, 2 do
         boom = false
         local l = loader({ workers = workers, pin = true }, 5)
         local step = l:epoch()
         step()
         boom = true
         refuses('no pinned memory', step)
         boom = false
         assert.same({ '2: 2', '3: 3', '4: 4', '5: 5' }, texts(l))
         l:close()
      end
      package.loaded.cutorch = there
   end)
   it('raise Ctrl-C while their answers are put away, and the loader stays where it was', function()
      local file = temporary.put([[
         local ffi = require 'ffi'
         ffi.cdef 'int getpid(void);'
         local l = require 'feed'.loader{workers = 1, prefetch = 3, dataset = {size = function() return 12 end, get = function(_, i)
            local t = torch.Timer()
            while t:time().real < 0.3 do end
            return i
         end}}
         l:epoch()()
         local state = l:state()
         state.place = 10
         os.execute(('(sleep 0.2; kill -INT %d) &'):format(ffi.C.getpid()))
         print(pcall(l.restore, l, state))
         print(l:state().place)
         for batch in l:epoch() do print(batch[1]) if batch[1] == 4 then break end end
         l:restore(state)
         for batch in l:epoch() do print(batch[1]) end
      ]], '.lua')
      local p = io.popen(("timeout 60 '%s' %s 2>&1"):format(TH, file))
      local out = p:read '*a'
      p:close()
      assert.truthy(out:find '^false\t[^\n]*interrupted\n1\n2\n3\n4\n11\n12\n$', out)
   end)
   it('survive Ctrl-C: the next batch is the one that was waited for', function()
      local file = temporary.put([[
         local ffi = require 'ffi'
         ffi.cdef 'int getpid(void);'
         local l = require 'feed'.loader{workers = 2, dataset = {size = function() return 4 end, get = function(_, i)
            local t = torch.Timer()
            while i == 2 and t:time().real < 1 do end
            return i
         end}}
         print(l:epoch()()[1])
         os.execute(('(sleep 0.3; kill -INT %d) &'):format(ffi.C.getpid()))
         print(pcall(l:epoch()))
         for batch in l:epoch() do print(batch[1]) end
      ]], '.lua')
      local p = io.popen(("timeout 60 '%s' %s 2>&1"):format(TH, file))
      local out = p:read '*a'
      p:close()
      assert.truthy(out:find '^1\nfalse\tfeed%.loader: [^\n]*interrupted\n2\n3\n4\n$', out)
   end)
   it('keep memory flat', function()
      ffi.cdef 'int getpagesize(void);'
      local function resident()
         collectgarbage()
         return tonumber(io.open '/proc/self/statm':read '*l':match '^%d+ (%d+)') * ffi.C.getpagesize()
      end
      local l = feed.loader { dataset = feed.tensors(torch.zeros(1600, 2048)), workers = 2, batch = 16 }
      local function epochs(n) for _ = 1, n do for _ in l:epoch() do end end end
      epochs(16)                                              -- 400 MB: what is kept for later has been filled
      local before = resident()
      epochs(16)
      assert(resident() - before < 1e8, ('%d bytes more'):format(resident() - before))
      l:close()
   end)
end)

describe('feed.loader', function()
   local function bad(text, options)
      options.dataset = options.dataset == nil and feed.list { 1 } or options.dataset
      refuses('feed.loader: ' .. text, feed.loader, options)
   end
   it('refuses bad options', function()
      refuses('feed.loader: options must be a table, got nil', feed.loader)
      bad('dataset must be a table, got a number (3)', { dataset = 3 })
      bad('dataset must be a dataset, a table with the functions size and get, got a table', { dataset = {} })
      bad('the size of the dataset must be a whole number from 0 on, got a string', { dataset = { size = function() return 'x' end, get = print } })
      bad('there is no option batchSize; there are batch, chunk, collate, dataset, dropLast, init, pin, prefetch, rank, ranks, reuse, seed, shuffle, window, workers',
         { batchSize = 3 })
      for _, v in ipairs { 0, -1, 1.5, 0 / 0, math.huge } do bad('batch must be a whole number in 1..2147483648, got', { batch = v }) end
      bad('workers must be a whole number in 0..1024, got a number (-1)', { workers = -1 })
      bad('prefetch must be a whole number in 1..16, got a number (17)', { prefetch = 17 })
      bad('seed must be a whole number in 0..9007199254740992, got a number (-1)', { seed = -1 })
      bad('chunk must be a whole number in 1', { chunk = 0 })
      bad('window must be a whole number in 1', { window = 0.5 })
      bad('shuffle must be a boolean, got a number (1)', { shuffle = 1 })
      bad('collate must be a function, got a number (1)', { collate = 1 })
      bad('rank and ranks are given both or not at all', { rank = 1 })
      bad('rank must be a whole number in 0..1, got a number (2)', { rank = 2, ranks = 2 })
      bad('ranks must be a whole number in 1', { rank = 0, ranks = 0 })
      if not package.loaded.cutorch then bad("pin needs cutorch: require 'cutorch' first", { pin = true }) end
   end)
end)
