-- torch.protobuf - reads messages in the wire format of Protocol Buffers, by a description of their fields.
--
-- A description is a table: number of a field -> { name, kind [, 'all'] }. With 'all' the values of the field become a list;
-- else the last one counts. Kinds:
--    'whole'    a number of varint, fixed32 or fixed64, with its sign
--    'text'     a string
--    'floats'   all 32-bit floats of the field, packed or not, in one FloatTensor
--    'wholes'   all varints of the field, packed or not, in a list
--    a table    a message with that description
-- Fields without a description are skipped. Every length is checked against the remaining bytes before memory is allocated.
local ffi = require 'ffi'
local torch = require 'torch'

local M = {}

local VARINT, FIXED64, BYTES, GROUP, END_GROUP, FIXED32 = 0, 1, 2, 3, 4, 5
local MOST_DEPTH = 100
local MOST_VALUES = 2 ^ 20                   -- of all lists, texts and messages of one file

local function fail(r, text, ...) error(('byte %.0f: ' .. text):format(r.place, ...), 0) end

-- ---- the parts of the format ---------------------------------------------------------------------------------------

-- The next varint as a 64-bit integer.
local function varint(r, stop)
   local v, shift = 0ULL, 0
   repeat
      if r.place >= stop then fail(r, 'a number is cut off') end
      if shift > 63 then fail(r, 'a number has more than 10 bytes') end
      local byte = r.bytes[r.place]
      r.place = r.place + 1
      v = v + bit.lshift(bit.band(byte, 127) + 0ULL, shift)
      shift = shift + 7
   until byte < 128
   return v
end

local function signed(v) return tonumber(ffi.cast('int64_t', v)) end

local function take(r, n, stop)
   if n > stop - r.place then fail(r, '%.0f bytes are needed, %.0f are left', n, stop - r.place) end
   local place = r.place
   r.place = place + n
   return place
end

-- The bytes after a length: the positions of the first one and behind the last.
local function span(r, stop)
   local first = take(r, tonumber(varint(r, stop)), stop)
   return first, r.place
end

local fixed = ffi.new 'union { uint8_t bytes[8]; int32_t i32; int64_t i64; }'

local function fixed_number(r, bytes, stop)
   ffi.copy(fixed.bytes, r.bytes + take(r, bytes, stop), bytes)
   return tonumber(bytes == 4 and fixed.i32 or fixed.i64)
end

-- The number of a field and its wire type.
local function key(r, stop)
   local v = varint(r, stop)
   local number, wire = tonumber(v / 8), tonumber(v % 8)
   if number < 1 or number > 2 ^ 29 - 1 then fail(r, 'there is no field %.0f', number) end
   return number, wire
end

local function skip(r, number, wire, stop, depth)
   if wire == VARINT then varint(r, stop)
   elseif wire == FIXED64 then take(r, 8, stop)
   elseif wire == FIXED32 then take(r, 4, stop)
   elseif wire == BYTES then span(r, stop)
   elseif wire == GROUP then
      if depth > MOST_DEPTH then fail(r, 'groups are nested more than %d deep', MOST_DEPTH) end
      while true do
         local inner, way = key(r, stop)
         if way == END_GROUP then
            if inner ~= number then fail(r, 'the end of another group') end
            return
         end
         skip(r, inner, way, stop, depth + 1)
      end
   else fail(r, 'there is no wire type %d', wire) end
end

-- ---- fields --------------------------------------------------------------------------------------------------------

local function count(r)
   r.values = r.values + 1
   if r.values > MOST_VALUES then fail(r, 'it has more than %.0f values', MOST_VALUES) end
end

local function wanted(r, field, wire, ...)
   for _, way in ipairs { ... } do if wire == way then return end end
   fail(r, "field '%s' has the wire type %d", field[1], wire)
end

local read_message

local readers = {}

function readers.whole(r, field, wire, stop)
   wanted(r, field, wire, VARINT, FIXED32, FIXED64)
   if wire == VARINT then return signed(varint(r, stop)) end
   return fixed_number(r, wire == FIXED32 and 4 or 8, stop)
end

function readers.text(r, field, wire, stop)
   wanted(r, field, wire, BYTES)
   count(r)
   local first, last = span(r, stop)
   return ffi.string(r.bytes + first, last - first)
end

function readers.wholes(r, field, wire, stop, list)
   wanted(r, field, wire, VARINT, BYTES)
   list = list or {}
   local last = stop
   if wire == BYTES then
      local first
      first, last = span(r, stop)
      r.place = first
   end
   repeat
      if wire == BYTES and r.place == last then break end
      count(r)
      list[#list + 1] = signed(varint(r, last))
   until wire == VARINT
   return list
end

-- Bytes of floats are collected in a tensor that doubles its size when it is full.
function readers.floats(r, field, wire, stop, to)
   wanted(r, field, wire, FIXED32, BYTES)
   local first, last
   if wire == BYTES then first, last = span(r, stop)
   else first, last = take(r, 4, stop), r.place end
   if (last - first) % 4 ~= 0 then fail(r, "field '%s' has %.0f bytes of floats", field[1], last - first) end
   local n = (last - first) / 4
   to = to or { n = 0, tensor = torch.FloatTensor() }
   local need = to.n + n
   if need > to.tensor:nElement() then to.tensor:resize(to.n == 0 and need or math.max(need, 2 * to.n)) end
   if n > 0 then ffi.copy(to.tensor:data() + to.n, r.bytes + first, last - first) end
   to.n = need
   return to
end

local function message(r, field, wire, stop, depth)
   wanted(r, field, wire, BYTES)
   count(r)
   local first, last = span(r, stop)
   r.place = first
   return read_message(r, field[2], last, depth + 1)
end

local function read_field(r, t, field, wire, stop, depth)
   local name, kind, all = field[1], field[2], field[3]
   local value
   if type(kind) == 'table' then value = message(r, field, wire, stop, depth)
   else value = readers[kind](r, field, wire, stop, t[name]) end
   if not all then
      t[name] = value
      return
   end
   count(r)
   t[name] = t[name] or {}
   table.insert(t[name], value)
end

function read_message(r, description, stop, depth)
   if depth > MOST_DEPTH then fail(r, 'messages are nested more than %d deep', MOST_DEPTH) end
   local t = {}
   while r.place < stop do
      local number, wire = key(r, stop)
      local field = description[number]
      if field then read_field(r, t, field, wire, stop, depth) else skip(r, number, wire, stop, 1) end
   end
   for _, field in pairs(description) do
      local v = t[field[1]]
      if field[2] == 'floats' and v then t[field[1]] = v.n > 0 and v.tensor:narrow(1, 1, v.n) or torch.FloatTensor() end
   end
   return t
end

--- The message in n bytes, a table. Errors begin with the position in the bytes.
-- @param bytes        a string, or a uint8_t pointer to memory that stays allocated
-- @param description  of its fields: see above
function M.read(bytes, n, description)
   if type(bytes) == 'string' then n = #bytes end
   local r = { bytes = ffi.cast('const uint8_t *', bytes), place = 0, values = 0, keep = bytes }
   return read_message(r, description, n, 1)
end

return M
