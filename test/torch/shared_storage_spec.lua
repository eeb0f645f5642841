-- test/torch/shared_storage_spec.lua - storages that are files, and memory that processes share.
local ffi = require 'ffi'
local paths = require 'paths'
local torch = require 'torch'

ffi.cdef [[
int fork(void);
int waitpid(int pid, int *status, int options);
void _exit(int status);
]]

local th = os.getenv 'TH' or 'build/bin/th'

local refuses = require 'test.support.refuses'

local function with_file(bytes, f)
   local name = os.tmpname()
   local out = assert(io.open(name, 'wb'))
   out:write(bytes)
   out:close()
   local ok, why = pcall(f, name)
   os.remove(name)
   if not ok then error(why, 0) end
end

local function collect()
   collectgarbage()
   collectgarbage()
end

describe('a storage of a file', function()
   it('begins at any element', function()
      with_file('headABCDE', function(name)
         assert.equal('ABCDE', torch.CharStorage(name, false, nil, 5):string())
         assert.equal('BC', torch.CharStorage(name, false, 2, 6):string())
         assert.equal(0, #torch.CharStorage(name, false, nil, 10))
         assert.equal(2, #torch.IntStorage(name))
         assert.equal(1, #torch.IntStorage(name, false, nil, 2))
      end)
      with_file('', function(name)
         local s = torch.IntStorage(name, true, 3, 5000)                 -- behind the first pages
         s:fill(7)
         assert.same({ 0, 7, 7, 7 }, torch.IntStorage(name, false, 4, 4999):totable())
         assert.equal(5002, #torch.IntStorage(name))
      end)
   end)
   it('is seen by the others that share it, and by tensors', function()
      with_file('', function(name)
         local a, b = torch.FloatStorage(name, true, 4), torch.FloatStorage(name, true)
         torch.FloatTensor(a):fill(2.5)
         assert.same({ 2.5, 2.5, 2.5, 2.5 }, b:totable())
         assert.equal(4, #torch.deserialize(torch.serialize(b)))
      end)
   end)
   it('is not made when nothing says how long it shall be', function()
      local name = os.tmpname()
      os.remove(name)
      refuses('cannot open ' .. name .. ': No such file', torch.IntStorage, name, true)
      refuses('cannot open ' .. name .. ': No such file', torch.IntStorage, name, false, 4)
      assert.is_false(paths.filep(name))
   end)
   it('is refused when the file is too short, no file, or too large; the file stays as it was', function()
      with_file('12345678', function(name)
         refuses(name .. ' holds 8 bytes, 12 wanted', torch.IntStorage, name, false, 3)
         refuses(name .. ' holds 8 bytes, 12 wanted', torch.IntStorage, name, false, 2, 2)
         refuses('holds 8 bytes, element 4 lies behind them', torch.IntStorage, name, false, nil, 4)
         refuses('holds 8 bytes, element 4 lies behind them', torch.IntStorage, name, true, nil, 4)
         for _, n in ipairs { 2 ^ 48, 2 ^ 50, 2 ^ 53 } do
            local ok, why = pcall(torch.DoubleStorage, name, true, n)
            assert.is_false(ok)
            assert.truthy(tostring(why):find('cannot grow', 1, true) or tostring(why):find('cannot reserve', 1, true), tostring(why))
         end
         refuses('a storage cannot have -1 elements', torch.IntStorage, name, true, -1)
         assert.equal(2, #torch.IntStorage(name))
         local missing = name .. '.missing'
         assert.is_false(pcall(torch.DoubleStorage, missing, true, 2 ^ 50))
         assert.is_false(paths.filep(missing))
      end)
      refuses('Is a directory', torch.IntStorage, '/tmp')
      refuses('Is a directory', torch.IntStorage, '/tmp', true, 4)
      refuses('cannot map /dev/null', torch.IntStorage, '/dev/null')
      refuses('cannot open /nowhere/x', torch.IntStorage, '/nowhere/x', true, 4)
   end)
   it('may not pass the limit that the shell sets for files', function()
      local name = os.tmpname()
      local f = io.popen(('sh -c "ulimit -f 8; %s -e \'print(pcall(torch.CharStorage, [[%s]], true, 1000000))\'" 2>&1'):format(th, name))
      local text = f:read '*a'
      f:close()
      os.remove(name)
      assert.truthy(text:find('cannot grow ' .. name .. ': File too large', 1, true), text)
   end)
   it('refuses arguments that are none', function()
      with_file('12345678', function(name)
         refuses('torch.IntStorage: shared must be true or false, got a number', torch.IntStorage, name, 1)
         refuses('size must be a whole number, got a number (nan)', torch.IntStorage, name, true, 0 / 0)
         refuses('offset must be at least 1, got 0', torch.IntStorage, name, true, 1, 0)
         refuses('offset must be a whole number, got a string', torch.IntStorage, name, true, 1, 'x')
         refuses('too many arguments', torch.IntStorage, name, true, 1, 1, 1)
         refuses('the name of a file must not hold a byte 0', torch.IntStorage, name .. '\0x')
         refuses('the name of a file must not be empty', torch.IntStorage, '')
         refuses('or shared memory cannot grow', function() torch.IntStorage(name):resize(10) end)
      end)
   end)
end)

describe('shared memory', function()
   it('of a name is the same in every process', function()
      local name = '/cresset-spec-' .. tostring(torch.random(2 ^ 40))
      local a = torch.IntStorage(name, true, 3, true)
      a[1] = 41
      local f = io.popen(('%s -e "local s = torch.IntStorage([[%s]], true, 3, true); s[2] = s[1] + 1; print(#s)" 2>&1'):format(th, name))
      assert.equal('3\n', f:read '*a')
      f:close()
      assert.same({ 41, 42, 0 }, a:totable())
      assert.equal(42, torch.IntStorage(name, true, nil, true)[2])
      os.remove('/dev/shm' .. name)
      refuses('cannot open ' .. name, torch.IntStorage, name, true, nil, true)
   end)
   it('counts as memory', function()
      local name = '/cresset-spec-' .. tostring(torch.random(2 ^ 40))
      collect()
      local before = torch.memory().bytes
      local s = torch.ByteStorage(name, true, 1000000, true)   -- luacheck: ignore 231
      assert.equal(before + 1000000, torch.memory().bytes)
      s = nil                                    -- luacheck: ignore 311
      collect()
      assert.equal(before, torch.memory().bytes)
      os.remove('/dev/shm' .. name)
   end)
   it('is what true in place of an offset asks for, if the storage is to be shared at all', function()
      with_file('head', function(name) assert.equal('head', torch.CharStorage(name, false, 4, true):string()) end)
   end)
   it('has the same name with or without / in front', function()
      local name = 'cresset-spec-' .. tostring(torch.random(2 ^ 40))
      local a, b = torch.IntStorage(name, true, 3, true), torch.IntStorage('/' .. name, true, 3, true)
      a:fill(7)
      assert.same({ 7, 7, 7 }, b:totable())
      assert.is_true(os.remove('/dev/shm/' .. name))
   end)
   it('has a name of one word', function()
      for _, name in ipairs { '/', '/a/b', '//' } do
         refuses("must be a word without '/', with or without one in front, got '" .. name .. "'", torch.IntStorage, name, true, 3, true)
      end
      refuses("with or without one in front, got '/a/b'", torch.IntStorage, 'a/b', true, 3, true)
      assert.is_false(pcall(torch.IntStorage, '/' .. ('x'):rep(300), true, 3, true))
      assert.is_false(pcall(torch.IntStorage, '/cresset-huge', true, 2 ^ 45, true))
      assert.is_false(paths.filep '/dev/shm/cresset-huge')
   end)
   it('of an allocator is shared with processes forked later', function()
      local shared = torch.Allocator('shared')
      local s, own = torch.LongStorage(shared, 2), torch.LongStorage(torch.Allocator(), { 5 })
      local pid = ffi.C.fork()
      if pid == 0 then
         s[2], own[1] = 99, 99
         ffi.C._exit(0)
      end
      ffi.C.waitpid(pid, nil, 0)
      assert.same({ 0, 99 }, s:totable())
      assert.same({ 5 }, own:totable())
      assert.same({ 1, 2 }, torch.IntStorage(shared, { 1, 2 }):totable())
      assert.equal(0, #torch.IntStorage(shared))
   end)
   it('is refused where the allocator or its size is none', function()
      local shared = torch.Allocator('shared')
      refuses("kind must be 'default' or 'shared', got 'x'", torch.Allocator, 'x')
      refuses("kind must be 'default' or 'shared', got a number", torch.Allocator, 1)
      refuses('size must be a whole number', torch.IntStorage, shared, 'x')
      refuses('a storage cannot have -1 elements', torch.IntStorage, shared, -1)
      refuses('too many arguments', torch.IntStorage, shared, 1, 2)
      assert.is_false(pcall(torch.IntStorage, shared, 2 ^ 45))
   end)
end)
