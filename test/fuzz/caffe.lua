-- test/fuzz/caffe.lua - takes a prototxt and, behind its first zero byte, a caffemodel: loadcaffe.load reads them.
local torch = require 'torch'
local ffi = require 'ffi'
package.path = package.path .. ';./?.lua;./?/init.lua'
local judge = require 'test.fuzz.judge'
local prototxt = require 'loadcaffe.prototxt'
local loadcaffe = require 'loadcaffe'

ffi.cdef [[
   int memfd_create(const char *name, unsigned flags);
   long pwrite(int fd, const void *from, size_t n, long place);
   int ftruncate(int fd, long size);
]]

local function file()
   local fd = ffi.C.memfd_create('fuzz', 0)
   return '/proc/self/fd/' .. fd, function(text)
      assert(ffi.C.ftruncate(fd, 0) == 0 and ffi.C.pwrite(fd, text, #text, 0) == #text)
   end
end
local text_name, put_text = file()
local model_name, put_model = file()

-- A message holds lists of numbers, strings and messages alone.
local function need_message(t)
   for name, list in pairs(t) do
      assert(type(name) == 'string' and type(list) == 'table', 'a field that is none')
      for _, v in ipairs(list) do
         if type(v) == 'table' then need_message(v) else assert(type(v) == 'number' or type(v) == 'string') end
      end
   end
end

return function(bytes)
   local stop = bytes:find('\0', 1, true) or #bytes + 1
   local text, model = bytes:sub(1, stop - 1), bytes:sub(stop + 1)
   local ok, x = pcall(prototxt.read, text)
   if ok then need_message(x)
   else
      assert(type(x) == 'string' and x:find '^line %d+: ', x)
      judge.refusal('line', 'line: ' .. x)
   end
   put_text(text)
   put_model(model)
   ok, x = pcall(loadcaffe.load, text_name, model_name)
   if not ok then return judge.refusal('loadcaffe', x) end
   assert(torch.type(x) == 'nn.Sequential' and #tostring(x) > 0)
   for _, p in ipairs(x:parameters() or {}) do assert(p:type() == 'torch.FloatTensor' and #tostring(p:sum()) > 0) end
end
