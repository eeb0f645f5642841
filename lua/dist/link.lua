-- lua/dist/link.lua - tensors that go from one stage of a pipeline to the next, with a head that says what they are.
--
-- A message is a head and then the tensors. The head of the next message is awaited while this rank computes, and the tensors
-- travel as soon as it is there. A head without tensors says that there are none, since a rank before has failed.
local torch = require 'torch'
local dtype = require 'torch.dtype'
local dist = require 'dist'

local Link = {}
Link.__index = Link

local MOST, DIMS = 8, 8                            -- tensors of a message, dimensions of one
local ROW = 2 + DIMS
local ASYNC = { async = true }

--- A link with a rank of the job.
function Link.with(rank) return setmetatable({ rank = rank, left = 0, pool = {} }, Link) end

-- What a head says: how many tensors (1 more for a list of them), then type, dimensions and sizes of each.
local function head_of(x)
   local head = torch.DoubleTensor(1 + MOST * ROW):zero()
   if x == nil then return head, {} end
   local list = torch.isTensor(x) and { x } or x
   if type(x) == 'table' and (#x > MOST or #x == 0) then
      error(('between stages 1 to %d tensors can travel, got a table of %d'):format(MOST, #x), 0)
   end
   if type(list) ~= 'table' then error('between stages tensors travel, got a ' .. torch.type(x), 0) end
   head[1] = #list + (list == x and 1 or 0)
   if list == x then head[1] = head[1] + MOST end
   for i, t in ipairs(list) do
      if not torch.isTensor(t) then
         error(('between stages a tensor or a list of tensors can travel, got a list with a %s'):format(torch.type(t)), 0)
      end
      if t:dim() == 0 and t:nElement() == 1 then error('between stages tensors with dimensions travel, got a number', 0) end
      if t:dim() > DIMS then error(('between stages tensors have up to %d dimensions, got %d'):format(DIMS, t:dim()), 0) end
      local at = 1 + (i - 1) * ROW
      head[at + 1], head[at + 2] = dtype.of(t), t:dim()
      for d = 1, t:dim() do head[at + 2 + d] = t:size(d) end
   end
   return head, list
end

-- Tensors as a head describes them, from those that were given back where there are such.
local function tensors_of(self, head)
   local count = head[1] > MOST and head[1] - MOST - 1 or head[1]
   local list = {}
   for i = 1, count do
      local at, sizes = 1 + (i - 1) * ROW, {}
      for d = 1, head[at + 2] do sizes[d] = head[at + 2 + d] end
      local kind = dtype.words[head[at + 1]]
      local free = self.pool[kind .. table.concat(sizes, 'x')]
      if head[at + 1] > dtype.CUDA then require 'cutorch' end                   -- it comes to the device that is current here
      list[i] = free and table.remove(free) or torch[kind .. 'Tensor'](torch.LongStorage(sizes))
   end
   return list
end

--- Gives tensors that Link:take has returned back: their memory may hold others from now on.
function Link:give(x)
   for _, t in ipairs(torch.isTensor(x) and { x } or x) do
      local sizes = {}
      for d = 1, t:dim() do sizes[d] = tonumber(t:size(d)) end
      local key = dtype.words[dtype.of(t)] .. table.concat(sizes, 'x')
      self.pool[key] = self.pool[key] or {}
      table.insert(self.pool[key], t)
   end
end

--- Whether a message can carry x: an error says why not.
function Link.check(x)
   if x == nil then error('between stages tensors travel, got nil', 0) end
   head_of(x)
end

--- Starts sending x, a tensor or a list of tensors; nil says that nothing will come. Returns handles, to be waited for before x
-- changes.
function Link:send(x)
   local head, list = head_of(x)
   local works = { dist.send(head, self.rank, ASYNC) }
   local most = 0
   for _, t in ipairs(list) do most = most + t:nElement() end
   if most > 0 then works[2] = dist.send(list, self.rank, ASYNC) end
   return works
end

--- n messages will come.
function Link:expect(n)
   local kinds = 0
   for _ in pairs(self.pool) do kinds = kinds + 1 end
   if kinds > 16 then self.pool = {} end           -- sizes change from batch to batch
   self.left = n
   self:post()
end

-- Awaits the next head.
function Link:post()
   if self.head or self.left == 0 then return end
   self.head = torch.DoubleTensor(1 + MOST * ROW)
   self.coming = dist.recv(self.head, self.rank, ASYNC)
end

-- The head is there: its tensors may come.
local function start(self)
   self.coming:wait()
   self.coming = nil
   local list, most = tensors_of(self, self.head), 0
   for _, t in ipairs(list) do most = most + t:nElement() end
   self.list, self.travel = list, most > 0 and dist.recv(list, self.rank, ASYNC) or false
end

--- Lets the next message travel, if its head is there.
function Link:poll()
   if self.coming and self.coming:test() then start(self) end
end

--- The next message: a tensor or a list of tensors, or nil where nothing comes.
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
