-- lua/onnx/shared.lua - memory of a plan, shared by buffers that are never in use together.
--
-- Buffers are entries (plan.lua). Entries that write over each other are one block. A block whose
-- size follows from the sizes of the inputs gets a part of one large storage. Others may grow, and
-- get storages apart.
local construct = require 'torch.construct'
local dtype = require 'torch.dtype'
local torch = require 'torch'
local types = require 'onnx.types'

local M = {}

-- Parts begin at multiples of so many bytes, a pair of lines of a cache. So many of these lie
-- behind large ones. Else parts of whole pages would meet in the same sets of the first cache.
local ALIGN, BETWEEN, LARGE = 128, 9, 2 ^ 16

--- Buffers that may share memory, in the order of their nodes, and by the numbers of their
-- storages.
function M.entries_of(r)
   local list, by_number = {}, {}
   for _, entry in ipairs(r.entries) do
      if entry.shared then
         list[#list + 1], by_number[entry.id], entry.index = entry, entry, #list
      end
   end
   return list, by_number
end

-- ---- blocks -------------------------------------------------------------------------------------

-- The entry of an input that ends with node i and has the size of the result, if the op may write
-- over it.
local function over_input(entry, r, by_number)
   local n, found = entry.node, nil
   if entry.apart then return nil end
   -- n.over: the only input that may be written over
   local first = n.definition.inplace and 1 or n.over
   if not first then return nil end
   for k = first, n.over or n.count do
      local slot = n.inputs[k]
      local e = slot and r.storage[slot] and by_number[r.storage[slot]]
      if e and e.stop == entry.first and e.first < entry.first and e.block and e.size == entry.size
         and e.dtype == entry.dtype then
         if not r.plain[slot] then return nil end
         found = found or e
      end
   end
   return found
end

--- Gives each entry that lies in no other one a block in the field place, and returns a list of
-- them.
function M.blocks_of(list, r, by_number)
   local blocks = {}
   table.sort(list, function(a, b) return a.first < b.first or a.first == b.first
      and a.index < b.index end)
   for _, entry in ipairs(list) do
      if not entry.host then
         local e = over_input(entry, r, by_number)
         local block = e and e.block
         if not block then
            block = { size = 1, dtype = entry.dtype, first = entry.first, settled = true,
               index = #blocks }
            blocks[#blocks + 1] = block
         end
         if e then e.block = nil end
         entry.block, entry.place = block, block
         block.size, block.stop = math.max(block.size, entry.size), entry.stop
         local settled = entry.apart or entry.node.settled and entry.k == 1
         block.settled = block.settled and settled or false
      end
   end
   return blocks
end

-- ---- parts of one storage -----------------------------------------------------------------------

-- The offset of a block that fits the gap best between blocks that are in use at the same time.
-- placed: in the order of their offsets.
local function gap_for(block, placed)
   local first, stop, need = block.first, block.stop, block.need
   local cursor, best, least = 0, nil, math.huge
   for i = 1, #placed do
      local p = placed[i]
      if p.first <= stop and first <= p.stop then
         local gap = p.offset - cursor
         if gap >= need and gap < least then best, least = cursor, gap end
         cursor = math.max(cursor, p.offset + p.need)
      end
   end
   return best or cursor
end

-- Whether block a is placed before block b: the larger one (Y. Pisarchyk and J. Lee, 'Efficient
-- memory management for deep neural net inference', 2020), the one that is used longer, or the
-- earlier one. Each needs the least for some networks.
local orders = {
   function(a, b) return a.size > b.size end,
   function(a, b) return a.stop > b.stop end,
   function(a, b) return a.first < b.first end,
}

-- Gives blocks offsets in an order. Returns the size of all, in elements.
local function pack_by(order, blocks)
   local placed, size = {}, 0
   table.sort(blocks, function(a, b)
      if order(a, b) then return true end
      return not order(b, a) and a.index < b.index
   end)
   for _, block in ipairs(blocks) do
      block.offset = gap_for(block, placed)
      size = math.max(size, block.offset + block.need)
      local at = #placed + 1
      while at > 1 and placed[at - 1].offset > block.offset do at = at - 1 end
      table.insert(placed, at, block)
   end
   return size
end

-- Gives blocks of one type offsets, in the order that needs the least. Returns the size of all.
local function pack(blocks, step)
   for _, block in ipairs(blocks) do
      local lines = math.ceil(block.size / step)
      block.need = (lines + (lines * ALIGN >= LARGE and BETWEEN or 0)) * step
   end
   local best, least = orders[1], math.huge
   for _, order in ipairs(orders) do
      local size = pack_by(order, blocks)
      if size < least then best, least = order, size end
   end
   return pack_by(best, blocks)
end

-- ---- storages -----------------------------------------------------------------------------------

local function vector(d, size) return types.resize(construct.empty(d), { size }) end

-- The chunk that is free and fits best: the smallest that is large enough, else the largest, which
-- grows. nil: none is free.
local function free_chunk(chunks, block)
   local best
   for _, chunk in ipairs(chunks) do
      local size = chunk.size
      if chunk.stop < block.first and chunk.dtype == block.dtype and (not best
         or size >= block.size and (best.size < block.size or size < best.size)
         or best.size < block.size and size > best.size) then best = chunk end
   end
   return best
end

-- Gives blocks that may grow chunks: storages for one block after the other. Returns their bytes.
local function place_apart(blocks)
   local chunks, bytes = {}, 0
   for _, block in ipairs(blocks) do
      local chunk = free_chunk(chunks, block)
      if not chunk then
         chunk = { size = 0, dtype = block.dtype }
         chunks[#chunks + 1] = chunk
      end
      chunk.size, chunk.stop = math.max(chunk.size, block.size), block.stop
      block.chunk = chunk
   end
   for _, chunk in ipairs(chunks) do
      chunk.tensor = vector(chunk.dtype, chunk.size)
      bytes = bytes + chunk.size * dtype.bytes[chunk.dtype]
   end
   for _, block in ipairs(blocks) do block.tensor = block.chunk.tensor end
   return bytes
end

--- Gives each block memory, in the field tensor. Returns the bytes of all.
function M.place(blocks)
   local apart, by_type = {}, {}
   for _, block in ipairs(blocks) do
      local d = block.dtype
      by_type[d] = by_type[d] or {}
      local list = block.settled and by_type[d] or apart
      list[#list + 1] = block
   end
   local bytes = place_apart(apart)
   for d, list in pairs(by_type) do
      local size = pack(list, ALIGN / dtype.bytes[d])
      if size > 0 then
         local word, whole = dtype.words[d], vector(d, size):storage()
         local storage_of, tensor_of = torch[word .. 'Storage'], torch[word .. 'Tensor']
         for _, block in ipairs(list) do
            block.tensor = tensor_of(storage_of(whole, block.offset + 1, block.size))
         end
         bytes = bytes + size * dtype.bytes[d]
      end
   end
   return bytes
end

return M
