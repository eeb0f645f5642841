-- test/text/vocabularies.lua - compares encode with recorded cases: th test/text/vocabularies.lua FOLDER
--
-- FOLDER has vocabularies as NAME.gguf, with texts in NAME.gguf.inp and their ids in NAME.gguf.out, as
-- vendor/llama.cpp/models of the
-- source archive of llama-cpp-python (PyPI) has. Texts are divided by lines __ggml_vocab_test__, and each line of ids
-- belongs to one.
local text = require 'text'

local folder = arg[1] or error('usage: th test/text/vocabularies.lua FOLDER', 0)

local function read(name)
   local f = assert(io.open(name, 'rb'))
   local s = f:read '*a'
   f:close()
   return s
end

local function texts_of(s)
   local list, mark, from = {}, '\n__ggml_vocab_test__\n', 1
   while true do
      local a, b = s:find(mark, from, true)
      if not a then break end
      list[#list + 1] = s:sub(from, a - 1)
      from = b + 1
   end
   if from <= #s then list[#list + 1] = s:sub(from) end
   return list
end

local function ids_of(tokenizer, s) return table.concat(tokenizer:encode(s, { special = false,
   parse = false }):totable(), ' ') end

local total, equal = 0, 0
local list = io.popen("ls '" .. folder:gsub("'", "'\\''") .. "'/*.gguf.inp")
for name in list:lines() do
   local file = name:sub(1, -5)
   local began = os.clock()
   local tokenizer = text.load(file)
   local loaded = os.clock() - began
   local wanted, good, n = {}, 0, 0
   for line in read(file .. '.out'):gmatch '([^\n]*)\n' do wanted[#wanted + 1] = (line:gsub('^%s+', '')) end
   for i, s in ipairs(texts_of(read(name))) do
      n = n + 1
      local got = ids_of(tokenizer, s)
      if got == wanted[i] then good = good + 1
      else print(('%s, case %d: %q\n  wanted %s\n  got    %s'):format(file:match '[^/]*$', i, s, tostring(wanted[i]), got)) end
   end
   print(('%-40s %6d tokens, loaded in %.2f s: %d of %d equal'):format(file:match '[^/]*$', #tokenizer, loaded, good, n))
   total, equal = total + n, equal + good
end
list:close()
print(('tokenizer cases: %d of %d equal'):format(equal, total))
if equal ~= total or total == 0 then os.exit(1) end
