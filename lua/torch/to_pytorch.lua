-- torch.to_pytorch - writes data as zip archives that PyTorch reads, also with weights_only=True.
--
-- torch.save calls this. The structure is a pickle of protocol 2; each storage is a member of the archive, not packed.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local class = require 'torch.class'
local dtype = require 'torch.dtype'
local arg = require 'torch.arg'
local storage = require 'torch.storage'
local format = require 'torch.format'
local keys = require 'torch.keys'
local zip = require 'torch.zip'
local about, le, C = keys.about, format.le, lib.C

local M = {}

local DEEPEST = 500                         -- tables in tables
local ALIGN = 64                            -- bytes; PyTorch maps such files

if not ffi.abi 'le' then error('torch.to_pytorch needs a processor that keeps the lowest byte first', 0) end

-- ---- small values -------------------------------------------------------------------------------------------------

local cell = ffi.new 'union { uint8_t byte[8]; double d; int64_t l; uint64_t u; }'

local function float(x)
   cell.d = x
   return 'G' .. ffi.string(cell.byte, 8):reverse()
end

local function number(x)
   if x % 1 ~= 0 or x ~= x or x > 2 ^ 53 or x < -2 ^ 53 or x == 0 and 1 / x < 0 then return float(x) end
   if x >= 0 and x < 256 then return 'K' .. string.char(x) end
   if x >= 0 and x < 65536 then return 'M' .. le(2, x) end
   if x >= -2 ^ 31 and x < 2 ^ 31 then return 'J' .. le(4, x % 2 ^ 32) end
   cell.l = x
   return '\138\8' .. ffi.string(cell.byte, 8)
end

-- An int64_t or uint64_t.
local function long(x)
   if ffi.istype('int64_t', x) then
      cell.l = x
      return '\138\8' .. ffi.string(cell.byte, 8)
   end
   cell.u = x
   return '\138\9' .. ffi.string(cell.byte, 8) .. '\0'
end

local function text(s) return 'X' .. le(4, #s) .. s end

-- ---- the pickle ---------------------------------------------------------------------------------------------------

local function put(w, s) w.out[#w.out + 1] = s end

-- Remembers the value on top of the machine's stack under `key`.
local function remember(w, key)
   w.memo[key] = w.memos
   put(w, w.memos < 256 and 'q' .. string.char(w.memos) or 'r' .. le(4, w.memos))
   w.memos = w.memos + 1
end

-- Whether the value of `key` was written before; it is written again as a reference.
local function recalled(w, key)
   local i = w.memo[key]
   if not i then return false end
   put(w, i < 256 and 'h' .. string.char(i) or 'j' .. le(4, i))
   return true
end

local function name(w, module, its)
   local key = module .. '\n' .. its .. '\n'
   if recalled(w, key) then return end
   put(w, 'c' .. key)
   remember(w, key)
end

local function numbers(w, p, n)
   put(w, '(')
   for i = 0, n - 1 do put(w, number(tonumber(p[i]))) end
   put(w, 't')
end

-- The number of a storage (a th_storage *, or NULL) among those of the file.
local function storage_key(w, s)
   local address = s ~= nil and arg.address(s)
   local key = address and w.keys[address]
   if key then return key end
   key = #w.storages
   w.storages[key + 1] = s ~= nil and storage.of(s) or false
   if address then w.keys[address] = key end
   return key
end

local function tensor(w, t)
   if recalled(w, t) then return end
   local s = t._storage
   name(w, 'torch._utils', '_rebuild_tensor_v2')
   put(w, '((' .. text 'storage')
   name(w, 'torch', dtype.names[t._dtype] .. 'Storage')
   put(w, text(('%d'):format(storage_key(w, s))) .. text 'cpu' .. number(s ~= nil and tonumber(s.size) or 0) .. 'tQ')
   put(w, number(tonumber(t._offset)))
   numbers(w, t._size, t._ndim)
   numbers(w, t._stride, t._ndim)
   put(w, '\137')
   name(w, 'collections', 'OrderedDict')
   put(w, ')RtR')
   remember(w, t)
end

local function refuse(w, path, v)
   local hint = ''
   if class.typename(v) then
      hint = class.isTypeOf(v, 'nn.Module') and '. Save nn.exportState(net) instead, or use the ending .t7'
         or '. Make a tensor or a table of it, or use the ending .t7'
   end
   error(('%s: %s must be a tensor, a number, a string, a boolean or a table of these for a .pt file, got %s%s'):format(w.who, path,
      arg.describe(v), hint), 0)
end

local function bytes_text(s)                -- bytes as characters up to 255
   return (s:gsub('[\128-\255]', function(c)
      local b = c:byte()
      return string.char(b < 192 and 0xc2 or 0xc3, b < 192 and b or b - 64)
   end))
end

local function string_value(w, s)
   if C.th_is_utf8(s, #s) ~= 0 then return put(w, text(s)) end
   name(w, '_codecs', 'encode')
   put(w, '(' .. text(bytes_text(s)) .. text 'latin1' .. 'tR')
end

-- The number of elements where all keys are 1, 2, ..., or where the table says that it is a list with holes; nil for others.
local function list_length(t)
   local its = about[t]
   local n, most = 0, 0
   local holes = its and its.holes and type(t.n) == 'number' and t.n
   for k in next, t do
      if not (holes and k == 'n') then
         if type(k) ~= 'number' or k < 1 or k % 1 ~= 0 then return nil end
         n, most = n + 1, math.max(most, k)
      end
   end
   if its and (its.kind == 'dict' or its.kind == 'object') then return nil end
   if holes then return most <= holes and holes < 2 ^ 24 and holes or nil end
   if n == 0 and not its then return nil end
   return most == n and n or nil
end

local value

local function key_value(w, k, path)
   if type(k) == 'string' then return string_value(w, k) end
   if type(k) == 'boolean' then return put(w, k and '\136' or '\137') end
   if type(k) == 'number' then return put(w, number(k)) end
   error(('%s: the keys of %s must be strings, numbers or booleans for a .pt file, got %s'):format(w.who, path, arg.describe(k)), 0)
end

local function list(w, t, n, path, depth)
   local kind = about[t] and about[t].kind
   local function elements()
      put(w, '(')
      for i = 1, n do
         if t[i] == nil then put(w, 'N') else value(w, t[i], ('%s[%d]'):format(path, i), depth + 1) end
      end
   end
   if kind ~= 'tuple' and kind ~= 'set' then
      put(w, ']')
      remember(w, t)
      elements()
      return put(w, 'e')
   end
   if w.open[t] then error(('%s: %s contains itself, which a tuple of Python cannot'):format(w.who, path), 0) end
   w.open[t] = true
   if kind == 'set' then
      name(w, '__builtin__', 'set')
      put(w, '(]')
      elements()
      put(w, 'etR')
   else
      elements()
      put(w, 't')
   end
   w.open[t] = nil
   remember(w, t)
end

local function dictionary(w, t, path, depth)
   put(w, '}')
   remember(w, t)
   put(w, '(')
   for _, k in ipairs(keys.of(t)) do
      key_value(w, k, path)
      value(w, t[k], type(k) == 'string' and k:find '^[%a_][%w_]*$' and path .. '.' .. k
         or ('%s[%s]'):format(path, type(k) == 'string' and "'" .. k .. "'" or tostring(k)), depth + 1)
   end
   put(w, 'u')
end

function value(w, v, path, depth)
   local kind = type(v)
   if kind == 'number' then return put(w, number(v)) end
   if kind == 'string' then return string_value(w, v) end
   if kind == 'boolean' then return put(w, v and '\136' or '\137') end
   if arg.is_tensor(v) then return tensor(w, v) end
   if arg.is_storage(v) and v.s.dtype == dtype.id.Long and v.s.device == 0 then
      name(w, 'torch', 'Size')
      put(w, '(')
      numbers(w, ffi.cast('int64_t *', v.s.data), #v)
      return put(w, 'tR')
   end
   if ffi.istype('int64_t', v) or ffi.istype('uint64_t', v) then return put(w, long(v)) end
   if kind ~= 'table' or class.typename(v) then refuse(w, path, v) end
   if recalled(w, v) then return end
   if depth > DEEPEST then error(('%s: object has more than %d tables in each other'):format(w.who, DEEPEST), 0) end
   local n = list_length(v)
   if n then return list(w, v, n, path, depth) end
   return dictionary(w, v, path, depth)
end

--- Refuses what such a file cannot hold, before anything is written; returns the pickle and the storages.
function M.plan(who, object)
   local w = { who = who, out = { '\128\2' }, memo = {}, memos = 0, storages = {}, keys = {}, open = {} }
   value(w, object, 'object', 1)
   put(w, '.')
   return { pickle = table.concat(w.out), storages = w.storages }
end

--- Writes the archive.
function M.write(f, _, plan)
   local members, none = {}, ffi.cast('uint8_t *', nil)
   local function member(its, top, p, n)
      members[#members + 1] = zip.member(f, 'archive/' .. its, top, p or none, n or 0, { align = ALIGN })
   end
   member('data.pkl', plan.pickle)
   member('byteorder', 'little')
   for i, s in ipairs(plan.storages) do
      local host = s and storage.host(s)
      member(('data/%d'):format(i - 1), '', host and host.s.data, host and tonumber(host.s.size) * dtype.bytes[host.s.dtype])
   end
   member('version', '3\n')
   zip.finish(f, members)
end

return M
