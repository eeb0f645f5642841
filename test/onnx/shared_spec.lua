-- test/onnx/shared_spec.lua - blocks of a plan share memory unless they are in use together.
local dtype = require 'torch.dtype'
local ffi = require 'ffi'
local shared = require 'onnx.shared'

local FLOAT, LONG = dtype.id.Float, dtype.id.Long

-- Random blocks of two types. Those that are settled share one storage for each type.
local function blocks_of(count, nodes)
   local list = {}
   for i = 1, count do
      local first = math.random(nodes)
      list[i] = { index = i, first = first, stop = math.min(nodes, first + math.random(0, 5)),
         size = math.random(1, 2000), dtype = math.random() < 0.8 and FLOAT or LONG,
         settled = math.random() < 0.8 }
   end
   table.sort(list, function(a, b) return a.first < b.first or a.first == b.first
      and a.index < b.index end)
   return list
end

local function address(block) return tonumber(ffi.cast('intptr_t', block.tensor:data())) end

local function meet(a, b)
   local p, q = address(a), address(b)
   return p < q + b.size * dtype.bytes[b.dtype] and q < p + a.size * dtype.bytes[a.dtype]
end

-- The most bytes in use at the same time.
local function most_of(blocks, nodes)
   local most = 0
   for i = 1, nodes do
      local live = 0
      for _, b in ipairs(blocks) do
         if b.first <= i and i <= b.stop then live = live + b.size * dtype.bytes[b.dtype] end
      end
      most = math.max(most, live)
   end
   return most
end

describe('blocks of a plan', function()
   it('that are in use at the same time share no byte', function()
      math.randomseed(1)
      for _ = 1, 40 do
         local list = blocks_of(math.random(1, 60), 30)
         shared.place(list)
         for i, a in ipairs(list) do
            assert.is_true(a.tensor:nElement() >= a.size)
            for k = 1, i - 1 do
               local b = list[k]
               if a.first <= b.stop and b.first <= a.stop then assert.is_false(meet(a, b)) end
            end
         end
      end
   end)

   it('take little more than the most that is in use at the same time', function()
      math.randomseed(2)
      local sum, wanted = 0, 0
      for _ = 1, 40 do
         local list = blocks_of(60, 30)
         for _, b in ipairs(list) do b.settled, b.dtype = true, FLOAT end
         local least, bytes = most_of(list, 30), shared.place(list)
         assert.is_true(bytes >= least)
         sum, wanted = sum + bytes, wanted + least
      end
      assert.is_true(sum < 1.15 * wanted)
   end)

   it('may grow where they are not settled, without harm to others', function()
      local list = { { index = 1, first = 1, stop = 2, size = 10, dtype = FLOAT, settled = false },
         { index = 2, first = 2, stop = 3, size = 10, dtype = FLOAT, settled = true } }
      shared.place(list)
      list[2].tensor:fill(3)
      list[1].tensor:resize(1000):fill(4)
      assert.equal(30, list[2].tensor:sum())
      assert.has_error(function() list[2].tensor:resize(1000) end,
         'resize: a storage that shares its memory with another cannot grow')
   end)

   it('take no memory where there are none', function() assert.equal(0, shared.place {}) end)
end)
