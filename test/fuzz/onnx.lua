-- test/fuzz/onnx.lua - takes an ONNX model: onnx.load reads it, and forward runs it where its inputs are small.
local torch = require 'torch'
local ffi = require 'ffi'
package.path = package.path .. ';./?.lua;./?/init.lua'
local judge = require 'test.fuzz.judge'
local lib = require 'torch.lib'
local types = require 'onnx.types'
local onnx = require 'onnx'

ffi.cdef [[
   int memfd_create(const char *name, unsigned flags);
   long pwrite(int fd, const void *from, size_t n, long place);
   int ftruncate(int fd, long size);
]]

local fd = ffi.C.memfd_create('fuzz', 0)
local name = '/proc/self/fd/' .. fd

-- A node may ask for any size. Tensors get 16 MB, a quarter of what fuzz.h allows for a file.
lib.C.th_memory_of(0).most = 2 ^ 24

-- A model may also ask for an endless loop.
onnx.maxTurns(10)

local MOST = 4096

-- A value for an input, or nil where it is large or of another kind.
local function value_for(input)
   if not types.words[input.type] or not input.shape or #input.shape > 6 then return nil end
   local shape, n = {}, 1
   for d, size in ipairs(input.shape) do
      shape[d] = type(size) == 'number' and size or 2
      if shape[d] < 0 or shape[d] > MOST then return nil end
      n = n * shape[d]
   end
   if n > MOST then return nil end
   return types.full(input.type, shape, 1)
end

local function check(value)
   if types.is_tensor(value) then assert(value:nElement() > 10000 or #tostring(value:double():sum()) > 0) end
end

return function(bytes)
   assert(ffi.C.ftruncate(fd, 0) == 0 and ffi.C.pwrite(fd, bytes, #bytes, 0) == #bytes)
   local ok, model = pcall(onnx.load, name)
   if not ok then return judge.refusal('onnx.load', model) end
   assert(#tostring(model) > 0)
   local x = {}
   for _, input in ipairs(model.inputs) do
      x[input.name] = value_for(input)
      if x[input.name] == nil then return end
   end
   local y
   for _ = 1, 2 do
      ok, y = pcall(model.forward, model, x)
      if not ok then
         assert(type(y) == 'string' and (y:find '^node ' or y:find '^forward: '), y)
         if y:find 'out of memory: %d+ bytes wanted' then return end     -- the limit above
         return judge.refusal('onnx', 'onnx: ' .. y)
      end
   end
   if type(y) == 'table' then for _, v in pairs(y) do check(v) end else check(y) end
   assert(torch.isTensor(y) or type(y) == 'table' or y == nil)
end
