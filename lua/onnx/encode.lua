-- lua/onnx/encode.lua - writes messages of ONNX in the wire format of Protocol Buffers, by the table of messages.lua.
--
-- The result is a list of parts: strings, and blocks whose bytes are written straight from a tensor. So a file of
-- weights needs no second copy in memory. Fields are written in the order of their numbers, so equal messages give
-- equal bytes.
local ffi = require 'ffi'
local bit = require 'bit'
local messages = require 'onnx.messages'

local M = {}

local VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
local wires = { int64 = VARINT, int32 = VARINT, uint64 = VARINT, enum = VARINT, float = FIXED32, double = FIXED64 }

-- The bytes of a 64-bit integer as a varint. Negative numbers take ten bytes.
local function varint(v)
   if type(v) == 'number' and v >= 0 and v < 128 then return string.char(v) end
   local n = type(v) == 'number' and ffi.cast('uint64_t', ffi.cast('int64_t', v)) or ffi.cast('uint64_t', v)
   local out = {}
   repeat
      local low = tonumber(bit.band(n, 127ULL))
      n = bit.rshift(n, 7)
      out[#out + 1] = string.char(n == 0 and low or low + 128)
   until n == 0
   return table.concat(out)
end

local float, double = ffi.new 'float[1]', ffi.new 'double[1]'

local function scalar(kind, v)
   if kind == 'float' then
      float[0] = v
      return ffi.string(float, 4)
   elseif kind == 'double' then
      double[0] = v
      return ffi.string(double, 8)
   end
   return varint(v)
end

-- Appends the parts of a list, which may be long, to another one; strings are joined where they meet.
local function append(parts, more)
   for _, p in ipairs(more) do parts[#parts + 1] = p end
end

local encode

-- The parts of one value after its key, and how many bytes they have.
local function value_parts(kind, v)
   if wires[kind] then
      local s = scalar(kind, v)
      return { s }, #s
   end
   local inner, size
   if kind == 'string' or kind == 'bytes' then
      inner, size = { v }, type(v) == 'string' and #v or v.bytes
   else
      inner, size = encode(kind, v)
   end
   local length = varint(size)
   table.insert(inner, 1, length)
   return inner, size + #length
end

local function field_parts(number, field, v)
   local kind, how = field[2], field[3]
   local parts, size = {}, 0
   local function add(list, n)
      append(parts, list)
      size = size + n
   end
   if how == 'packed' then
      local all = {}
      for i, x in ipairs(v) do all[i] = scalar(kind, x) end
      local text = table.concat(all)
      if text ~= '' then
         local head = varint(number * 8 + BYTES) .. varint(#text)
         add({ head, text }, #head + #text)
      end
      return parts, size
   end
   local key = varint(number * 8 + (wires[kind] or BYTES))
   for _, x in ipairs(how == 'repeated' and v or { v }) do
      add({ key }, #key)
      add(value_parts(kind, x))
   end
   return parts, size
end

function encode(name, t)
   local description = messages[name]
   local numbers, names = {}, {}
   for number, field in pairs(description) do
      names[field[1]] = true
      if t[field[1]] ~= nil then numbers[#numbers + 1] = number end
   end
   for k in pairs(t) do
      if not names[k] then error(('onnx.encode: %s has no field %s'):format(name, tostring(k)), 0) end
   end
   table.sort(numbers)
   local parts, size = {}, 0
   for _, number in ipairs(numbers) do
      local more, n = field_parts(number, description[number], t[description[number][1]])
      append(parts, more)
      size = size + n
   end
   return parts, size
end

-- Joins neighbouring strings, so that a file is written in few calls.
local function joined(parts)
   local out, run = {}, {}
   local function flush()
      if #run > 0 then out[#out + 1] = table.concat(run) end
      run = {}
   end
   for _, p in ipairs(parts) do
      if type(p) == 'string' then
         run[#run + 1] = p
      else
         flush()
         out[#out + 1] = p
      end
   end
   flush()
   return out
end

--- The parts of a message: a list of strings and blocks, and the number of bytes.
-- @param name  of the message in messages.lua, for example 'ModelProto'
-- @param t     its fields by name: numbers, strings, tables of those, and tables for messages. The value of a field
--              of the kind 'bytes' may be a block: { bytes = n, ... }, which the caller writes.
function M.message(name, t)
   local parts, size = encode(name, t)
   return joined(parts), size
end

return M
