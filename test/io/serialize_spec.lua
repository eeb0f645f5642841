-- test/io/serialize_spec.lua - .t7 files: objects both ways, damaged input, functions that stay closed, atomic saves.
local torch = require 'torch'
local ffi = require 'ffi'
local paths = require 'paths'
local clone = require 'torch.serialize'.clone

local count = 0
local function folder()                     -- a fresh empty folder
   count = count + 1
   local name = os.tmpname()
   os.remove(name)
   assert(paths.mkdir(name))
   return name
end

local function read_bytes(name)
   local f = assert(io.open(name, 'rb'))
   local s = f:read '*a'
   f:close()
   return s
end

local function round(x, mode) return torch.deserialize(torch.serialize(x, mode), mode) end

local home = {}
local Pair = torch.class('spec.Pair', home)
function Pair:__init(a, b) self.a, self.b = a, b end
local Packed = torch.class('spec.Packed', home)
Packed.__version = 3
function Packed:__init(v) self.v = v end
function Packed:write(f)
   f:writeDouble(self.v)
   f:writeObject { inner = self.v }
end
function Packed:read(f, version)
   self.v, self.version = f:readDouble(), version
   self.inner = f:readObject().inner
end

for _, mode in ipairs { 'binary', 'ascii' } do
   describe('torch.serialize, ' .. mode, function()
      it('brings plain values back', function()
         local x = { 1, -0.5, 1e300, 'text\0\n', '', true, false, { nested = { {}, {} } }, [2.5] = 'k', [true] = 't' }
         assert.same(x, round(x, mode))
         assert.is_nil(round(nil, mode))
         local nan = round(0 / 0, mode)
         assert.is_true(nan ~= nan)
         assert.equal(-math.huge, round(-math.huge, mode))
      end)

      it('brings tensors of every type back with sizes, strides, offset and shared storage', function()
         for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' } do
            local s = torch[name .. 'Storage'] { 1, 2, 3, 4, 5, 6, 7 }
            local x = torch[name .. 'Tensor'](s, 2, torch.LongStorage { 3, 2 }, torch.LongStorage { 1, 3 })
            local y = torch[name .. 'Tensor'](s, 1, torch.LongStorage { 7 })
            local r = round({ x, y, x, torch[name .. 'Tensor']() }, mode)
            assert.equal('torch.' .. name .. 'Tensor', torch.typename(r[1]))
            assert.same({ 3, 2 }, r[1]:size():totable())
            assert.same({ 1, 3 }, r[1]:stride():totable())
            assert.equal(2, r[1]:storageOffset())
            assert.same({ 1, 2, 3, 4, 5, 6, 7 }, r[2]:storage():totable())
            assert.equal(torch.pointer(r[1]:storage()), torch.pointer(r[2]:storage()))
            assert.is_true(rawequal(r[1], r[3]))
            assert.equal(0, r[4]:dim())
            assert.equal(torch.typename(r[1]), torch.typename(r[4]))
         end
      end)

      it('keeps Longs beyond 2^53', function()
         local s = torch.LongStorage(1)
         s[1] = 2 ^ 62
         ffi.cast('int64_t *', s.s.data)[0] = 2 ^ 62 + 1LL
         local r = round(s, mode)
         assert.is_true(ffi.cast('int64_t *', r.s.data)[0] == 4611686018427387905LL)
      end)

      it('keeps a single number without dimension apart from an empty tensor', function()
         local one = torch.tensor(2.5)
         local r = round({ one, torch.Tensor() }, mode)
         assert.equal(1, r[1]:nElement())
         assert.equal(0, r[2]:nElement())
      end)

      it('keeps cycles and sharing, and objects of classes', function()
         local p = home.Pair(1, { 'x' })
         p.me, p.b.p = p, p
         local r = round({ p, p }, mode)
         assert.is_true(rawequal(r[1], r[2]))
         assert.is_true(rawequal(r[1], r[1].me))
         assert.is_true(rawequal(r[1], r[1].b.p))
         assert.equal('spec.Pair', torch.typename(r[1]))
      end)

      it('lets classes write themselves, and tells them the version of the file', function()
         local r = round({ home.Packed(2), home.Packed(3) }, mode)
         assert.equal(2, r[1].v)
         assert.equal(3, r[2].inner)
         assert.equal(3, r[1].version)
      end)

      it('carries a list of a hundred thousand links', function()
         local first = {}
         local last = first
         for _ = 1, 1e5 do
            last.next = {}
            last = last.next
         end
         local n, r = 0, round(first, mode)
         while r.next do r, n = r.next, n + 1 end
         assert.equal(1e5, n)
      end)

      it('refuses to nest write methods without end', function()
         local p = home.Packed(1)
         local Deep = torch.class('spec.Deep' .. mode, home)
         function Deep:__init(inner) self.inner = inner end
         function Deep:write(f) f:writeObject(self.inner) end
         function Deep:read(f) self.inner = f:readObject() end
         for _ = 1, 300 do p = home['Deep' .. mode](p) end
         assert.equal(1, (function(r)
            while r.inner and type(r.inner) == 'table' do r = r.inner end
            return r.v
         end)(round(p, mode)))
         for _ = 1, 2000 do p = home['Deep' .. mode](p) end
         assert.error_matches(function() torch.serialize(p, mode) end,
                              'write methods are inside of each other more than')
      end)

      it('writes what two objects share twice when told to, and refuses cycles then', function()
         local s, name = { 1 }, os.tmpname()
         torch.save(name, { s, s }, mode, false)
         local r = torch.load(name, mode)
         assert.is_false(rawequal(r[1], r[2]))
         assert.same({ { 1 }, { 1 } }, r)
         s.me = s
         assert.error_matches(function() torch.save(name, { s }, mode, false) end,
                              'object%[1%]%.me contains itself: an unreferenced file cannot hold it')
         assert.same({ { 1 }, { 1 } }, torch.load(name, mode))
         os.remove(name)
      end)
   end)
end

describe('torch.serialize', function()
   it('says where in an object the unwritable thing is', function()
      local co = coroutine.create(function() end)
      assert.error_matches(function() torch.serialize { a = { [3] = co } } end,
                           'torch.serialize: object%.a%[3%] cannot be written: it is a thread')
      assert.error_matches(function() torch.serialize { f = string.rep } end,
                           'object%.f cannot be written: it is a function written in C')
      assert.error_matches(function() torch.serialize { Pair } end, 'object%[1%] cannot be written: it is a class')
      assert.error_matches(function() torch.serialize(ffi.new 'int[2]') end,
                           'object cannot be written: it is a cdata')
      assert.error_matches(function() torch.serialize(1, 'json') end,
                           "mode must be 'binary', 'ascii', 'b32' or 'b64'")
      assert.error_matches(function() torch.deserialize(1) end, 'torch.deserialize: text must be a string')
      assert.error_matches(function() torch.deserialize('', 'binary', 3) end, 'options must be a table')
   end)

   it('writes the constructor of a class as an empty table, with a warning', function()
      local said, real = {}, print
      _G.print = function(text) said[#said + 1] = text end
      local ok, got = pcall(round, { list = { home.Pair }, home.Packed, home.Packed })
      _G.print = real
      assert.is_true(ok, got)
      assert.same({ list = { {} }, {}, {} }, got)
      assert.equal(got[1], got[2])
      table.sort(said)
      assert.same({ '$ Warning: the constructor spec.Packed is written as an empty table',
                    '$ Warning: the constructor spec.Pair is written as an empty table' }, said)
      assert.equal(home.Pair, clone({ home.Pair })[1])
   end)

   it('warns of unwritable fields of an object and leaves them out', function()
      local p, lines, old = home.Pair(1, coroutine.create(function() end)), {}, print
      rawset(_G, 'print', function(s) lines[#lines + 1] = s end)
      local ok, r = pcall(round, p)
      rawset(_G, 'print', old)
      assert.is_true(ok)
      assert.equal(1, r.a)
      assert.is_nil(r.b)
      assert.same({ '$ Warning: cannot write object field <b> of <spec.Pair>' }, lines)
   end)

   it('names the package that defines an unknown class', function()
      local text = torch.serialize(home.Pair(1, 2)):gsub('spec%.Pair', 'spac.Pair')
      assert.error_matches(function() torch.deserialize(text) end,
                           "an object of the unknown class spac.Pair: call require 'spac' first")
   end)

   it('reads tensors of a GPU as tensors of the CPU', function()
      local text = torch.serialize(torch.FloatTensor { 1, 2, 3 })
      text = text:gsub('\17%z%z%ztorch%.FloatTensor', '\16\0\0\0torch.CudaTensor')
         :gsub('\18%z%z%ztorch%.FloatStorage', '\17\0\0\0torch.CudaStorage')
      local x = torch.deserialize(text)
      assert.equal('torch.FloatTensor', torch.typename(x))
      assert.same({ 1, 2, 3 }, x:totable())
      local d = torch.serialize(torch.DoubleStorage { 1.5 }):gsub('\19%z%z%ztorch%.Double', '\23\0\0\0torch.CudaDouble')
      assert.same({ 1.5 }, torch.deserialize(d):totable())
   end)

   it('gives the same bytes for tables whose keys are objects, in the file or with id', function()
      local function bytes(order)
         local nodes, t = {}, { nodes = {}, set = {}, own = {} }
         for _, i in ipairs(order) do nodes[i] = { name = 'n' .. i } end
         for i = 1, #order do t.nodes[i] = nodes[i] end
         for _, i in ipairs(order) do t.set[nodes[i]], t.own[{ id = i }] = i, true end
         return torch.serialize(t)
      end
      local up, mixed = {}, {}
      for i = 1, 40 do up[i], mixed[i] = i, i * 7 % 41 end
      assert.is_true(bytes(up) == bytes(mixed))
   end)

   it('gives the same bytes as a storage', function()
      local s = torch.serializeToStorage { 1, 'a' }
      assert.equal(torch.serialize { 1, 'a' }, s:string())
      assert.same({ 1, 'a' }, torch.deserializeFromStorage(s))
      assert.error_matches(function() torch.deserializeFromStorage 'x' end, 'storage must be a torch.CharStorage')
      assert.error_matches(function() torch.deserializeFromStorage(torch.IntStorage(2)) end,
                           'needs a CharStorage or a ByteStorage')
   end)

   it('forgets what a failed write has begun', function()
      local f, t = torch.MemoryFile(), { 'shared' }
      assert.is_false(pcall(f.writeObject, f, { t, print }))
      local place = f:position()
      f:writeObject(t)
      f:seek(place)
      assert.same({ 'shared' }, f:readObject())
   end)
end)

describe('functions in files', function()
   local k = 3
   local own = torch.serialize { f = function(a) return a + k end, n = 1 }
   local text = own:gsub('serialize_spec', 'elsewhere_spec')      -- code of another process: the source has another name

   it('are functions again in the process that has written them', function()
      assert.equal(5, torch.deserialize(own).f(2))
      local f, n = torch.MemoryFile(), 0
      f:writeObject { inc = function() n = n + 1 end, get = function() return n end }
      f:seek(1)
      local r = f:readObject()
      r.inc()
      assert.equal(1, r.get())
      assert.equal(0, n)
   end)

   it('stay closed in that process, too, for {unsafe = false}', function()
      assert.equal('torch.OpaqueFunction', torch.typename(torch.deserialize(own, { unsafe = false }).f))
   end)

   it('stay closed, and say how they are opened', function()
      local r = torch.deserialize(text)
      assert.equal('torch.OpaqueFunction', torch.typename(r.f))
      assert.equal(1, r.n)
      assert.error_matches(function() r.f(1) end, '{unsafe = true}.*TH_UNSAFE_LOAD=1')
   end)

   it('are loaded when the caller trusts the file', function()
      assert.equal(5, torch.deserialize(text, 'binary', { unsafe = true }).f(2))
      assert.equal(5, torch.deserialize(text, { unsafe = true }).f(2))
   end)

   it('survive a passage through a program that does not open them', function()
      local again = torch.serialize(torch.deserialize(text))
      assert.equal(5, torch.deserialize(again, { unsafe = true }).f(2))
   end)

   it('share their variables', function()
      local n = 0
      local o = { inc = function() n = n + 1 end, get = function() return n end }
      local r = torch.deserialize(torch.serialize(o), { unsafe = true })
      r.inc()
      r.inc()
      assert.equal(2, r.get())
      assert.equal(0, n)
   end)

   it('are refused when their code is damaged', function()
      local from = assert(text:find('\27LJ', 1, true))
      for _, c in ipairs { { 0, 'x', 'no bytecode' }, { 3, '\9', 'bytecode version 9' }, { 4, '\0', 'GC64 mode' },
                           { 2, 'u', 'no bytecode' } } do
         local at = from + c[1]
         local bad = text:sub(1, at - 1) .. c[2] .. text:sub(at + 1)
         assert.error_matches(function() torch.deserialize(bad, { unsafe = true }) end, c[3])
      end
      local lua = text:sub(1, from - 1) .. '\27Lua' .. text:sub(from + 4)
      assert.error_matches(function() torch.deserialize(lua, { unsafe = true }) end, 'PUC Lua')
   end)

   it('are refused when their code ends early, after any number of bytes', function()
      local from = assert(text:find('\27LJ', 1, true))
      local a, b, c, d = text:byte(from - 4, from - 1)                 -- the length of the code
      local whole = a + 256 * (b + 256 * (c + 256 * d))
      assert.is_true(whole > 20 and from + whole - 1 <= #text)
      for n = 0, whole - 1 do
         local cut = text:sub(1, from - 5) .. string.char(n % 256, math.floor(n / 256), 0, 0) .. text:sub(from, from + n - 1)
            .. text:sub(from + whole)
         assert.error_matches(function() torch.deserialize(cut, { unsafe = true }) end,
            n < 3 and 'no bytecode' or n == 3 and 'bytecode version none, not 2' or 'torch.deserialize: .*bytecode')
      end
   end)
end)

describe('clone', function()
   it('copies tables, tensors and what they share, once', function()
      local x = torch.FloatTensor { 1, 2, 3 }
      local o = { x, x, torch.FloatTensor(x:storage(), 2, torch.LongStorage { 2 }), { x } }
      local c = clone(o)
      assert.is_true(rawequal(c[1], c[2]))
      assert.is_true(rawequal(c[1], c[4][1]))
      c[1][2] = 20
      assert.equal(20, c[3][1])
      assert.equal(2, x[2])
   end)

   it('carries functions with their own variables, and shares packages, classes and C functions', function()
      local state, n = { 1 }, 0
      local o = home.Pair(function()
         n = n + 1
         return state, torch, n
      end, string.rep)
      o.class, o.thread, o.state = Pair, coroutine.create(function() end), state
      local c = clone(o)
      local s, t = c.a()
      assert.is_true(rawequal(s, c.state))
      assert.is_false(rawequal(s, state))
      assert.is_true(rawequal(t, torch))
      assert.equal(0, n)
      assert.equal(string.rep, c.b)
      assert.is_true(rawequal(Pair, c.class))
      assert.equal(o.thread, c.thread)
      assert.equal('spec.Pair', torch.typename(c))
   end)

   it('keeps metatables and lets classes copy themselves', function()
      local mt = { __index = function() return 7 end }
      local c = clone { setmetatable({ 1 }, mt), home.Packed(5) }
      assert.equal(7, c[1].missing)
      assert.equal(5, c[2].inner)
   end)
end)

describe('torch.save', function()
   ffi.cdef [[
      struct spec_rlimit { unsigned long now, most; };
      int getrlimit(int what, struct spec_rlimit *l);
      int setrlimit(int what, const struct spec_rlimit *l);
      void *signal(int number, void *handler);
      int chmod(const char *path, unsigned mode);
      int symlink(const char *to, const char *path);
      unsigned umask(unsigned mask);
   ]]
   local FSIZE, XFSZ, IGNORE = 1, 25, ffi.cast('void *', 1)

   -- Runs f while no file can be longer than n bytes: as on a disk that is full.
   local function with_little_room(n, f)
      local old, new = ffi.new 'struct spec_rlimit', ffi.new 'struct spec_rlimit'
      ffi.C.signal(XFSZ, IGNORE)
      ffi.C.getrlimit(FSIZE, old)
      new.now, new.most = n, old.most
      ffi.C.setrlimit(FSIZE, new)
      local ok, why = pcall(f)
      ffi.C.setrlimit(FSIZE, old)
      return ok, why
   end

   it('leaves the old file when the disk is full, and nothing else', function()
      local dir = folder()
      local name = dir .. '/model.t7'
      torch.save(name, 'old')
      local before = read_bytes(name)
      local ok, why = with_little_room(100000, function() torch.save(name, torch.DoubleTensor(1e5):fill(1)) end)
      assert.is_false(ok)
      assert.truthy(why:find('torch.save: cannot write ' .. name, 1, true), why)
      assert.truthy(why:find 'after 100000 bytes; the old file is unchanged', why)
      assert.equal(before, read_bytes(name))
      local names = {}
      for f in paths.iterfiles(dir) do names[#names + 1] = f end
      assert.same({ 'model.t7' }, names)
      paths.rmall(dir, 'yes')
   end)

   it('and torch.load give back one value', function()
      local name = os.tmpname()
      torch.save(name, { 1 })
      assert.equal(1, select('#', torch.load(name)))
      os.remove(name)
   end)

   it('leaves the old file when an object cannot be written', function()
      local dir = folder()
      local name = dir .. '/model.t7'
      torch.save(name, 'old')
      assert.error_matches(function() torch.save(name, { torch.Tensor(1e5), string.rep }) end,
                           'object%[2%] cannot be written')
      assert.equal('old', torch.load(name))
      assert.equal(3, #paths.dir(dir))
      paths.rmall(dir, 'yes')
   end)

   it('keeps the mode of the old file and follows links', function()
      local dir = folder()
      local name, link = dir .. '/model.t7', dir .. '/link.t7'
      torch.save(name, 1)
      ffi.C.chmod(name, 416)                                 -- rw-r-----
      assert.equal(0, ffi.C.symlink('model.t7', link))
      torch.save(link, 2)
      assert.equal(2, torch.load(name))
      local f = io.popen(('stat -c "%%a %%F" %s %s'):format(name, link))
      assert.equal('640 regular file\n777 symbolic link\n', f:read '*a')
      f:close()
      local old = ffi.C.umask(63)                            -- 077
      torch.save(dir .. '/new.t7', 3)
      ffi.C.umask(old)
      f = io.popen(('stat -c %%a %s/new.t7'):format(dir))
      assert.equal('600\n', f:read '*a')
      f:close()
      paths.rmall(dir, 'yes')
   end)

   it('makes the file that a dangling link names, and leaves the link', function()
      local dir = folder()
      assert(paths.mkdir(dir .. '/far'))
      for link, to in pairs { near = 'new.t7', beside = 'far/new.t7', whole = dir .. '/far/whole.t7', second = 'first' } do
         assert.equal(0, ffi.C.symlink(to, dir .. '/' .. link))
      end
      assert.equal(0, ffi.C.symlink('far/two.t7', dir .. '/first'))
      for link, file in pairs { near = 'new.t7', beside = 'far/new.t7', whole = 'far/whole.t7', second = 'far/two.t7' } do
         torch.save(dir .. '/' .. link, link)
         assert.equal(link, torch.load(dir .. '/' .. file))
         assert.equal(link, torch.load(dir .. '/' .. link))
         local f = io.popen(('stat -c %%F %s/%s %s/%s'):format(dir, link, dir, file))
         assert.equal('symbolic link\nregular file\n', f:read '*a')
         f:close()
      end
      paths.rmall(dir, 'yes')
   end)

   it('refuses links that lead in a circle, and into a folder that is missing', function()
      local dir = folder()
      assert.equal(0, ffi.C.symlink('b', dir .. '/a'))
      assert.equal(0, ffi.C.symlink('a', dir .. '/b'))
      assert.equal(0, ffi.C.symlink('no/such.t7', dir .. '/c'))
      assert.error_matches(function() torch.save(dir .. '/a', 1) end, 'torch.save: cannot open .*/a: Too many levels of symbolic links')
      assert.error_matches(function() torch.save(dir .. '/c', 1) end, 'cannot make a temporary file beside .*/no/such.t7: No such file')
      assert.equal(5, #paths.dir(dir))
      paths.rmall(dir, 'yes')
   end)

   it('and torch.load keep no file open, whatever instruction an interrupt ends', function()
      local dir = folder()
      local name = dir .. '/x.t7'
      torch.save(name, { torch.ones(3), 'old' })
      local function descriptors() return #paths.dir '/proc/self/fd' end
      local function interrupted(n, f, ...)
         local left, started, finished, a, b, c = n, false, false, ...
         debug.sethook(function()
            left = started and left - 1 or left
            if left == 0 and not finished then error 'interrupted' end
         end, '', 1)
         pcall(function()
            started = true
            f(a, b, c)
            finished = true
         end)
         debug.sethook()
         return not finished
      end
      jit.off()                                    -- compiled code calls no hook
      collectgarbage()
      collectgarbage()
      local before, count = descriptors(), 0
      for _, call in ipairs { { torch.load, name }, { torch.save, name, { torch.ones(3), 'new' } } } do
         local n = 0
         repeat
            n = n + 1
            local hit = interrupted(n, unpack(call))
            count = count + (hit and 1 or 0)
         until not hit
      end
      jit.on()
      collectgarbage()
      collectgarbage()
      assert.equal(before, descriptors())
      assert.is_true(count > 300, tostring(count))
      assert.equal(3, #paths.dir(dir))
      assert.equal('new', torch.load(name)[2])
      paths.rmall(dir, 'yes')
   end)

   it('leaves nothing when it is killed', function()
      local dir = folder()
      ffi.cdef 'int open(const char *path, int flags, ...); int close(int fd);'
      local fd = ffi.C.open(dir, 0x410002)                   -- O_TMPFILE | O_RDWR
      if fd < 0 then return end                              -- this file system gives every file a name
      ffi.C.close(fd)
      torch.save(dir .. '/old.t7', 'old')
      for _, name in ipairs { 'old.t7', 'new.t7' } do
         -- Dies while it writes the last of its objects.
         local script = ([[
            local torch = require 'torch'
            require 'ffi'.cdef 'int raise(int number);'
            local T = torch.class 'Deadly'
            function T:write() require 'ffi'.C.raise(9) end
            torch.save('%s/%s', { torch.Tensor(1e5):zero(), Deadly() })
         ]]):format(dir, name)
         os.execute(("'%s' -e \"%s\" 2>/dev/null"):format(os.getenv 'TH', script))
      end
      assert.equal('old', torch.load(dir .. '/old.t7'))
      local names = paths.dir(dir)
      table.sort(names)
      assert.same({ '.', '..', 'old.t7' }, names)
      paths.rmall(dir, 'yes')
   end)

   it('writes into what is no plain file as it is', function()
      torch.save('/dev/null', { 1, 2, 3 })
      assert.is_false(paths.filep '/dev/null')
   end)

   it('names the folder that is missing, and a folder that is no file', function()
      assert.error_matches(function() torch.save('/no/such/model.t7', 1) end,
                           'torch.save: cannot make a temporary file beside /no/such/model.t7: No such file or directory')
      local dir = folder()
      assert.error_matches(function() torch.save(dir, 1) end, 'irectory')
      assert.is_true(paths.dirp(dir))
      paths.rmall(dir, 'yes')
      assert.error_matches(function() torch.save(3, 1) end, 'torch.save: filename must be a string')
   end)
end)

describe('torch.load', function()
   it('names the file in every error', function()
      assert.error_matches(function() torch.load '/no/such/model.t7' end,
                           'torch.load: cannot open /no/such/model.t7: No such file')
      local name = os.tmpname()
      assert.error_matches(function() torch.load(name) end,
                           'torch.load: ' .. name:gsub('%p', '%%%0') .. ' ends after 0')
      local f = io.open(name, 'wb')
      f:write '\99\0\0\0'
      f:close()
      assert.error_matches(function() torch.load(name) end,
                           'torch.load: ' .. name:gsub('%p', '%%%0') .. ': no object begins with the tag 99')
      assert.error_matches(function() torch.load(name, 'text') end, 'torch.load: mode must be')
      os.remove(name)
   end)

   it('refuses tensors that reach outside of their storage', function()
      -- tag, index, version, class, dimensions | size | stride | offset | storage
      local good = torch.serialize(torch.DoubleTensor { 1, 2 })
      local at = assert(good:find('torch.DoubleTensor', 1, true)) + #'torch.DoubleTensor'
      local function with(place, bytes)
         return good:sub(1, at + place - 1) .. bytes .. good:sub(at + place + #bytes)
      end
      local function refuses(text, why) assert.error_matches(function() torch.deserialize(text) end, why) end
      assert.same({ 1, 2 }, torch.deserialize(good):totable())
      refuses(with(0, '\255\255\255\255'), 'a tensor has at most 16 dimensions, not %-1')
      refuses(with(0, '\17\0\0\0'), 'a tensor has at most 16 dimensions, not 17')
      refuses(with(4, '\3'), 'impossible: .* does not fit a storage of 2 elements')
      refuses(with(4, ('\255'):rep(8)), 'must not be negative')
      refuses(with(12, '\2'), 'does not fit')
      refuses(with(12, ('\255'):rep(8)), 'stride 1 of a tensor must not be negative, got %-1')
      refuses(with(12, ('\255'):rep(7) .. '\127'), 'impossible')
      refuses(with(20, '\0'), 'the offset of a tensor must be at least 1, got 0')
      refuses(with(20, '\2'), 'does not fit')
      refuses(with(20, ('\255'):rep(7) .. '\127'), 'the offset of a tensor is')
      refuses(with(28, '\1\0\0\0'), 'a DoubleTensor needs a DoubleStorage, got')
      refuses(with(32, '\1\0\0\0'), 'a DoubleTensor needs a DoubleStorage, got a torch.DoubleTensor')
   end)
end)

describe('damaged files', function()
   local function corpus()
      local p = home.Pair(torch.FloatTensor { { 1, 2 }, { 3, 4 } }, 'name')
      local x = torch.DoubleTensor { 1, 2, 3, 4, 5, 6 }
      return { p, p, { x, x:narrow(1, 2, 3) }, torch.LongStorage { 7, 8 }, torch.ByteTensor { 1, 2 }, true, 0.25,
               home.Packed(9), function(a) return a + x[1] end, torch.HalfTensor { 1 }, { k = { v = {} } } }
   end

   local touched = 0
   local function touch(v, seen)                             -- reads all that was loaded
      if type(v) == 'cdata' then
         local s = torch.typename(v):match 'Tensor$' and v:storage() or v
         if s and torch.typename(s):match 'Storage$' then
            for i = 1, #s do touched = touched + (s[i] == 1 and 1 or 0) end
         end
         if torch.typename(v):match 'Tensor$' and v:nElement() < 1000 then touched = touched + #tostring(v) end
      elseif type(v) == 'table' and not seen[v] then
         seen[v] = true
         for k, x in next, v do
            touch(k, seen)
            touch(x, seen)
         end
      end
   end

   local errors, values = 0, 0
   local function try(text, mode)
      local ok, r = pcall(torch.deserialize, text, mode)
      if ok then
         values = values + 1
         touch(r, {})
      else
         errors = errors + 1
         if type(r) ~= 'string' or not r:find '^.-torch%.deserialize: ' then
            error('a strange error: ' .. tostring(r))
         end
      end
   end

   for _, mode in ipairs { 'binary', 'ascii' } do
      it(('give an error or a value, wherever one byte of a %s file is changed or the end is missing'):format(mode),
         function()
            errors, values = 0, 0
            local text = torch.serialize(corpus(), mode)
            try(text, mode)
            assert.equal(0, errors)
            collectgarbage()
            local bytes, lua = torch.memory().bytes, collectgarbage 'count'
            local most = 0
            for at = 1, #text do
               local byte = text:byte(at)
               local changes = { 0, 255, (byte + 1) % 256, (byte + 128) % 256, (byte + 255) % 256, byte == 57 and 48 or 57 }
               for _, b in ipairs(changes) do
                  try(text:sub(1, at - 1) .. string.char(b) .. text:sub(at + 1), mode)
               end
               try(text:sub(1, at - 1), mode)
               most = math.max(most, torch.memory().bytes - bytes)
               if at % 50 == 0 then collectgarbage() end
            end
            collectgarbage()
            assert.is_true(errors > #text and values > #text, 'the changes must matter, and not always')
            assert.is_true(most < 64 * 2 ^ 20, ('%d bytes were taken'):format(most))
            assert.is_true(collectgarbage 'count' - lua < 32 * 2 ^ 10)
         end)
   end

   it('give an error when lengths are beyond all memory', function()
      local huge = ('\255'):rep(3) .. '\127'
      local function refuses(text, why) assert.error_matches(function() torch.deserialize(text) end, why) end
      refuses('\2\0\0\0' .. huge .. 'abc', 'a string of 2147483647 bytes, but 3 are left')
      refuses('\3\0\0\0\1\0\0\0' .. huge, 'a table of 2147483647 elements, but 0 bytes are left')
      refuses('\4\0\0\0\1\0\0\0' .. huge, 'the version of an object of 2147483647 bytes')
      local s = torch.serialize(torch.DoubleStorage { 1 })
      refuses(s:sub(1, -17) .. ('\255'):rep(7) .. '\127' .. s:sub(-8), 'elements are wanted, but the file ends after 1')
      refuses(s:sub(1, -17) .. ('\255'):rep(8) .. s:sub(-8), 'a DoubleStorage has the size %-1')
   end)
end)

describe('methods of classes that read and write', function()
   local function class_with(fields, parent)
      count = count + 1
      local name = 'spec.Methods' .. count
      local class = torch.class(name, parent or 'spec.Pair', home)
      for k, f in pairs(fields) do class[k] = f end
      return class, home['Methods' .. count]
   end

   it('may be called __write and __read, which come before write and read', function()
      local _, make = class_with {
         __write = function(self, f) f:writeInt(self.a * 2) end,
         __read = function(self, f) self.a = f:readInt() end,
         write = function() error 'write' end,
         read = function() error 'read' end,
      }
      assert.equal(14, round(make(7)).a)
      assert.equal(28, clone(clone(make(7))).a)
   end)

   it('are inherited', function()
      local base = class_with { __write = function(self, f) f:writeObject { self.b, self.a } end,
                                __read = function(self, f) self.a, self.b = unpack(f:readObject()) end }
      local _, make = class_with({}, base.__typename)
      local o = round(make(1, 2))
      assert.same({ 2, 1 }, { o.a, o.b })
   end)

   it('may be replaced in the classes of tensors and storages', function()
      local mt = torch.getmetatable 'torch.ShortTensor'
      local x, y = torch.ShortTensor { 1, 2 }, torch.ShortTensor { 3 }
      mt.__write = function(self, f) f:writeInt(self:nElement()) end
      mt.__read = function(self, f) self:resize(f:readInt()):fill(9) end
      local ok, got = pcall(round, { x, { y, x } })
      mt.__write, mt.__read = nil, nil
      assert.is_true(ok, got)
      assert.same({ { 9, 9 }, { 9 } }, { got[1]:totable(), got[2][1]:totable() })
      assert.is_true(rawequal(got[1], got[2][2]))
      assert.same({ 1, 2 }, round(x):totable())

      local storage = torch.getmetatable 'torch.ShortStorage'
      local write = storage.write
      storage.write = function(self, f)
         self:fill(4)
         write(self, f)
      end
      ok, got = pcall(round, x)
      storage.write = write
      assert.is_true(ok, got)
      assert.same({ 4, 4 }, got:totable())
   end)

   it('get objects that __factory makes from the file', function()
      local class, make = class_with { __read = function(self, f) self.more = f:readObject() end,
                                       __write = function(self, f)
                                          f:writeInt(self.a)
                                          f:writeObject { self }
                                       end }
      class.__factory = function(f) return setmetatable({ a = f:readInt() }, class) end
      local o = round(make(5))
      assert.equal(5, o.a)
      assert.equal(o, o.more[1])
      class.__factory = function() return nil end
      assert.error_matches(function() round(make(5)) end,
                           'the factory of ' .. class.__typename:gsub('%p', '%%%0') .. ' made no object of a class, but nil')
   end)
end)

describe('a class that another replaces', function()
   local function replaced()
      count = count + 1
      local name = 'spec.Replaced' .. count
      local Old = torch.class(name, 'spec.Pair', home)
      function Old:which() return 'old' end
      local o = home['Replaced' .. count](1, 2)
      local New = torch.class(name, 'spec.Pair', home)
      function New:which() return 'new' end
      return o, Old, New
   end

   it('gives its files to the new one', function()
      local o, _, New = replaced()
      local loaded = round(o)
      assert.same({ 'old', 'new', 1, 2 }, { o:which(), loaded:which(), loaded.a, loaded.b })
      assert.equal(New, getmetatable(loaded))
   end)

   it('keeps its objects when they are cloned', function()
      local o, Old = replaced()
      local copy = clone { o, { o } }
      assert.equal(Old, getmetatable(copy[1]))
      assert.equal(copy[1], copy[2][1])
      assert.not_equal(o, copy[1])
      assert.same({ 'old', 1, 2 }, { copy[1]:which(), copy[1].a, copy[1].b })
   end)
end)
