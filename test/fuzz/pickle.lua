-- test/fuzz/pickle.lua - takes a file of PyTorch, or a pickle: torch.load reads it, what it gives is looked at, saved and read again.
local torch = require 'torch'
local ffi = require 'ffi'
local zip = require 'torch.zip'
local to_pytorch = require 'torch.to_pytorch'
package.path = package.path .. ';./?.lua'
local judge = require 'test.fuzz.judge'
require 'torch.pytorch'

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

-- An archive with this data.pkl and four storages of 64 bytes.
local function archive(pickle)
   local f = torch.MemoryFile():binary()
   local members, none = {}, ffi.cast('uint8_t *', nil)
   local function member(its, text) members[#members + 1] = zip.member(f._file[0], 'archive/' .. its, text, none, 0, {}) end
   member('data.pkl', pickle)
   member('constants.pkl', '')
   for i = 0, 3 do member('data/' .. i, ('\0\1\2\3\64\65\255\127'):rep(8)) end
   zip.finish(f._file[0], members)
   return f:storage():string():sub(1, -2)
end

local MOST = 1e6                            -- elements; a view with a stride of 0 can have more than any file holds

local function small(v, seen)
   if torch.isTensor(v) then return v:nElement() <= MOST end
   if type(v) ~= 'table' or seen[v] then return true end
   seen[v] = true
   for _, e in next, v do
      if not small(e, seen) then return false end
   end
   return true
end

-- A value that can be saved comes back with the same tensors.
local function again(v)
   local ok, plan = pcall(to_pytorch.plan, 'torch.save', v)
   if not ok then return judge.refusal('torch.save', plan) end
   local f = torch.MemoryFile():binary()
   to_pytorch.write(f._file[0], v, plan)
   put(f:storage():string():sub(1, -2))
   local w = torch.load(name)
   judge.touch(w)
   assert(type(w) == type(v), 'a value came back as another')
   if torch.isTensor(v) then assert(v:type() == w:type() and v:isSameSizeAs(w), 'a tensor came back as another') end
end

local function try(text)
   put(text)
   local ok, v = pcall(torch.load, name)
   if not ok then return judge.refusal('torch.load', v) end
   if not small(v, {}) then return end
   judge.touch(v)
   if text:find '^PK' or text:find '^\128' then again(v) end
end

return function(text)
   try(text)
   if text:find '^\128' then try(archive(text)) end
end
