-- test/attack/files.lua - damaged files for every reader: a clear error, or a value that can be used and saved again.
-- The files begin as those of test/fuzz/seeds.lua; test/fuzz/NAME.lua checks what a reader makes of one.
package.path = './?.lua;' .. package.path
local child = require 'test.attack.child'
local lib = require 'torch.lib'
local paths = require 'paths'

local MOST, PARTS = 4096, 6                       -- bytes of a file; damages of a file
local INTS = { 0, 1, 2, 127, 128, 255, 256, 32767, 65535, 2147483647, 4294967295 }

-- One reader for each process, because some checks replace functions of Lua.
local readers = {}
for name in paths.files 'test/fuzz' do
   local reader = name:match '^(.*)%.c$'
   if reader and paths.filep('test/fuzz/' .. reader .. '.lua') then readers[#readers + 1] = reader end
end
table.sort(readers)
local reader = readers[tonumber(arg[1]) % #readers + 1]
-- A repeated case names its reader by its number: each process begins at another one.
local judge

local function seeds()
   local folder = child.folder .. '/seeds-' .. reader
   if not paths.dirp(folder) then
      assert(paths.mkdir(folder))
      local status = os.execute(('%s test/fuzz/seeds.lua %s %s >/dev/null 2>&1'):format(child.quote(child.launcher), reader,
         child.quote(folder)))
      assert(status == 0, 'test/fuzz/seeds.lua failed for ' .. reader)
   end
   local names, files = {}, {}
   for name in paths.files(folder) do
      if paths.filep(folder .. '/' .. name) then names[#names + 1] = name end
   end
   table.sort(names)
   for i, name in ipairs(names) do
      local f = assert(io.open(folder .. '/' .. name, 'rb'))
      files[i] = f:read '*a'
      f:close()
   end
   return files
end

local draw, pick = child.draw, child.pick

local function integer(n, size, big)
   local bytes = {}
   for i = 1, size do
      bytes[big and size - i + 1 or i] = string.char(n % 256)
      n = math.floor(n / 256)
   end
   return table.concat(bytes)
end

local damages = {
   function(s, at) return s:sub(1, at - 1) .. string.char(bit.bxor(s:byte(at), bit.lshift(1, draw(8) - 1))) .. s:sub(at + 1) end,
   function(s, at) return s:sub(1, at - 1) .. string.char(draw(256) - 1) .. s:sub(at + 1) end,
   function(s, at) return s:sub(1, at) .. string.char(draw(256) - 1) .. s:sub(at + 1) end,
   function(s, at) return s:sub(1, at - 1) .. s:sub(at + draw(16)) end,
   function(s, at) return s:sub(1, at + draw(16)) .. s:sub(at) end,
   function(s, at) return s:sub(1, at) end,
   function(s, at)
      local v = integer(pick(INTS), pick { 1, 2, 4, 8 }, draw(2) == 1)
      return s:sub(1, at - 1) .. v .. s:sub(at + #v)
   end,
   function(s, at, files)
      local other = pick(files)
      local from = draw(math.max(#other, 1))
      return s:sub(1, at) .. other:sub(from, from + draw(64)) .. s:sub(at + draw(64))
   end,
}

local files = seeds()
rawset(_G, 'fuzz_mark', function() end)             -- libFuzzer's, for judges that tell it what happened
judge = require('test.fuzz.' .. reader)
local memory = lib.C.th_memory_of(0)

child.run(function()
   local text = pick(files)
   for part = 1, draw(PARTS) do
      if #text > 0 then
         local damaged = pick(damages)(text, draw(#text), files)
         if child.has(part) then text = damaged end
      end
   end
   collectgarbage()
   memory.most = memory.bytes + 2 ^ 28
   local ok, why = pcall(judge, text:sub(1, MOST))
   memory.most = 0
   if not ok then return reader .. ': ' .. tostring(why) end
end)
