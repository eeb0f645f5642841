-- test/fuzz/hdf5.lua - takes an HDF5 file: all its values and attributes are read, and a data set is written into it.
local ffi = require 'ffi'
package.path = package.path .. ';./?.lua'
local judge = require 'test.fuzz.judge'

ffi.cdef [[
   int setenv(const char *name, const char *value, int replace);
   int getpid(void);
   int unlink(const char *name);
]]
-- The process that reads the file runs the plain library: a program without sanitizers cannot open the other one.
ffi.C.setenv('TH_LIB', './build/libth.so', 1)
local hdf5 = require 'hdf5'
local process = require 'hdf5.process'
process.patience = 3

local name = ('/dev/shm/fuzz-%d.h5'):format(ffi.C.getpid())
local seen = { values = 0, errors = 0, crashes = 0, loops = 0 }

-- Which errors and which sizes came is what the fuzzer learns from a file.
local function mark(text)
   local sum = 0
   for c in text:gsub('%d+', '0'):gmatch '.' do sum = (sum * 31 + c:byte()) % 2 ^ 31 end
   fuzz_mark(sum)                               -- luacheck: ignore fuzz_mark
end

-- f(...) gives a value or an error for users.
local function try(f, ...)
   local ok, x = pcall(f, ...)
   if ok then
      seen.values = seen.values + 1
      judge.touch(x)
      mark(tostring(x):sub(1, 500))
      return x
   end
   seen.errors = seen.errors + 1
   if tostring(x):find 'crashed' then seen.crashes = seen.crashes + 1 end
   if tostring(x):find 'too much time' then seen.loops = seen.loops + 1 end
   mark(tostring(x))
   judge.refusal(tostring(x):match '^hdf5%.open' or 'hdf5', x)
end

local function explore(f, group, depth)
   try(group.readAttribute, group, 'title')
   try(group.forEachChild, group, function(_, member)
      if member.partial then
         local sizes = try(member.dataspaceSize, member)
         local ranges = {}
         for i, n in ipairs(sizes or {}) do ranges[i] = { 1, math.min(n, 2) } end
         try(member.partial, member, unpack(ranges))
         try(member.readAttribute, member, 'scale')
      elseif depth < 3 then explore(f, member, depth + 1) end
   end)
end

local function write(name)
   local f = try(hdf5.open, name, 'r+')
   if not f then return end
   try(f.write, f, '/new', require 'torch'.ones(3))
   try(f.append, f, '/rows', require 'torch'.ones(1, 2))
   try(f.close, f)
end

local runs = 0
return function(text)
   local file = assert(io.open(name, 'wb'))
   file:write(text)
   file:close()
   local f = try(hdf5.open, name, 'r')
   if f then
      try(f.all, f)
      if f._process.pid then explore(f, f:read(), 1) end
      f:close()
      write(name)
   end
   ffi.C.unlink(name)
   runs = runs + 1
   if runs % 500 == 0 then
      io.stderr:write(('hdf5: %d files: %d values, %d errors, of them %d crashes and %d loops of libhdf5\n'):format(runs,
         seen.values, seen.errors, seen.crashes, seen.loops))
   end
end
