-- lua/onnx/inside.lua - results that lie inside of the result of a Concat, so that it copies
-- nothing.
--
-- It concerns images whose channels lie side by side (layout.lua), joined along their channels. A
-- plan gives such a result a part
-- of each pixel of the joined one. Concat looks where its inputs lie, and copies those that lie
-- elsewhere.
local layout = require 'onnx.layout'
local types = require 'onnx.types'

local M = {}

-- Ops that write results of any layout, and ops that read them without a loss of time.
local writes = { Conv = true, MaxPool = true, AveragePool = true, BatchNormalization = true,
   Concat = true }
local reads = { MaxPool = true, AveragePool = true, GlobalAveragePool = true,
   BatchNormalization = true, Concat = true }

local function users_of(graph)
   local users = {}
   for _, n in ipairs(graph.nodes) do
      for k = 1, n.count do
         local slot = n.inputs[k]
         if slot then
            users[slot] = users[slot] or {}
            table.insert(users[slot], n)
         end
      end
   end
   return users
end

-- Whether an entry of a plan may become a part of the one of node n.
local function may_join(e, slot, n, users)
   if not e or e.k ~= 1 or e.host or e.node.results[1] ~= slot or not e.last or e.node.domain ~= ''
      or not writes[e.node.op]
      or e.node.over or e.node == n then return false end
   local count = 0
   for _, user in ipairs(users[slot]) do
      if user == n then count = count + 1
      elseif user.domain ~= '' or not reads[user.op] then return false end
   end
   return count == 1
end

--- Finds entries of a plan that can lie inside of others: they get the fields host and channel,
-- from 0.
-- @param list        entries in the order of their nodes
-- @param entries     the entries whose memory values have, by slot
function M.find(graph, list, entries)
   local users
   for _, host in ipairs(list) do
      local n = host.node
      if n.op == 'Concat' and n.domain == '' and host.k == 1 and host.last then
         users = users or users_of(graph)
         local channel = 0
         for k = 1, n.count do
            local slot = n.inputs[k]
            local e = slot and entries[slot]
            if may_join(e, slot, n, users) then e.host, e.channel = host, channel end
            channel = channel + (host.sizes and host.sizes[k] or 0)
         end
      end
   end
   -- hosts are later than what lies inside of them
   for i = #list, 1, -1 do
      local e = list[i]
      local host = e.host
      while host do host.first, host.stop, host = math.min(host.first, e.first),
         math.max(host.stop, e.stop), host.host end
   end
end

--- The tensor of an entry inside of its hosts.
function M.view(e)
   local channel, host = e.channel, e.host
   while host.host do channel, host = channel + host.channel, host.host end
   local s, step = e.shape, host.shape[2]
   local strides = { s[3] * s[4] * step, 1, s[4] * step, step }
   return types.strided(host.place.tensor, s, strides, channel)
end

--- Joins images along their channels into y, whose channels lie side by side.
function M.join(y, list)
   local channel = 0
   for _, x in ipairs(list) do
      local count = types.size(x, 2)
      local there = x._storage == y._storage and x._offset == y._offset + channel and x._stride[3]
         == y._stride[3]
         and layout.is_last(x)
      if not there and count > 0 then
         local part = y:narrow(2, channel + 1, count)
         part:copy(x)
         part:free()                                          -- else it keeps y's memory
      end
      channel = channel + count
   end
   return y
end

return M
