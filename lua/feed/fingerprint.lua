-- feed.fingerprint - identifies the dataset in a loader's state: a word for its kind and a checksum of its samples, or of some
-- of them if there are many. It depends neither on the paths of files nor on their times.
local lib = require 'torch.lib'
local torch = require 'torch'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local format = require 'torch.format'
local source = require 'feed.source'
local C = lib.C

local fingerprint = {}

local FEW, BLOCK = 16, 4096                  -- sampled blocks of a file, and bytes of each
local MANY, LEVELS = 256, 32                 -- sampled elements of a tensor, and levels of their values
local ODD = 0.3183                           -- a fraction of a level that values of data do not have
local DEEPEST, LONGEST = 8, 256              -- nesting of tables; bytes of a string
local GOLDEN = 0.6180339887498949            -- its multiples are evenly spread in 0..1, without a pattern that data may have

--- 'kind 1a2b3c4d', with the checksum of the text.
function fingerprint.new(kind, text) return ('%s %08x'):format(kind, C.th_crc32c(0, text, #text)) end

--- The checksum of a tensor's elements, as a text.
function fingerprint.sum(t)
   local p, n = format.bytes(t:contiguous())
   return ('%08x'):format(n > 0 and C.th_crc32c(0, p, n) or 0)
end

--- The fingerprint that a dataset returns, or nil if it has none.
function fingerprint.of(dataset)
   if dataset.fingerprint == nil then return nil end
   local v = dataset:fingerprint()
   if type(v) ~= 'nil' and type(v) ~= 'string' then
      error('dataset:fingerprint() must return a string, got ' .. arg.describe(v), 0)
   end
   return v
end

--- The fingerprint of datasets that are zipped or concatenated: a table of them.
function fingerprint.of_parts(kind, parts)
   local list = {}
   for key, part in pairs(parts) do
      list[#list + 1] = ('%s: %.0f of %s'):format(tostring(key), part:size(), fingerprint.of(part) or '?')
   end
   table.sort(list)
   return fingerprint.new(kind, table.concat(list, '\n'))
end

local known = setmetatable({}, { __mode = 'k' })             -- dataset -> its fingerprint, in this thread

--- f(dataset), called once per dataset: for files, which do not change.
function fingerprint.once(dataset, f)
   known[dataset] = known[dataset] or f(dataset)
   return known[dataset]
end

--- Up to FEW whole numbers, evenly spread in 1..n.
function fingerprint.some(n)
   local list = {}
   for k = 1, math.min(n, FEW) do list[k] = n <= FEW and k or 1 + math.floor((k - 1) * (n - 1) / (FEW - 1)) end
   return list
end

--- The checksum of blocks that are evenly spread in `bytes` bytes, as a text.
-- @param at  a function (n, position) that returns n bytes
function fingerprint.blocks_at(at, bytes)
   local sum, n = 0, math.min(BLOCK, bytes)
   for _, k in ipairs(fingerprint.some(math.ceil(bytes / BLOCK))) do
      sum = C.th_crc32c(sum, at(n, math.min((k - 1) * BLOCK, bytes - n)), n)
   end
   return ('%08x'):format(sum)
end

--- The same of the bytes `from` ... `to` - 1 of an open file.
function fingerprint.blocks(s, from, to)
   return fingerprint.blocks_at(function(n, place) return source.bytes(s, n, from + place) end, to - from)
end

-- ---- values in memory -----------------------------------------------------------------------------------------------------

-- Element k of a tensor on the CPU, from 0, in row-major order.
local function element(t, k)
   local at = tonumber(t._offset)
   for d = t._ndim - 1, 0, -1 do
      local size = tonumber(t._size[d])
      at, k = at + k % size * tonumber(t._stride[d]), math.floor(k / size)
   end
   return dtype.read(t._dtype, t._storage.data, at)
end

-- A few elements, each as one of LEVELS parts of a power of two above the largest. The same data computed on another CPU may
-- differ in the last bits, so values of data must not be near the boundary of a level or a power.
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

--- A value as a text. @param many  how many elements of a tensor are sampled (default 256)
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
