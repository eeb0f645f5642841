-- test/support/pickles.lua - pickles written by hand: pieces of instructions, archives around them, and published attacks.
local ffi = require 'ffi'
local torch = require 'torch'
local format = require 'torch.format'
local zip = require 'torch.zip'

local pickles = {}

local le = format.le

--- A pickle of protocol 2 of these instructions.
function pickles.of(...) return '\128\2' .. table.concat { ... } .. '.' end

function pickles.text(s) return 'X' .. le(4, #s) .. s end
function pickles.name(module, name) return 'c' .. module .. '\n' .. name .. '\n' end
function pickles.int(n) return 'J' .. le(4, n % 2 ^ 32) end
local text, name, int = pickles.text, pickles.name, pickles.int

--- The persistent id of a storage.
-- @param options  {class =, key =, n =}
function pickles.storage(options)
   options = options or {}
   return '(' .. text 'storage' .. name('torch', options.class or 'FloatStorage') .. text(options.key or '0') .. text 'cpu'
      .. (type(options.n) == 'string' and options.n or int(options.n or 4)) .. 'tQ'
end

local function tuple(list)
   local parts = {}
   for i, v in ipairs(list) do parts[i] = type(v) == 'string' and v or int(v) end
   return '(' .. table.concat(parts) .. 't'
end

--- A tensor of a storage.
-- @param options  {storage = its instructions, offset =, size =, stride =}; numbers, or instructions that give them
function pickles.tensor(options)
   local offset = options.offset or 0
   return name('torch._utils', '_rebuild_tensor_v2') .. '(' .. (options.storage or pickles.storage())
      .. (type(offset) == 'string' and offset or int(offset)) .. tuple(options.size or { 4 }) .. tuple(options.stride or { 1 }) .. '\137'
      .. name('collections', 'OrderedDict') .. ')RtR'
end

--- A zip archive of PyTorch with this data.pkl.
-- @param members  further members: {name, bytes}; the storage '0' of four floats 1, 2, 3, 4 if it is not given
-- @param options  of zip.member
function pickles.archive(pickle, members, options)
   local f = torch.MemoryFile():binary()
   local list, none = {}, ffi.cast('uint8_t *', nil)
   local floats = ffi.string(torch.FloatTensor { 1, 2, 3, 4 }:data(), 16)
   for i, m in ipairs { { 'archive/data.pkl', pickle }, unpack(members or { { 'archive/data/0', floats } }) } do
      list[i] = zip.member(f._file[0], m[1], m[2], none, 0, options or {})
   end
   zip.finish(f._file[0], list)
   return f:storage():string():sub(1, -2)
end

--- The form before version 1.6.
-- @param after  what follows the object: the list of keys and the storages
function pickles.legacy(object, after)
   return pickles.of '\138\10l\252\156F\249 j\168P\25' .. pickles.of 'M\233\3' .. pickles.of('}', text 'little_endian', '\136s')
      .. object .. after
end

--- Instructions that would run code, such as a command of the shell: what each is, and the pickle.
function pickles.attacks(command)
   return {
      { 'os.system by REDUCE', '\128\2' .. name('os', 'system') .. '(' .. text(command) .. 'tR.' },
      { 'builtins.eval by REDUCE', '\128\2' .. name('__builtin__', 'eval') .. '(' .. text '1' .. 'tR.' },
      { 'os.system by INST', '\128\2(' .. text(command) .. 'ios\nsystem\n.' },
      { 'subprocess.Popen by NEWOBJ', '\128\2' .. name('subprocess', 'Popen') .. '(' .. text(command) .. 't\129.' },
      { 'os.system by OBJ', '\128\2(' .. name('os', 'system') .. text(command) .. 'o.' },
      { 'posix.system by STACK_GLOBAL', '\128\4\140\5posix\140\6system\147\140' .. string.char(#command) .. command .. '\133R.' },
      { 'operator.attrgetter by NEWOBJ_EX', '\128\4\140\8operator\140\10attrgetter\147)}\146.' },
      { 'getattr to reach a module', '\128\2' .. name('builtins', 'getattr') .. '(' .. name('torch', 'load') .. text '__globals__' .. 'tR.' },
      { 'an extension code', '\128\2\130\1' .. ('N'):rep(9) .. '.' },
      { 'BUILD of a tensor', '\128\2' .. name('torch', 'Size') .. '()tR}' .. text '__setstate__' .. name('os', 'system') .. 'sb.' },
      { 'a class as a value', '\128\2}' .. text 'x' .. name('collections', 'OrderedDict') .. 's.' },
      { 'a call of what was read', '\128\2' .. text 'os.system' .. '(tR.' },
      { 'numpy.load with pickles', '\128\2' .. name('numpy', 'load') .. '(tR.' },
      { 'a whole model', '\128\2' .. name('torch.nn.modules.linear', 'Linear') .. ')\129}b.' },
      { 'a name with a dot', '\128\4\140\11collections\140\25OrderedDict.__reduce_ex__\147.' },
      { 'runpy', '\128\2' .. name('runpy', '_run_code') .. '(tR.' },
   }
end

--- All attacks, plain and in archives; for the fuzzer.
function pickles.all()
   local list = {}
   for _, a in ipairs(pickles.attacks 'true') do list[#list + 1] = a[2] end
   list[#list + 1] = pickles.archive(pickles.of(pickles.tensor {}))
   list[#list + 1] = pickles.of(pickles.tensor { size = { 2, 2 }, stride = { 2, 1 } })
   list[#list + 1] = pickles.of(pickles.tensor { storage = pickles.storage { class = 'ComplexFloatStorage', n = 2 }, size = { 2 } })
   return list
end

return pickles
