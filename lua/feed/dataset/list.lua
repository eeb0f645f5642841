-- feed.list - the elements of a Lua table as samples.
local arg = require 'torch.arg'
local fingerprint = require 'feed.fingerprint'
local need = require 'feed.need'

local List = {}
List.__index = List

--- The dataset whose samples are the elements of a table. Every worker thread gets a copy, in which
-- tensors are shared.
-- require 'feed'.list{'a', 'b'}:get(2) --> b
function List.new(samples)
   if type(samples) ~= 'table' or getmetatable(samples) or not need.is_list(samples) then
      arg.refuse('feed.list', 'samples', 'a list without holes', samples)
   end
   return setmetatable({ samples = samples }, List)
end

function List:size() return #self.samples end

function List:get(i) return self.samples[need.index('feed.list', i, #self.samples)] end

function List:fingerprint()
   local texts = {}
   for j, i in ipairs(fingerprint.some(#self.samples)) do
      texts[j] = fingerprint.text(self.samples[i], 16)
   end
   return fingerprint.new('list', table.concat(texts, '\n'))
end

return List
