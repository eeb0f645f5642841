-- torch.bytecode - files of our packages that the build has compiled: one file beside libth has
-- their bytecode, which loads about ten times as fast as the text.
--
-- Bytecode is used only where the text that it was made from equals the text of the file, so an
-- edited file counts at once. And only where this LuaJIT dumps a probe as the one that wrote the
-- bytecode did, because versions of LuaJIT differ in their instructions. In all other cases the
-- text is compiled, which has the same effect. The file has these parts:
--    a line with MAGIC, a line with the sizes of the next two parts
--    the probe
--    the index: a line for each file with its name below lua/, the place of its bytecode, and the
--    sizes of bytecode and text
--    for each file its bytecode, without the name of the chunk, and its text
local environment = require 'torch.environment'
local original = require 'torch.original'
local ffi = require 'ffi'

-- Names of our own, because programs may declare the same functions in another way.
ffi.cdef [[
int th_os_open(const char *name, int how, ...) __asm__("open");
long th_os_pread(int file, void *to, size_t n, int64_t place) __asm__("pread");
int th_os_close(int file) __asm__("close");
int th_os_compare(const void *a, const void *b, size_t n) __asm__("memcmp");
int th_os_number(void *file) __asm__("fileno");
]]

local M = {}

local MAGIC = 'Cresset bytecode 1\n'
local MOST = 2 ^ 24                          -- bytes of the probe and of the index
local HEAD = 5                               -- bytes of a dump before the name of the chunk

-- Instructions of all kinds. It has no table with several keys, whose order in a dump may vary.
local PROBE = [[
local a, b = ..., { 1, 2 }
local function f(x, ...) local y, z = x, select('#', ...) return y, z end
for i = 1, 10, 3 do a = i + b[1] - b[i] * 2 / 3 % 4 ^ 5 .. -a .. #b end
for k, v in pairs(b) do
   if k == v or not k and v ~= 'x' then b[k], b.y = v, nil elseif k < 1 then break end
end
while a <= 1.5 do
   a = f(a, b, 0x7fffffff, 1e300)
   repeat local c = a b = function() c = c + 1 return c, b end until c >= a
end
function b.m(self, x) return self:m(x), x.y[x][3], 12LL end
return f(a, b(...)), 'text', true, false, nil
]]

--- What LuaJIT makes of a probe: equal texts stand for equal bytecode.
-- @param front  what precedes each file
function M.probe(front)
   local dump = string.dump(assert(original.loadstring(PROBE, '=probe')))
   return table.concat({ jit.version, jit.os, jit.arch, front, dump }, '\n')
end

-- ---- reading ------------------------------------------------------------------------------------

-- The name of the file with bytecode: beside libth, which TH_LIB may name.
local here = debug.getinfo(1, 'S').source:match '^@(.*)[/\\][^/\\]*$' or '.'
local function places()
   local lib = environment.get 'TH_LIB'
   if lib then return { lib:match '^(.*/)[^/]*$' or './' } end
   local prefix = here .. '/../../../../lib/'
   return { here .. '/../../build/', prefix, prefix .. 'lua/5.1/' }
end

local file, index, base

-- Where files are read to, and the bytes that it has room for.
local room, most = nil, 0
local function room_for(n)
   if n > most then room, most = ffi.new('uint8_t[?]', 2 * n), 2 * n end
   return room
end

-- The file at its first bytecode, and the index; nil without a file for this LuaJIT. Mode e:
-- programs that this one starts do not inherit the descriptor.
local function read_head(name, front)
   local f = io.open(name, 'rbe')
   if not f then return nil end
   local probe, size
   if f:read(#MAGIC) == MAGIC then probe, size = f:read('*n', '*n') end
   local fits = probe and size and probe >= 0 and size >= 0 and probe <= MOST and size <= MOST
   if fits and f:read(1) == '\n' and f:read(probe) == M.probe(front) then
      local list = f:read(size)
      if list and #list == size then return f, list end
   end
   f:close()
   return nil
end

--- Opens the file with bytecode. It stays open: a new one that the build renames to its name has no
-- effect on this program.
-- @param front  the text that precedes that of each file
-- @param name   of the file (default: the one beside libth)
-- @return whether it is there and fits this LuaJIT
function M.open(front, name)
   if file then file:close() end
   file, index = nil, nil
   for _, folder in ipairs(name and { '' } or places()) do
      file, index = read_head(name or folder .. 'th.bytecode', front)
      if file then
         base = file:seek()
         return true
      end
   end
   return false
end

local function uleb128(n)
   local text = ''
   while n >= 128 do
      text, n = text .. string.char(n % 128 + 128), math.floor(n / 128)
   end
   return text .. string.char(n)
end

-- The part of the index for a module: the place of its bytecode, the sizes of bytecode and text.
local function entry_of(name, path)
   local tail = path:find('/init.lua', -9, true) and '/init.lua' or '.lua'
   local key = name:gsub('%.', '/') .. tail
   local _, stop = index:find('\n' .. key .. ' ', 1, true)
   if not stop then return nil end
   local place, size, bytes = index:match('^(%d+) (%d+) (%d+)\n', stop + 1)
   return tonumber(place), tonumber(size), tonumber(bytes)
end

-- Reads a file that must have n bytes.
local function read_text(path, to, n)
   local descriptor = ffi.C.th_os_open(path, 0)
   if descriptor < 0 then return false end
   local got = ffi.C.th_os_pread(descriptor, to, n + 1, 0)
   ffi.C.th_os_close(descriptor)
   return got == n
end

-- A function that returns two texts, then nil.
local function pieces(first, second)
   local turn = 0
   return function()
      turn = turn + 1
      if turn == 1 then return first end
      return turn == 2 and second or nil
   end
end

--- The chunk of a module, a function; nil where no bytecode was made from the same text, so that
-- the caller compiles the text.
-- @param name  of the module
-- @param path  the name of its file
function M.chunk(name, path)
   if not file then return nil end
   local place, size, bytes = entry_of(name, path)
   if not place then return nil end
   local all = HEAD + size + bytes
   local to = room_for(all + bytes + 1)
   if ffi.C.th_os_pread(ffi.C.th_os_number(file), to, all, base + place) ~= all then return nil end
   local text = to + HEAD + size
   if not read_text(path, to + all, bytes) then return nil end
   if ffi.C.th_os_compare(text, to + all, bytes) ~= 0 then return nil end
   local head = ffi.string(to, HEAD) .. uleb128(#path + 1) .. '@' .. path
   return original.load(pieces(head, ffi.string(to + HEAD, size)))
end

-- ---- writing ------------------------------------------------------------------------------------

--- The bytes of a file with bytecode.
-- @param list     of { name below lua/, text }
-- @param front    the text that precedes that of each file
-- @param arrange  function(dump), which returns an equivalent one (default: the dump itself)
function M.pack(list, front, arrange)
   local lines, data, place = { '' }, {}, 0
   for _, entry in ipairs(list) do
      local name, text = entry[1], entry[2]
      local code = string.dump(assert(original.loadstring(front .. text, '=')))
      if arrange then code = arrange(code) end
      -- a name of one byte follows the head
      local is_known = code:byte(HEAD + 1) == 1 and code:sub(HEAD + 2, HEAD + 2) == '='
      assert(is_known, 'LuaJIT has another format of bytecode')
      local rest = code:sub(HEAD + 3)
      lines[#lines + 1] = ('%s %d %d %d'):format(name, place, #rest, #text)
      data[#data + 1] = code:sub(1, HEAD) .. rest .. text
      place = place + HEAD + #rest + #text
   end
   lines[#lines + 1] = ''
   local probe, names = M.probe(front), table.concat(lines, '\n')
   return ('%s%d %d\n%s%s%s'):format(MAGIC, #probe, #names, probe, names, table.concat(data))
end

return M
