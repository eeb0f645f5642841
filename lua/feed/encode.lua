-- feed.encode - encodes values as the bytes of a record, and decodes them: data only, never code. Numbers are little-endian.
--
--    n  a number: a double            s  a string: its length (8 bytes) and its bytes
--    y  true        f  false          {  a table: the number of its pairs (8 bytes), and each key and value
--    t  a tensor: its type and its number of dimensions (a byte each), its sizes (8 bytes each), its elements
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local format = require 'torch.format'
local le = format.le

local encode = {}

local DEEPEST, MOST = 32, 2 ^ 53
local codes, dtypes = {}, {}
for code, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' } do
   codes[dtype.id[name]], dtypes[code] = code, dtype.id[name]
end

-- ---- to bytes -----------------------------------------------------------------------------------------------------

local number = ffi.new 'double[1]'
local function double(v)
   number[0] = v
   return ffi.string(number, 8)
end

local put

local function put_tensor(out, t)
   local packed = t:host():contiguous()
   out[#out + 1] = 't' .. string.char(codes[packed._dtype], packed._ndim)
   for _, size in ipairs(format.sizes(packed)) do out[#out + 1] = le(8, size) end
   local p, n = format.bytes(packed)
   if n > 0 then out[#out + 1] = ffi.string(p, n) end
end

-- Sorts keys, so that equal tables make equal bytes.
local function put_table(out, t, depth)
   if depth > DEEPEST then error(('tables are inside of each other more than %d deep'):format(DEEPEST), 0) end
   local keys = {}
   for k in pairs(t) do
      if type(k) ~= 'string' and type(k) ~= 'number' then
         error('keys of tables must be strings or numbers, got ' .. arg.describe(k), 0)
      end
      keys[#keys + 1] = k
   end
   table.sort(keys, function(a, b) return type(a) == type(b) and a < b or type(a) < type(b) end)
   out[#out + 1] = '{' .. le(8, #keys)
   for _, k in ipairs(keys) do
      put(out, k, depth)
      put(out, t[k], depth)
   end
end

function put(out, v, depth)
   local kind = type(v)
   if kind == 'number' then out[#out + 1] = 'n' .. double(v)
   elseif kind == 'string' then out[#out + 1] = 's' .. le(8, #v) .. v
   elseif kind == 'boolean' then out[#out + 1] = v and 'y' or 'f'
   elseif torch.isTensor(v) then put_tensor(out, v)
   elseif kind == 'table' and not getmetatable(v) then put_table(out, v, depth + 1)
   else error('a record holds tensors, numbers, strings, booleans and tables of these, got ' .. arg.describe(v), 0) end
end

--- The bytes of a value.
function encode.pack(v)
   local out = {}
   put(out, v, 0)
   return table.concat(out)
end

-- ---- from bytes ---------------------------------------------------------------------------------------------------

local long = ffi.new 'int64_t[1]'
local sizes = ffi.new 'int64_t[16]'

local function need(from, n)
   if n > from.n - from.at then error('it ends within a value', 0) end
end

-- A length: 8 bytes.
local function count(p, at)
   ffi.copy(long, p + at, 8)
   if long[0] < 0 or long[0] > MOST then error('it has an impossible length', 0) end
   return tonumber(long[0])
end

--- The shape of the tensor in a record: its dtype, the number of its dimensions, the bytes of its elements, and the position
-- of the first; its sizes are in encode.sizes.
function encode.shape(p, n)
   if n < 3 then error('it ends within a value', 0) end
   local d, ndim = dtypes[p[1]], p[2]
   if not d then error(('it has a tensor of the unknown type %d'):format(p[1]), 0) end
   if ndim > 16 then error(('it has a tensor of %d dimensions'):format(ndim), 0) end
   local start = 3 + 8 * ndim
   if start > n then error('it ends within a value', 0) end
   local bytes = dtype.bytes[d]
   for k = 0, ndim - 1 do
      local size = count(p, 3 + 8 * k)
      sizes[k], bytes = size, bytes * size
   end
   if bytes > n - start then error('it has a tensor with more elements than bytes', 0) end
   return d, ndim, bytes, start
end
encode.sizes = sizes

local get
local readers = {}

readers[110] = function(from)                                 -- n
   need(from, 8)
   ffi.copy(number, from.p + from.at, 8)
   from.at = from.at + 8
   return dtype.read(dtype.id.Double, number, 0)
end
readers[115] = function(from)                                 -- s
   need(from, 8)
   local n = count(from.p, from.at)
   from.at = from.at + 8
   need(from, n)
   local s = ffi.string(from.p + from.at, n)
   from.at = from.at + n
   return s
end
readers[121] = function() return true end                     -- y
readers[102] = function() return false end                    -- f
readers[116] = function(from)                                 -- t
   local p = from.p + from.at - 1
   local d, ndim, bytes, start = encode.shape(p, from.n - from.at + 1)
   local t = format.room(d, ndim, sizes)
   if bytes > 0 then ffi.copy(format.bytes(t), p + start, bytes) end
   from.at = from.at - 1 + start + bytes
   return t
end
readers[123] = function(from, depth)                          -- {
   if depth >= DEEPEST then error(('tables are inside of each other more than %d deep'):format(DEEPEST), 0) end
   need(from, 8)
   local n = count(from.p, from.at)
   from.at = from.at + 8
   need(from, 2 * n)
   local t = {}
   for _ = 1, n do
      local k = get(from, depth + 1)
      if type(k) ~= 'string' and (type(k) ~= 'number' or k ~= k) then error('a key of a table is no string and no number', 0) end
      t[k] = get(from, depth + 1)
   end
   return t
end

function get(from, depth)
   need(from, 1)
   local reader = readers[from.p[from.at]]
   if not reader then error(('it has a value of the unknown kind %d'):format(from.p[from.at]), 0) end
   from.at = from.at + 1
   return reader(from, depth)
end

--- The value in n bytes.
function encode.unpack(p, n)
   local from = { p = p, n = n, at = 0 }
   local v = get(from, 0)
   if from.at ~= n then error('bytes follow its value', 0) end
   return v
end

return encode
