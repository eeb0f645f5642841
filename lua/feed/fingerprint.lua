-- feed.fingerprint - by what a loader's state knows its dataset: a word for its kind and a checksum of what its samples are,
-- or, where there are many, of some of them. It depends neither on where files lie nor on when they were written.
local lib = require 'torch.lib'
local torch = require 'torch'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local format = require 'torch.format'
local source = require 'feed.source'
local C = lib.C

local fingerprint = {}

local FEW, BLOCK = 16, 4096                  -- places of a file that are looked at, and bytes at each
local MANY, LEVELS = 256, 32                 -- elements of a tensor that are looked at, and values that are told apart
local ODD = 0.3183                           -- a part of a level that data do not have
local DEEPEST, LONGEST = 8, 256              -- tables in tables; bytes of a string
local GOLDEN = 0.6180339887498949            -- its multiples lie evenly in 0..1, and follow no pattern that data may have

--- 'kind 1a2b3c4d': the checksum is that of the text.
function fingerprint.new(kind, text) return ('%s %08x'):format(kind, C.th_crc32c(0, text, #text)) end

--- The checksum of a tensor's elements, as a text.
function fingerprint.sum(t)
   local p, n = format.bytes(t:contiguous())
   return ('%08x'):format(n > 0 and C.th_crc32c(0, p, n) or 0)
end

--- What a dataset says of itself, or nil where it says nothing.
function fingerprint.of(dataset)
   if dataset.fingerprint == nil then return nil end
   local v = dataset:fingerprint()
   if type(v) ~= 'nil' and type(v) ~= 'string' then
      error('dataset:fingerprint() must return a string, got ' .. arg.describe(v), 0)
   end
   return v
end

--- That of datasets side by side, or one after the other: a table of them.
function fingerprint.of_parts(kind, parts)
   local list = {}
   for key, part in pairs(parts) do
      list[#list + 1] = ('%s: %.0f of %s'):format(tostring(key), part:size(), fingerprint.of(part) or '?')
   end
   table.sort(list)
   return fingerprint.new(kind, table.concat(list, '\n'))
end

local known = setmetatable({}, { __mode = 'k' })             -- dataset -> its own, of this thread

--- f(dataset), which is asked once: for what lies in files, which do not change.
function fingerprint.once(dataset, f)
   known[dataset] = known[dataset] or f(dataset)
   return known[dataset]
end

--- Up to FEW whole numbers that lie evenly in 1..n.
function fingerprint.some(n)
   local list = {}
   for k = 1, math.min(n, FEW) do list[k] = n <= FEW and k or 1 + math.floor((k - 1) * (n - 1) / (FEW - 1)) end
   return list
end

--- The checksum of blocks that lie evenly in `bytes` bytes, as a text. @param at  a function (n, place) that gives n of them
function fingerprint.blocks_at(at, bytes)
   local sum, n = 0, math.min(BLOCK, bytes)
   for _, k in ipairs(fingerprint.some(math.ceil(bytes / BLOCK))) do
      sum = C.th_crc32c(sum, at(n, math.min((k - 1) * BLOCK, bytes - n)), n)
   end
   return ('%08x'):format(sum)
end

--- That of the bytes `from` ... `to` - 1 of an open file.
function fingerprint.blocks(s, from, to)
   return fingerprint.blocks_at(function(n, place) return source.bytes(s, n, from + place) end, to - from)
end

-- ---- values in memory -----------------------------------------------------------------------------------------------------

-- Element k of a tensor on the CPU, from 0, rows first.
local function element(t, k)
   local at = tonumber(t._offset)
   for d = t._ndim - 1, 0, -1 do
      local size = tonumber(t._size[d])
      at, k = at + k % size * tonumber(t._stride[d]), math.floor(k / size)
   end
   return dtype.read(t._dtype, t._storage.data, at)
end

-- A few elements, each as one of LEVELS parts of a power of two above the largest: what was computed from the same data, on
-- another CPU, say, may differ in its last bits, and must not be near to where a level or a power begins.
local function levels(t, many)
   local n, values, most = t:nElement(), {}, 0
   for k = 1, math.min(n, many) do
      local v = element(t, n <= many and k - 1 or math.floor(k * GOLDEN % 1 * n))
      values[k] = v
      if math.abs(v) < math.huge then most = math.max(most, math.abs(v)) end
   end
   local _, exponent = math.frexp(most * (1 + ODD))
   for k, v in ipairs(values) do
      local finite = math.abs(v) < math.huge                  -- nan is not
      values[k] = finite and math.floor(math.ldexp(v, -exponent) * LEVELS + ODD) or tostring(v)
   end
   return table.concat(values, ' ')
end

--- What a value is, as a text. @param many  elements of a tensor that are looked at (default 256)
function fingerprint.text(v, many, depth)
   many, depth = many or MANY, depth or 0
   if torch.isTensor(v) then return ('%s: %s'):format(arg.describe(v), v._device == 0 and levels(v, many) or '') end
   if type(v) == 'number' then return ('%.17g'):format(v) end
   if type(v) == 'string' then return ('%d %s'):format(#v, v:sub(1, LONGEST)) end
   if type(v) ~= 'table' or getmetatable(v) or depth == DEEPEST then return arg.describe(v) end
   local list = {}
   for key, x in pairs(v) do
      local name = (type(key) == 'string' or type(key) == 'number') and tostring(key) or ''
      list[#list + 1] = ('%s %s = %s'):format(type(key), name, fingerprint.text(x, many, depth + 1))
   end
   table.sort(list)
   return '{' .. table.concat(list, ', ') .. '}'
end

return fingerprint
