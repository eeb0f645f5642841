-- test/fuzz/tokenizer.lua - takes the kind of a vocabulary, the length of a text, the text and the file: text.load,
-- encode, decode.
local ffi = require 'ffi'
package.path = package.path .. ';./?.lua;./?/init.lua'
local judge = require 'test.fuzz.judge'
local pattern = require 'text.pattern'
local set = require 'text.set'
local text = require 'text'

ffi.cdef [[
   int memfd_create(const char *name, unsigned flags);
   long pwrite(int fd, const void *from, size_t n, long place);
   int ftruncate(int fd, long size);
   int symlink(const char *target, const char *path);
]]

local folder = os.tmpname()
os.remove(folder)
assert(os.execute("mkdir '" .. folder .. "'") == 0)

-- A file in memory under a name in the folder.
local function file(name)
   local fd, path = ffi.C.memfd_create('fuzz', 0), folder .. '/' .. name
   assert(ffi.C.symlink('/proc/self/fd/' .. fd, path) == 0)
   return path, function(s) assert(ffi.C.ftruncate(fd, 0) == 0 and ffi.C.pwrite(fd, s, #s, 0) == #s) end
end

local kinds = {}
for i, name in ipairs { 'tokenizer.json', 'a.txt', 'a.model', 'a.gguf', 'vocab.json' } do
   local path, put = file(name)
   kinds[i - 1] = { path = path, put = put }
end
local merges_path, put_merges = file 'other_merges.txt'

-- Tables of Unicode are made once, and their steps do not count.
pattern.new [[(?i:[^\s\p{L}\w])]]
set.property 'N'

local function check(t, s)
   local ok, ids, offsets = pcall(t.encode, t, s, { offsets = true, parse = #s % 2 == 0 })
   if not ok then return judge.refusal('text.Tokenizer:encode', ids) end
   for i = 1, ids:nElement() do
      assert(ids[i] >= 0 and ids[i] < #t, 'an id that is none')
      assert(offsets[i][1] >= 0 and offsets[i][2] <= #s and offsets[i][1] <= offsets[i][2] + 1, 'an offset outside of the text')
   end
   local decoded, back = pcall(t.decode, t, ids, { special = true })
   if not decoded then return judge.refusal('text.Tokenizer:decode', back) end
   assert(type(back) == 'string' and #t:tokens(ids) == ids:nElement())
   local batch, rows, mask = pcall(t.encodeBatch, t, { s, 'a b' }, { length = 8, types = true })
   if not batch then return judge.refusal('text.Tokenizer:encodeBatch', rows) end
   assert(rows:nElement() == mask:nElement())
end

return function(bytes)
   if #bytes < 2 then return end
   local kind, n = kinds[bytes:byte(1) % 5], bytes:byte(2)
   local s, content, options = bytes:sub(3, n + 2), bytes:sub(n + 3), nil
   if bytes:byte(1) % 5 == 4 then
      local stop = content:find('\0', 1, true) or #content + 1
      put_merges(content:sub(stop + 1))
      content, options = content:sub(1, stop - 1), { merges = merges_path }
   end
   kind.put(content)
   local ok, t = pcall(text.load, kind.path, options)
   if not ok then return judge.refusal('text.load', t) end
   assert(#t > 0 and #tostring(t) > 0)
   check(t, s)
end
