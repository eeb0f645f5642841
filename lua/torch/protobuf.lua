-- torch.protobuf - reads messages in the wire format of Protocol Buffers, by a description of their fields.
--
-- A description is a table: number of a field -> { name, kind [, 'repeated' | 'packed'] }. Fields
-- without a description are skipped. Of a field with several values that is neither repeated nor
-- packed, the last one counts. Kinds:
--    'int64', 'int32', 'uint64', 'enum'   a varint
--    'float', 'double'                    4 and 8 bytes, little-endian
--    'string', 'bytes'                    a length and bytes
--    a table                              a message with that description
--    another text                         a message: its name in a table of descriptions
-- The reader holds a window of the file, so that large fields are read once, straight into a
-- tensor. It compares every length with the remaining bytes before it allocates memory, and limits
-- the depth and the number of messages. Results:
--    a message                a table of its fields by name
--    'repeated'               a list
--    'packed'                 a FloatTensor, DoubleTensor or, of integers, LongTensor
--    integers                 numbers; those beyond 2^53 are rounded
--    'bytes'                  a string up to SHORT bytes, else { place = first byte, size = bytes }
--                             of the file
local ffi = require 'ffi'
local dtype = require 'torch.dtype'
local interpret = require 'torch.interpret'
local torch = require 'torch'

local M = {}

local VARINT, FIXED64, BYTES, GROUP, END_GROUP, FIXED32 = 0, 1, 2, 3, 4, 5
local MOST_DEPTH = 100
local MOST_VALUES = 2 ^ 21                   -- messages, texts and numbers in lists of one file
local WINDOW = 8192                          -- behind a large field, the window is read again
local SHORT = 1024
local WORTH = 4096                           -- values from which on compiled code saves time

local function fail(r, text, ...) error(('byte %.0f: ' .. text):format(r.place, ...), 0) end

-- ---- the window ---------------------------------------------------------------------------------

-- Makes the window hold the next n bytes, n at most WINDOW, and returns the position of the first
-- in it. It is a string, because the interpreter reads bytes of those faster than through pointers.
-- The caller has compared n with the remaining bytes.
local function at_window(r, n)
   if r.place < r.low or r.place + n > r.high then
      local size = math.min(WINDOW, r.size - r.place)
      r.fetch(r.buffer, size, r.place)
      r.low, r.high, r.window = r.place, r.place + size, ffi.string(r.buffer, size)
   end
   return r.place - r.low + 1
end

local function next_bytes(r, n)
   local first = at_window(r, n)
   return r.window:sub(first, first + n - 1)
end

local function take(r, n, stop)
   if n > stop - r.place then fail(r, '%.0f bytes are needed, %.0f are left', n, stop - r.place) end
end

-- A number, or of more than SMALL bytes a uint64_t, because arithmetic with those allocates memory
-- in the interpreter. Most numbers have one byte, which lies in the window.
local SMALL = 7
local byte = string.byte
local function varint(r, stop)
   local place, low = r.place, r.low
   if place >= low and place < r.high and place < stop then
      local first = byte(r.window, place - low + 1)
      if first < 128 then
         r.place = place + 1
         return first
      end
   end
   local most = stop - place
   if most > 10 then most = 10 elseif most < 1 then fail(r, 'a number is cut off') end
   local at = at_window(r, most)
   local v, scale = 0, 1
   for i = 0, most - 1 do
      local part = byte(r.window, at + i)
      if i == SMALL then v, scale = v + 0ULL, scale + 0ULL end
      if part < 128 then
         r.place = place + i + 1
         return v + part * scale
      end
      v, scale = v + (part - 128) * scale, scale * 128
   end
   fail(r, most == 10 and 'a number has more than 10 bytes' or 'a number is cut off')
end

local int64_t = ffi.typeof 'int64_t'
local function signed(v) return type(v) == 'number' and v or tonumber(ffi.cast(int64_t, v)) end

-- The position behind the field that a length announces.
local function span(r, stop)
   local n = tonumber(varint(r, stop))
   take(r, n, stop)
   return r.place + n
end

-- The number of a field and its wire type.
local function key(r, stop)
   local v = tonumber(varint(r, stop))
   local wire = v % 8
   local number = (v - wire) / 8
   if number < 1 or number > 2 ^ 29 - 1 then fail(r, 'there is no field %.0f', number) end
   return number, wire
end

local function skip(r, number, wire, stop, depth)
   if wire == VARINT then varint(r, stop)
   elseif wire == FIXED64 or wire == FIXED32 then
      local n = wire == FIXED64 and 8 or 4
      take(r, n, stop)
      r.place = r.place + n
   elseif wire == BYTES then r.place = span(r, stop)
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

-- ---- single values ------------------------------------------------------------------------------

local function count(r)
   r.values = r.values + 1
   if r.values == WORTH then interpret.resume() end
   if r.values > MOST_VALUES then fail(r, 'it has more than %.0f values', MOST_VALUES) end
end

local function wanted(r, field, wire, way)
   if wire ~= way then fail(r, "field '%s' has the wire type %d", field[1], wire) end
end

local fixed = ffi.new 'uint8_t[8]'
local fixed_types = { [4] = dtype.id.Float, [8] = dtype.id.Double }

local function fixed_number(r, n, stop)
   take(r, n, stop)
   ffi.copy(fixed, next_bytes(r, n), n)
   r.place = r.place + n
   return dtype.read(fixed_types[n], fixed, 0)
end

-- Wire type, bytes (nil: a varint) and element type in a tensor of each kind of number.
local numbers = {
   int64 = { VARINT, nil, 'Long' }, int32 = { VARINT, nil, 'Long' },
   uint64 = { VARINT, nil, 'Long' }, enum = { VARINT, nil, 'Long' },
   float = { FIXED32, 4, 'Float' }, double = { FIXED64, 8, 'Double' },
}

local function number_of(r, kind, stop)
   local bytes = numbers[kind][2]
   if bytes then return fixed_number(r, bytes, stop) end
   return signed(varint(r, stop))
end

local function text(r, n)
   local place = r.place
   r.place = place + n
   if n <= WINDOW or r.is_memory then
      r.place = place
      local bytes = next_bytes(r, n)
      r.place = place + n
      return bytes
   end
   local room = ffi.new('uint8_t[?]', n)
   r.fetch(room, n, place)
   return ffi.string(room, n)
end

-- ---- numbers in tensors -------------------------------------------------------------------------

-- A tensor that doubles its size when it is full.
local function room_for(to, n)
   local need = to.n + n
   if need > to.tensor:nElement() then
      to.tensor:resize(to.n == 0 and n or math.max(need, 2 * to.n))
   end
   local p = to.tensor:data() + to.n
   to.n = need
   return p
end

local function pack_varints(r, last, to)
   while r.place < last do
      local v = ffi.cast(int64_t, varint(r, last))
      room_for(to, 1)[0] = v
   end
end

local function pack(r, field, wire, stop, to)
   local number = numbers[field[2]]
   to = to or { n = 0, tensor = torch[number[3] .. 'Tensor']() }
   if wire ~= BYTES then
      wanted(r, field, wire, number[1])
      if number[2] then
         take(r, number[2], stop)
         ffi.copy(room_for(to, 1), next_bytes(r, number[2]), number[2])
         r.place = r.place + number[2]
      else
         local v = ffi.cast(int64_t, varint(r, stop))
         room_for(to, 1)[0] = v
      end
      return to
   end
   local last = span(r, stop)
   local n = last - r.place
   if number[2] then
      if n % number[2] ~= 0 then
         fail(r, "field '%s' has %.0f bytes of numbers of %d bytes", field[1], n, number[2])
      end
      if n > 0 then r.fetch(ffi.cast('uint8_t *', room_for(to, n / number[2])), n, r.place) end
      r.place = last
   elseif n > WINDOW then
      interpret.compile(pack_varints, r, last, to)
   else
      pack_varints(r, last, to)
   end
   return to
end

-- ---- messages -----------------------------------------------------------------------------------

local read_message

local function list_of_numbers(r, field, wire, stop, list)
   local kind = field[2]
   if wire ~= BYTES then
      wanted(r, field, wire, numbers[kind][1])
      count(r)
      list[#list + 1] = number_of(r, kind, stop)
      return
   end
   local last = span(r, stop)
   while r.place < last do
      count(r)
      list[#list + 1] = number_of(r, kind, last)
   end
end

local function single(r, field, wire, stop, depth)
   local kind = field[2]
   if numbers[kind] then
      wanted(r, field, wire, numbers[kind][1])
      return number_of(r, kind, stop)
   end
   wanted(r, field, wire, BYTES)
   count(r)
   local last = span(r, stop)
   if kind == 'bytes' and last - r.place > SHORT then
      local v = { place = r.place, size = last - r.place }
      r.place = last
      return v
   elseif kind == 'bytes' or kind == 'string' then
      return text(r, last - r.place)
   end
   return read_message(r, r.names and r.names[kind] or kind, last, depth + 1)
end

local function read_field(r, t, field, wire, stop, depth)
   local name, kind, many = field[1], field[2], field[3]
   if not many then
      t[name] = single(r, field, wire, stop, depth)
   elseif many == 'packed' then
      t[name] = pack(r, field, wire, stop, t[name])
   else
      local list = t[name] or {}
      t[name] = list
      if numbers[kind] then list_of_numbers(r, field, wire, stop, list)
      else list[#list + 1] = single(r, field, wire, stop, depth) end
   end
end

-- The names of the packed fields of a description.
local packed = setmetatable({}, { __mode = 'k' })
local function packed_of(description)
   local list = packed[description]
   if list then return list end
   list = {}
   for _, field in pairs(description) do if field[3] == 'packed' then list[#list + 1] =
      field[1] end end
   packed[description] = list
   return list
end

function read_message(r, description, stop, depth)
   if depth > MOST_DEPTH then fail(r, 'messages are nested more than %d deep', MOST_DEPTH) end
   local t = {}
   while r.place < stop do
      local number, wire = key(r, stop)
      local field = description[number]
      if field then read_field(r, t, field, wire, stop, depth) else skip(r, number, wire, stop, 1) end
   end
   for _, name in ipairs(packed_of(description)) do
      local v = t[name]
      if v then t[name] = v.tensor:resize(v.n) end
   end
   return t
end

--- The message in a file or in memory, a table. Errors begin with the position in the bytes.
-- @param from         function(to, n, place), which copies n bytes from position `place` (from 0)
--                     to a uint8_t pointer; or a string
-- @param size         bytes of the message (of a string: all)
-- @param description  of its fields: see above
-- @param names        descriptions by their names (optional)
function M.read(from, size, description, names)
   local r = { size = size, place = 0, values = 0, low = 0, high = 0, names = names }
   if type(from) == 'string' then
      r.fetch, r.size, r.is_memory = M.of_text(from), #from, true
      r.window, r.high = from, #from
   else
      r.fetch, r.buffer = from, ffi.new('uint8_t[?]', WINDOW)
   end
   return read_message(r, description, r.size, 1)
end

--- A function that copies parts of a string, for read().
function M.of_text(bytes)
   local p = ffi.cast('const uint8_t *', bytes)
   return function(to, n, place)
      if place + n > #bytes then error('it ends early', 0) end
      ffi.copy(to, p + place, n)
   end
end

--- A 'bytes' field as a string.
-- @param fetch  the function that the message was read with
function M.text(v, fetch)
   if type(v) ~= 'table' then return v or '' end
   local room = ffi.new('uint8_t[?]', v.size)
   fetch(room, v.size, v.place)
   return ffi.string(room, v.size)
end

return M
