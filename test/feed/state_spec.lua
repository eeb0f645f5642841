-- test/feed/state_spec.lua - states of a loader: resuming a job.
-- runs once
local torch = require 'torch'
local feed = require 'feed'
local shared = require 'test.support.feed'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local texts, noisy, sorted, range, TH = shared.texts, shared.noisy, shared.sorted, shared.range, shared.TH

teardown(temporary.remove)

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
      local state = l:state()
      assert.truthy(state.dataset:find '^tensors %x%x%x%x%x%x%x%x$', state.dataset)
      assert.same({ epoch = 1, place = 4, size = 57, seed = 1, shuffle = true, chunk = 5, window = 2, dataset = state.dataset },
         state)
      assert.same(l:state(), torch.deserialize(torch.serialize(l:state())))
   end)
   it('taken after any batch continues with the next, with any number of workers', function()
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
   it('continues with another number of ranks, without repeating samples', function()
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
   it('of a process that was killed in the middle of an epoch continues with the same batches', function()
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

-- What a state says of a dataset.
local function known(d) return feed.loader { dataset = d }:state().dataset end

describe('the dataset of a state', function()
   local x = torch.range(1, 300):view(100, 3)
   local images, labels = 'data/digits-images-idx3-ubyte', 'data/digits-labels-idx1-ubyte'

   it('is known by its samples: another one of the same size is refused, and nothing changes', function()
      local l = feed.loader { dataset = feed.tensors(x), batch = 7 }
      l:epoch()()
      local state = l:state()
      local set = feed.tensors(x + 100)
      local other = feed.loader { dataset = set, batch = 7 }
      refuses(('loader:restore: the dataset is another one of the same size: %s in the state, and %s here; '
         .. 'if that is meant, set state.dataset to nil'):format(state.dataset, known(set)), other.restore, other, state)
      assert.equal(0, other:state().place)
      assert.equal(7, feed.loader { dataset = feed.tensors(x:clone()) }:restore(state):state().place)
      state.dataset = nil
      assert.equal(7, other:restore(state):state().place)
      for _, v in ipairs { 3, false, {} } do
         state.dataset = v
         refuses('loader:restore: state.dataset must be a string, got', l.restore, l, state)
      end
   end)
   it('differs for datasets of every kind', function()
      local t7 = temporary.name '.t7'
      torch.save(t7, { 'a', 'b' })
      local sets = {
         tensors = feed.tensors(x), float = feed.tensors(x:float()), view = feed.tensors(x:view(100, 3, 1)),
         two = feed.tensors(x, x), named = feed.tensors { a = x }, other = feed.tensors { b = x }, more = feed.tensors(x + 20),
         list = feed.list { 1, 2, 3 }, texts = feed.list { '1', '2', '3' }, last = feed.list { 1, 2, 4 },
         flags = feed.list { true, false }, deep = feed.list { { { a = 1 } } }, deeper = feed.list { { { a = 2 } } },
         t7 = feed.t7(t7), functions = feed.list { print },
         idx = feed.idx(images), idx1 = feed.idx(labels), text = feed.text 'LICENSE', text2 = feed.text 'CHANGELOG.md',
         csv = feed.csv(temporary.put 'a,b\nc,d\n'), csv2 = feed.csv(temporary.put 'a,b\nc,e\n'),
         folder = feed.folder('doc', print), zip = feed.zip(feed.tensors(x), feed.tensors(x)),
         concat = feed.concat(feed.tensors(x), feed.list { 1 }), turned = feed.concat(feed.list { 1 }, feed.tensors(x)),
         subset = feed.subset(feed.tensors(x), { 1, 2 }), subset2 = feed.subset(feed.tensors(x), { 2, 1 }),
         subset3 = feed.subset(feed.tensors(x + 50), { 1, 2 }), part = feed.split(feed.tensors(x), { 0.5, 0.5 }, 1),
         part2 = feed.split(feed.tensors(x), { 0.5, 0.5 }, 2),
      }
      local seen = {}
      for name, d in pairs(sets) do
         local is = known(d)
         assert.truthy(is:find '^%l+ %x%x%x%x%x%x%x%x$', is)
         assert.is_nil(seen[is], ('%s and %s'):format(name, tostring(seen[is])))
         seen[is] = name
         assert.equal(is, known(d))
      end
   end)
   it('is the same wherever its files lie and whenever they were written, and another when they have other contents', function()
      local pack, npy = temporary.name '.pack', temporary.name '.npy'
      feed.pack(pack, feed.tensors(x))
      torch.save(npy, x)
      local made = { text = 'a\nb\nc', csv = 'a,1\nb,2\n', records = temporary.get(pack), npy = temporary.get(npy),
         idx = temporary.get(labels) }
      for kind, bytes in pairs(made) do
         local here, there = temporary.put(bytes), temporary.put(bytes)
         assert(os.execute(("touch -d 2001-01-01 '%s'"):format(there)) == 0)
         local is = known(feed[kind](here))
         assert.equal(is, known(feed[kind](there)))
         local middle = math.floor(#bytes / 2)
         if kind == 'records' then                            -- with checksums that are right
            local y = x:clone()
            y[50][2] = 0
            feed.pack(there, feed.tensors(y))
         else there = temporary.put(bytes:sub(1, middle - 1) .. '7' .. bytes:sub(middle + 1)) end
         assert.not_equal(is, known(feed[kind](there)))
      end
   end)
   it('that lies in a folder is known by names and contents of files', function()
      local base = os.tmpname()
      os.remove(base)
      local function folder(name, files)
         for path, bytes in pairs(files) do
            assert(os.execute(("mkdir -p '%s/%s/%s'"):format(base, name, path:match '^(.*)/')) == 0)
            local f = assert(io.open(('%s/%s/%s'):format(base, name, path), 'wb'))
            f:write(bytes)
            f:close()
         end
         return feed.folder(base .. '/' .. name, print)
      end
      local first = folder('one', { ['a/x'] = 'abc', ['b/y'] = 'def' })
      local is = known(first)
      assert.equal(is, known(folder('two', { ['a/x'] = 'abc', ['b/y'] = 'def' })))
      assert.not_equal(is, known(folder('three', { ['a/x'] = 'abc', ['b/z'] = 'def' })))
      assert.not_equal(is, known(folder('four', { ['a/x'] = 'abc', ['c/y'] = 'def' })))
      assert.not_equal(is, known(folder('five', { ['a/x'] = 'abc', ['b/y'] = 'deg' })))
      assert.not_equal(is, known(folder('six', { ['a/x'] = 'abc', ['b/y'] = 'defg' })))
      os.remove(base .. '/one/a/x')
      assert.equal(is, known(first))                          -- what was seen once is known
      os.execute(("rm -r '%s'"):format(base))
   end)
   it('in tensors may differ in the last bits, as what another CPU computes may, and may have any numbers and strides', function()
      local g = torch.Generator()
      torch.manualSeed(g, 3)
      for _ = 1, 20 do
         local y = torch.DoubleTensor(500, 3):normal(g, 0, 1)
         assert.equal(known(feed.tensors(y)), known(feed.tensors(y * (1 + 1e-13))))
         assert.equal(known(feed.tensors(y)), known(feed.tensors(y + 1e-13)))
         assert.not_equal(known(feed.tensors(y)), known(feed.tensors(y * 1.2)))
         assert.not_equal(known(feed.tensors(y)), known(feed.tensors(y:index(1, torch.randperm(torch.LongTensor(), g, 500)))))
      end
      local turned = x:t():contiguous():t()
      assert.equal(known(feed.tensors(x)), known(feed.tensors(turned)))
      local odd = torch.Tensor { 0 / 0, 1 / 0, -1 / 0, 1e308, 1e-320, 0, -0 }
      assert.equal(known(feed.tensors(odd)), known(feed.tensors(odd:clone())))
      for _, word in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' } do
         local y = torch.range(1, 20):type('torch.' .. word .. 'Tensor')
         assert.equal(known(feed.tensors(y)), known(feed.tensors(y:clone())))
         assert.not_equal(known(feed.tensors(y)), known(feed.tensors(y:clone():fill(3))))
      end
      assert.truthy(known(feed.tensors(torch.Tensor(3, 0))))
      assert.truthy(known(feed.list {}))
   end)
   it('that is mapped is that before; your own may say what it is, or be known by its size alone', function()
      local set = feed.tensors(x)
      assert.equal(known(set), known(feed.map(set, function(v) return 2 * v end)))
      local own = { size = function() return 100 end, get = function(_, i) return i end }
      assert.is_nil(known(own))
      assert.is_nil(known(feed.map(own, print)))
      local l, state = feed.loader { dataset = own }, feed.loader { dataset = set }:state()
      assert.equal(0, l:restore(state):state().place)
      state.dataset = nil
      assert.truthy(feed.loader { dataset = set }:restore(l:state()))
      own.fingerprint = function() return 'mine' end
      assert.equal('mine', known(own))
      assert.not_equal(known(feed.zip(own)), known(feed.zip { own, own }))
      refuses('the dataset is another one of the same size: tensors', l.restore, l, feed.loader { dataset = set }:state())
      own.fingerprint = function() return 3 end
      refuses('loader:state: dataset:fingerprint() must return a string, got a number (3)', l.state, l)
      own.fingerprint = function() error 'no' end
      refuses('no', l.state, l)
      own.fingerprint = 3
      refuses('feed.loader: dataset.fingerprint must be a function, got a number (3)', feed.loader, { dataset = own })
   end)
   it('is an error in files that have changed', function()
      local name = temporary.put 'a\nb\n'
      local l = feed.loader { dataset = feed.text(name) }
      assert(os.execute(("touch -d 2001-01-01 '%s'"):format(name)) == 0)
      refuses('loader:state: ' .. name .. ' has changed: it has been written since', l.state, l)
   end)
   it('is quickly told', function()
      local l = feed.loader { dataset = feed.tensors(torch.zeros(1000, 1000)), batch = 10 }
      local timer = torch.Timer()
      for _ = 1, 200 do l:state() end
      assert(timer:time().real < 2, timer:time().real)
   end)
end)
