-- test/fuzz/load.lua - takes a file: torch.load recognises it; what it gives is looked at, written and read again.
local torch = require 'torch'
local ffi = require 'ffi'
local npy, safetensors = require 'torch.npy', require 'torch.safetensors'
package.path = package.path .. ';./?.lua'
local judge = require 'test.fuzz.judge'

ffi.cdef [[
   int memfd_create(const char *name, unsigned flags);
   long pwrite(int fd, const void *from, size_t n, long place);
   int ftruncate(int fd, long size);
]]
local fd = ffi.C.memfd_create('fuzz', 0)
local name = '/proc/self/fd/' .. fd

local function put(text)
   assert(ffi.C.ftruncate(fd, 0) == 0 and ffi.C.pwrite(fd, text, #text, 0) == #text)
end

local MOST = 1e6                            -- elements; a view with a stride of 0 can have more than any file holds

local function small(object)
   for _, x in pairs(torch.isTensor(object) and { object } or object) do
      if torch.isTensor(x) and x:nElement() > MOST then return false end
   end
   return true
end

-- What a format writes of an object, as bytes; nothing when the format has no place for it.
local function written(write, check, object, ...)
   if not pcall(check, 'fuzz', object) or not small(object) then return nil end
   local f = torch.MemoryFile():binary()
   write(f._file[0], object, ...)
   return f:storage():string():sub(1, -2)
end

local function same(a, b)
   if torch.isTensor(a) then
      assert(a:type() == b:type() and a:isSameSizeAs(b), 'a tensor came back as another')
      return
   end
   for k, x in pairs(a) do same(x, assert(b[k], 'a tensor is lost')) end
end

local function again(write, check, object, ...)
   local text = written(write, check, object, ...)
   if not text then return end
   put(text)
   same(object, (torch.load(name)))
end

return function(text)
   put(text)
   judge.read_numbers(torch.DiskFile(name):bigEndianEncoding())
   local ok, x, notes = pcall(torch.load, name)
   if not ok then return judge.refusal('torch.load', x) end
   judge.touch(x)
   judge.touch(notes)
   if torch.isTensor(x) then again(npy.write, npy.check, x) end
   if type(x) == 'table' then
      again(npy.write_zip, npy.check_zip, x)
      again(npy.write_zip, npy.check_zip, x, true)
      again(safetensors.write, safetensors.check, x)
   end
end
