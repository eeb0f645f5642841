-- test/faults/values.lua - steps of the tour through what is neither an op nor a module: tensors, files, tds, threads, dist.
local torch = require 'torch'
local paths = require 'paths'
local tds = require 'tds'
local feed = require 'feed'
local image = require 'image'
local optim = require 'optim'
local autograd = require 'autograd'
local dist = require 'dist'

local joined = false                          -- whether this process is a job of one

local folder = (os.getenv 'TH_FAULTS_FOLDER' or os.getenv 'TMPDIR' or '/tmp') .. '/'

local function bytes_of(name)
   local f = io.open(name, 'rb')
   if not f then return nil end
   local s = f:read '*a'
   f:close()
   return s
end

local function count_files()
   local n = 0
   for _ in paths.files(folder) do n = n + 1 end
   return n
end

local function numbers(...) return torch.range(1, torch.LongTensor { ... }:prod()):resize(...) end

-- ---- tensors and storages ----------------------------------------------------------------------------------------

local function tensors(list)
   local function add(name, run, make, state, moves)
      list[#list + 1] = {
         moves = moves, name = 'tensor ' .. name, make = make or function() return { x = numbers(40, 50),
            y = torch.ones(3) } end, run = run,
         state = state or function(given)
            local all = {}
            for k, v in pairs(given) do all[#all + 1] = { k, v } end
            return all
         end,
      }
   end
   add('constructors', function() return torch.Tensor(30, 40):zero(), torch.FloatTensor { { 1, 2 }, { 3, 4 } },
      torch.LongTensor(5):zero(), torch.tensor(3) end)
   add('storages', function() return torch.DoubleStorage(400):fill(1), torch.LongStorage { 1, 2, 3 },
      torch.CharStorage():string 'abcdef' end)
   add('views', function(given)
      local x = given.x
      return x:t(), x:narrow(1, 2, 3), x:select(2, 1), x:view(-1), x:unfold(1, 5, 2), x:sub(1, 3), x[{ { 2, 3 }, 4 }],
         x[3]:view(5, 10),
         x:split(7, 1), x:chunk(3, 2), x:squeeze(), x:view(1, 40, 50):expand(3, 40, 50), x:transpose(1, 2), x:permute(2, 1)
   end)
   add('resize', function(given) return given.y:resize(100, 100):fill(2) end)
   add('resizeAs', function(given) return given.y:resizeAs(given.x):copy(given.x) end)
   add('set', function(given) return given.y:set(given.x:storage(), 3, torch.LongStorage { 4, 5 }) end)
   add('clone and convert', function(given) return given.x:clone(), given.x:float(), given.x:t():contiguous(),
      given.x:long(), given.x:half(), given.x:type 'torch.IntTensor' end)
   add('index by a mask and by a list', function(given) return given.x[given.x:gt(300)], given.x:index(1,
      torch.LongTensor { 3, 1 }) end)
   add('assignment', function(given)
      given.x[{ { 1, 3 } }] = 7
      given.x[given.x:gt(1000)] = 1
      given.x[2] = torch.range(1, 50)
      return given.x
   end, nil, function() return {} end)
   add('storage resize', function(given)
      given.s:resize(5000)
      return #given.s, given.s[3]
   end, function() return { s = torch.DoubleStorage(10):fill(3) } end)
   add('copy between types', function(given) return given.y:copy(given.x:float():t()) end, function()
      return { x = numbers(40, 50), y = torch.zeros(50, 40) }
   end, function(given) return { given.x } end)
   add('text and tables', function(given) return tostring(given.x), given.x:totable(), given.x:storage():totable(),
      tostring(given.x:storage()) end)
   add('apply and map', function(given)
      return given.x:clone():apply(function(v) return v + 1 end), given.x:clone():map(given.x, function(a, b) return a + b end)
   end)
   add('generators', function()
      local g = torch.Generator()
      torch.manualSeed(g, 7)
      local state = torch.getRNGState(g)
      local a = torch.rand(g, 100)
      torch.setRNGState(g, state)
      return a, torch.rand(g, 100), torch.normal(g), torch.randperm(g, 30)
   end)
   add('operators', function(given) return given.x + 1, given.x * given.x:t(), -given.x, given.x / 2, 2 - given.x end)
   add('einsum', function(given) return torch.einsum('ij,kj->ik', given.x, given.x) end)
   add('autograd', function(given)
      local f = autograd(function(p) return torch.sum(torch.tanh(p.w * given.x)) end)
      return (f { w = numbers(4, 40) * 1e-4 })
   end)
   local searches = { cg = true, lbfgs = true, nag = true }  -- a failed call leaves x at the last point of the search
   for _, name in ipairs { 'sgd', 'adam', 'adagrad', 'rmsprop', 'adadelta', 'adamax', 'nag', 'rprop', 'cg', 'lbfgs', 'asgd' } do
      local function f(x) return x:dot(x), x * 2 end
      for _, steps in ipairs { 0, 2 } do
         add(('optim.%s, after %d steps'):format(name, steps), function(given)
            optim[name](f, given.w, given.state)
            return given.w
         end, function()
            local given = { w = numbers(300) * 0.001, state = { maxIter = 5 } }
            for _ = 1, steps do optim[name](f, given.w, given.state) end
            return given
         end, function(given) return { not searches[name] and given.w } end, searches[name])
      end
   end
   add('optim.Logger and ConfusionMatrix', function()
      local c = optim.ConfusionMatrix(4)
      c:batchAdd(torch.LongTensor { 1, 2, 3, 4 }, torch.LongTensor { 1, 2, 2, 4 })
      c:updateValids()
      return c.mat, tostring(c)
   end)
end

-- ---- files -------------------------------------------------------------------------------------------------------

local function object() return { numbers(30, 40), 'text', { a = true, 3.5 }, torch.LongStorage { 1, 2 },
   torch.FloatTensor(3000):fill(2) } end
local function named() return { first = numbers(30, 40), second = torch.FloatTensor(3000):fill(2),
   third = torch.LongTensor { 1, 2 } } end

local function files(list)
   local formats = {
      { '.t7', object }, { '.t7', object, 'ascii' }, { '.npy', function() return numbers(60, 40) end }, { '.npz', named },
      { '.npz', named, 'deflate' }, { '.safetensors', named }, { '.pt', object },
   }
   for _, format in ipairs(formats) do
      local extension, make, mode = format[1], format[2], format[3]
      local text = extension .. (mode and ' ' .. mode or '')
      local name = folder .. 'step' .. extension
      local new
      list[#list + 1] = {
         name = 'file torch.save ' .. text,
         make = function()
            if not new then
               torch.save(name, make(), mode)
               new = bytes_of(name)
            end
            local f = assert(io.open(name, 'wb'))
            f:write 'the old file'
            f:close()
            return { object = make(), files = count_files() }
         end,
         run = function(given)
            torch.save(name, given.object, mode)
            return bytes_of(name) == new
         end,
         state = function(given) return { given.object } end,
         look = function(given, ok)
            local now = bytes_of(name)
            if ok and now ~= new then return 'the saved file has other bytes' end
            if now ~= new and now ~= 'the old file' then return 'the file is neither the old one nor the new one' end
            if count_files() ~= given.files then return 'a temporary file stays' end
         end,
      }
      list[#list + 1] = {
         name = 'file torch.load ' .. text,
         make = function()
            torch.save(name, make(), mode)
            return {}
         end,
         run = function() return torch.load(name, mode ~= 'deflate' and mode or nil) end,
         look = function() if not bytes_of(name) then return 'the file is gone' end end,
      }
   end
   local function add(what, make, run, state, close)
      list[#list + 1] = { name = 'file ' .. what, make = make, run = run, state = state, close = close }
   end
   local none = function() return {} end
   add('torch.serialize and deserialize', function() return { o = object() } end, function(given)
      local s = torch.serialize(given.o)
      local a = torch.serialize(given.o, 'ascii')
      return torch.deserialize(s), torch.deserialize(a, 'ascii')
   end, function(given) return { given.o } end)
   add('MemoryFile', none, function()
      local f = torch.MemoryFile()
      f:writeInt(7)
      f:writeDouble(torch.DoubleStorage(1000):fill(2))
      f:writeString '\nline\n'
      f:writeObject { 1, torch.ones(5) }
      f:seek(1)
      return f:readInt(), f:readDouble(1000), f:readString '*l', f:readString '*l', f:readObject(), f:storage()
   end)
   add('DiskFile', none, function()
      local name = folder .. 'disk'
      local f = torch.DiskFile(name, 'w')
      f:writeInt(7)
      f:writeDouble(torch.DoubleStorage(1000):fill(2))
      f:close()
      f = torch.DiskFile(name, 'r')
      local a, b = f:readInt(), f:readDouble(1000)
      f:close()
      local g = torch.DiskFile(name, 'rw'):binary()
      g:seekEnd():writeLong(3)
      g:synchronize()
      local place = g:position()
      g:close()
      os.remove(name)
      return a, b, place
   end)
   add('PipeFile', none, function()
      local f = torch.PipeFile('echo 3 4', 'r')
      local a, b = f:readInt(), f:readInt()
      f:close()
      return a, b
   end)
   add('a mapped storage', function()
      local f = assert(io.open(folder .. 'mapped', 'wb'))
      f:write(('x'):rep(8000))
      f:close()
      return {}
   end, function()
      local s = torch.DoubleStorage(folder .. 'mapped')
      local t = torch.DoubleStorage(folder .. 'mapped2', true, 500)
      local n = #t
      t = nil                                             -- luacheck: ignore
      collectgarbage()
      os.remove(folder .. 'mapped2')
      return #s, s[1], n
   end)
   add('paths', none, function()
      paths.mkdir(folder .. 'new/one')
      local names = {}
      for f in paths.files(folder .. '..') do names[f] = nil end
      paths.rmdir(folder .. 'new/one')
      paths.rmdir(folder .. 'new')
      return paths.dirp(folder), paths.filep(folder), #names
   end)
   for _, kind in ipairs { 'ppm', 'pgm', 'png', 'jpg' } do
      local function picture() return torch.range(1, (kind == 'pgm' and 1 or 3) * 20 * 30):div(1800):resize(kind == 'pgm'
         and 1 or 3, 20, 30) end
      if pcall(image.save, folder .. 'picture.' .. kind, picture()) then
         add('image ' .. kind, function() return { x = picture() } end, function(given)
            local name = folder .. 'picture.' .. kind
            image.save(name, given.x)
            return image.load(name), image.load(name, nil, 'byte'), image.getSize(name)
         end, function(given) return { given.x } end)
      end
   end
   add('image geometry', function() return { x = numbers(3, 20, 30):div(1800) } end, function(given)
      return image.scale(given.x, 40, 25), image.rotate(given.x, 0.3), image.rgb2hsv(given.x), image.convolve(given.x,
         torch.ones(3, 3)),
         image.hflip(given.x), image.crop(given.x, 2, 2, 10, 10), image.gaussian(7), image.toDisplayTensor { input = given.x }
   end, function(given) return { given.x } end)
   local has_hdf5, hdf5 = pcall(require, 'hdf5')
   if has_hdf5 and pcall(require 'hdf5.library'.open) then
      add('hdf5', function() return { x = numbers(30, 40) } end, function(given)
         local name = folder .. 'data.h5'
         local function with(mode, use)                     -- libhdf5 opens no file a second time for writing
            local f = hdf5.open(name, mode)
            local ok, a, b = pcall(use, f)
            f:close()
            if not ok then error(a, 0) end
            return a, b
         end
         with('w', function(f)
            f:write('/x', given.x)
            f:write('/group', { a = torch.FloatTensor { 1, 2 }, b = 'text' })
         end)
         return with('r', function(f) return f:read '/x':all(), f:read '/group':all() end)
      end, function(given) return { given.x } end)
   end
end

-- ---- feed, tds, threads, dist ------------------------------------------------------------------------------------

local function data(list)
   local function add(what, make, run, state)
      list[#list + 1] = { name = what, make = make or function() return {} end, run = run, state = state }
   end
   add('feed tensors and loader', function() return { x = numbers(40, 6), y = torch.range(1, 40) } end, function(given)
      local out = {}
      for b in feed.loader { dataset = feed.tensors(given.x, given.y), batch = 16, shuffle = true,
         seed = 3 }:epoch() do out[#out + 1] = b end
      return out
   end, function(given) return { given.x, given.y } end)
   add('feed pack and records', nil, function()
      local name = folder .. 'records.pack'
      feed.pack(name, feed.list { { torch.ones(30), 'a' }, { torch.zeros(30), 'b' }, 'text', 3 })
      local r = feed.records(name)
      local all = {}
      for i = 1, r:size() do all[i] = r:get(i) end
      if r.close then r:close() end
      return all
   end)
   add('feed npy, csv, idx, text', function()
      torch.save(folder .. 'rows.npy', numbers(20, 5))
      local f = assert(io.open(folder .. 'rows.csv', 'w'))
      for i = 1, 50 do f:write(i, ',', i * 2, ',x', i, '\n') end
      f:close()
      return {}
   end, function()
      local npy, text, idx = feed.npy(folder .. 'rows.npy'), feed.text(folder .. 'rows.csv'),
         feed.idx 'data/digits-labels-idx1-ubyte'
      return npy:get(3), npy:size(), text:get(7), text:size(), idx:get(5), idx:size()
   end)
   add('feed map, zip, concat, subset, split', function() return { x = numbers(40, 6) } end, function(given)
      local d = feed.tensors(given.x)
      local m = feed.map(d, function(v) return v * 2 end)
      local a, b = feed.split(feed.zip(m, d), { 0.5, 0.5 })
      return a:get(1), b:size(), feed.concat(d, m):get(50), feed.subset(d, { 3, 1 }):get(2)
   end)
   add('tds Hash and Vec', nil, function()
      local h, v = tds.Hash(), tds.Vec()
      for i = 1, 60 do
         h['key' .. i], h[i] = torch.ones(2) * i, ('x'):rep(i * 9)
         v:insert(i, i)
      end
      v[3] = tds.Hash { a = 1 }
      v:insert(2, 'two')
      v:remove(5)
      local w = tds.Vec { 3, 1, 2 }
      w:sort()
      h[2], h.key3 = nil, nil
      v:resize(200)
      return #h, #v, h.key7, h[9], v[2], w[1], w[3]
   end)
   add('tds: a full table stays as it was', function()
      local h = tds.Hash()
      for i = 1, 12 do h[i] = i end
      return { h = h }
   end, function(given)
      given.h[20], given.h.name = 'value', torch.ones(100)
      local n, sum = #given.h, 0
      for i = 1, 12 do sum = sum + given.h[i] end
      return n, sum
   end)
   add('tds files', nil, function()
      local v = tds.Vec { 1, 'a', tds.Hash { b = torch.ones(3) } }
      local back = torch.deserialize(torch.serialize(v))
      return #back, back[2], back[3].b
   end)
   add('thread: a worker', nil, function()
      local worker = require 'torch.worker'
      local w = worker.new('test.support.worker_echo', 1)
      local ok, a, b = pcall(function()
         w:ask('echo', torch.ones(20), 'text')
         return w:wait()
      end)
      w:close()
      if not ok then error(a, 0) end
      return a, b
   end)
   add('thread: a pool of threads', nil, function()
      local threads = require 'threads'
      local p = threads.Threads(2, function() end)
      local sum = 0
      for i = 1, 5 do p:addjob(function(k) return k * 2, torch.ones(k) end, function(v, t) sum = sum + v + t:sum() end, i) end
      p:synchronize()
      p:terminate()
      return sum
   end)
   add('thread: a loader with threads', function() return { x = numbers(40, 6) } end, function(given)
      local out = 0
      local l = feed.loader { dataset = feed.tensors(given.x), batch = 16, workers = 2 }
      for b in l:epoch() do out = out + b:sum() end
      if l.close then l:close() end
      return out
   end)
   add('dist: a job of one', function()
      if not joined then dist.init() end
      joined = true
      return {}
   end, function()
      local x = torch.range(1, 5000)
      dist.allreduce(x)
      dist.broadcast(x, 0)
      local group = dist.group { 0 }
      dist.allreduce(x, 'sum', { group = group })
      group:close()
      dist.barrier()
      return x
   end)
end

return function(list)
   tensors(list)
   files(list)
   data(list)
end
