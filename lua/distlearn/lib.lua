-- lua/distlearn/lib.lua - shared code of AllReduceSGD and AllReduceEA: tables of tensors, and rounds of a part of the ranks.
local torch = require 'torch'
local arg = require 'torch.arg'
local dist = require 'dist'

local M = {}

local function walk(x, list, who)
   if arg.is_tensor(x) then
      list[#list + 1] = x
   elseif type(x) == 'table' then
      local keys = {}
      for k in pairs(x) do keys[#keys + 1] = k end
      table.sort(keys, function(a, b)
         if type(a) == type(b) then return a < b end
         return type(a) < type(b)
      end)
      for _, k in ipairs(keys) do walk(x[k], list, who) end
   else
      arg.refuse(who, 'argument 1', 'tensors in tables', x, 4)
   end
   return list
end

--- The tensors of a table of tables, in the same order on all ranks.
function M.tensors(who, x)
   local list = walk(x, {}, who)
   if #list == 0 then error(who .. ': there is no tensor', 3) end
   return list
end

--- A round: how many ranks take part. All ranks call it, those that have finished with 0.
function M.count(active) return dist.allreduce(torch.DoubleTensor{ active })[1] end

--- Takes part with zeros, as many tensors as in the list, until all have finished.
function M.finish(list, f)
   while M.count(0) > 0 do
      local zeros = {}
      for i, t in ipairs(list) do zeros[i] = t:clone():zero() end
      f(dist.allreduce(zeros))
   end
end

--- Copies the tensors of the rank that has taken the most steps to all.
function M.takeFarthest(list, steps)
   local all = dist.allgather(torch.DoubleTensor{ steps }):view(-1)
   local farthest = 0
   for r = 1, all:size(1) - 1 do if all[r + 1] > all[farthest + 1] then farthest = r end end
   dist.broadcast(list, farthest)
end

return M
