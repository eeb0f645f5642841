-- lua/distributed/pipeline/link.lua - links between stages of a pipeline: tensors with a header that describes
-- them.
--
-- A message is a header and then the tensors. A link waits for the next header while this rank
-- computes, and starts the transfer of the tensors as soon as the header has arrived. A header
-- without tensors means that an earlier rank failed.
local torch = require 'torch'
local dtype = require 'torch.dtype'
local dist = require 'distributed.core'

local Link = {}
Link.__index = Link

local MOST, DIMS = 8, 8                            -- tensors of a message, dimensions of a tensor
local ROW = 2 + DIMS
local ASYNC = { async = true }

--- A link to a rank of the job.
function Link.with(rank) return setmetatable({ rank = rank, left = 0, pool = {} }, Link) end

-- The header: the number of tensors (plus a mark for a list), then dtype, dimensions and sizes of
-- each.
local function head_of(x)
   local head = torch.DoubleTensor(1 + MOST * ROW):zero()
   if x == nil then return head, {} end
   local list = torch.isTensor(x) and { x } or x
   if type(x) == 'table' and (#x > MOST or #x == 0) then
      error(('stages exchange 1 to %d tensors, got a table of %d'):format(MOST, #x), 0)
   end
   if type(list) ~= 'table' then error('stages exchange tensors, got a ' .. torch.type(x), 0) end
   head[1] = #list + (list == x and 1 or 0)
   if list == x then head[1] = head[1] + MOST end
   for i, t in ipairs(list) do
      if not torch.isTensor(t) then
         error(('stages exchange a tensor or a list of tensors, got a list with a %s'):format(torch.type(t)), 0)
      end
      if t:dim() == 0 and t:nElement() == 1 then error('stages exchange tensors with dimensions, got a number', 0) end
      if t:dim() > DIMS then error(('stages exchange tensors of up to %d dimensions, got %d'):format(DIMS, t:dim()), 0) end
      local at = 1 + (i - 1) * ROW
      head[at + 1], head[at + 2] = dtype.of(t), t:dim()
      for d = 1, t:dim() do head[at + 2 + d] = t:size(d) end
   end
   return head, list
end

-- Tensors as a header describes them, taken from the released ones if possible.
local function tensors_of(self, head)
   local count = head[1] > MOST and head[1] - MOST - 1 or head[1]
   local list = {}
   for i = 1, count do
      local at, sizes = 1 + (i - 1) * ROW, {}
      for d = 1, head[at + 2] do sizes[d] = head[at + 2 + d] end
      local kind = dtype.words[head[at + 1]]
      local free = self.pool[kind .. table.concat(sizes, 'x')]
      if head[at + 1] > dtype.CUDA then require 'cutorch' end                   -- it arrives on the current device of this rank
      list[i] = free and table.remove(free) or torch[kind .. 'Tensor'](torch.LongStorage(sizes))
   end
   return list
end

--- Releases tensors that Link:take has returned: their memory may be used again.
function Link:give(x)
   for _, t in ipairs(torch.isTensor(x) and { x } or x) do
      local sizes = {}
      for d = 1, t:dim() do sizes[d] = tonumber(t:size(d)) end
      local key = dtype.words[dtype.of(t)] .. table.concat(sizes, 'x')
      self.pool[key] = self.pool[key] or {}
      table.insert(self.pool[key], t)
   end
end

--- Raises an error if a message cannot carry x.
function Link.check(x)
   if x == nil then error('stages exchange tensors, got nil', 0) end
   head_of(x)
end

--- Starts to send x, a tensor or a list of tensors; nil announces that none will follow. Returns
-- handles; wait for them before changing x.
function Link:send(x)
   local head, list = head_of(x)
   local works = { dist.send(head, self.rank, ASYNC) }
   local most = 0
   for _, t in ipairs(list) do most = most + t:nElement() end
   if most > 0 then works[2] = dist.send(list, self.rank, ASYNC) end
   return works
end

--- n messages will follow.
function Link:expect(n)
   local kinds = 0
   for _ in pairs(self.pool) do kinds = kinds + 1 end
   if kinds > 16 then self.pool = {} end           -- sizes change from batch to batch
   self.left = n
   self:post()
end

-- Starts to receive the next header.
function Link:post()
   if self.head or self.left == 0 then return end
   self.head = torch.DoubleTensor(1 + MOST * ROW)
   self.coming = dist.recv(self.head, self.rank, ASYNC)
end

-- Receives the tensors of the header that arrived.
local function start(self)
   self.coming:wait()
   self.coming = nil
   local list, most = tensors_of(self, self.head), 0
   for _, t in ipairs(list) do most = most + t:nElement() end
   self.list, self.travel = list, most > 0 and dist.recv(list, self.rank, ASYNC) or false
end

--- Starts the transfer of the next message's tensors if its header has arrived.
function Link:poll()
   if self.coming and self.coming:test() then start(self) end
end

--- The next message: a tensor or a list of tensors, or nil if the sender failed.
function Link:take()
   if self.coming then start(self) end
   if self.travel then self.travel:wait() end
   local count, list = self.head[1], self.list
   self.head, self.list, self.travel, self.left = nil, nil, nil, self.left - 1
   self:post()
   if count == 0 then return nil end
   return count > MOST and list or list[1]
end

return Link
