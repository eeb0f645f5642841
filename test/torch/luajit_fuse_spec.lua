-- LuaJIT's option 'fuse': with it, compiled code reads entries of tables and fields of structs too late. torch.fuse turns it off.
local plain = require 'test.support.launcher'

-- Many loops, as each is compiled in its own way. Prints how many answers are wrong.
local counts = [[
local wrong = 0
for variant = 1, 300 do
   local count = assert(loadstring('-- ' .. ('x'):rep(7 * variant) .. '\n' .. [=[
      return function(list)
         local n = 0
         for k in pairs(list) do
            if type(k) == 'number' and k > n and k % 1 == 0 then n = k end
         end
         return n
      end]=]))()
   local lists = { [0] = {}, { 1 }, { {}, 'a' }, [5] = { 1, 2, 'x', {}, 5 } }
   local named = { x = 1, y = 2 }
   for _ = 1, 200 do
      for n, list in pairs(lists) do
         if count(list) ~= n then wrong = wrong + 1 end
      end
      count(named)
   end
end
print(wrong)
]]

describe('a compiled loop over the entries of a table', function()
   it('meets each of them in th', function()
      assert.equal('0\n', (plain.th(counts)))
   end)

   it('meets each of them in th, where it calls next', function()
      assert.equal('0\n', (plain.th((counts:gsub('in pairs%(list%)', 'in next, list')))))
   end)

   it('meets each of them in a LuaJIT that requires torch', function()
      local out = plain.luajit("require 'torch'\n" .. counts)
      if not out then return pending(plain.PENDING) end
      assert.equal('0\n', out)
   end)

   it('meets each of them in a thread', function()
      assert.equal('0\n', (plain.th(([[
local threads = require 'threads'
local pool = threads.Threads(1)
pool:addjob(function() return loadstring(%q)() end)
pool:synchronize()
pool:terminate()]]):format(counts))))
   end)
end)

-- Each call reads a field of a struct, has a C function clear the struct, and returns what it read. Prints how many answers are wrong.
local reads = [[
local ffi = require 'ffi'
ffi.cdef 'void *memset(void *, int, size_t); struct fuse_message { int64_t tag; double seconds; int32_t to; };'
local memory = ffi.new('struct fuse_message[1]')
local message = ffi.cast('struct fuse_message *', memory)
local function fill(i) message.tag, message.seconds, message.to = i, i, i end
jit.off(fill)
local function take()
   local tag, seconds, to = tonumber(message.tag), message.seconds, message.to
   ffi.C.memset(memory, 0, ffi.sizeof 'struct fuse_message')
   return tag, seconds, to
end
local wrong = 0
for i = 1, 1000 do
   fill(i)
   local tag, seconds, to = take()
   local sum = tag + 1 + seconds + to
   if sum ~= 3 * i + 1 then wrong = wrong + 1 end
end
print(wrong)
]]

describe('a field that is read before a C function changes it', function()
   it('has its old value in a LuaJIT that requires torch', function()
      local out = plain.luajit("require 'torch'\n" .. reads)
      if not out then return pending(plain.PENDING) end
      assert.equal('0\n', out)
   end)

   it('has its old value in th', function() assert.equal('0\n', (plain.th(reads))) end)

   it('has its old value in a thread', function()
      assert.equal('0\n', (plain.th(([[
local threads = require 'threads'
local pool = threads.Threads(1)
pool:addjob(function() return loadstring(%q)() end)
pool:synchronize()
pool:terminate()]]):format(reads))))
   end)

   it('has its old value after jit.opt.start has set a level', function()
      assert.equal('0\n', (plain.th('jit.opt.start(3)\n' .. reads)))
   end)
end)

describe("LuaJIT's option fuse", function()
   it('is off in th and in its threads, whatever options a program sets', function()
      assert.equal('false false\n', (plain.th [[
local function fuses()
   jit.opt.start(3)
   return (' ' .. table.concat({ select(2, jit.status()) }, ' ') .. ' '):find(' fuse ', 1, true) ~= nil
end
local pool, inside = require 'threads'.Threads(1), nil
pool:addjob(fuses, function(it) inside = it end)
pool:synchronize()
pool:terminate()
print(tostring(fuses()) .. ' ' .. tostring(inside))]]))
   end)
end)
