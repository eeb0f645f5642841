-- feed.list - the elements of a Lua table as samples; and feed.t7, which loads them from a file of torch.save.
local torch = require 'torch'
local arg = require 'torch.arg'
local fingerprint = require 'feed.fingerprint'
local need = require 'feed.need'
local source = require 'feed.source'

local List = {}
List.__index = List

--- The dataset whose samples are the elements of a table. Every worker thread gets a copy, in which tensors are shared.
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
   for j, i in ipairs(fingerprint.some(#self.samples)) do texts[j] = fingerprint.text(self.samples[i], 16) end
   return fingerprint.new('list', table.concat(texts, '\n'))
end

-- Tensors by name or number with as many elements along the first dimension.
local function are_columns(t)
   local n
   for _, v in pairs(t) do
      if not torch.isTensor(v) or v:dim() == 0 or n and v:size(1) ~= n then return false end
      n = v:size(1)
   end
   return n ~= nil
end

--- The samples in a file of torch.save, which is loaded as a whole. For a tensor or a table of
-- tensors they are those of feed.tensors, for another list its elements. No code in the file is
-- run.
-- name = os.tmpname(); torch.save(name, torch.range(5, 7)); x = require 'feed'.t7(name):get(3); os.remove(name); x --> 7
function List.t7(file)
   need.path('feed.t7', file)
   local ok, object = pcall(torch.load, file)
   if not ok then source.fail('feed.t7', file, (tostring(object):gsub('^.-torch%.load: ', ''))) end
   local plain = type(object) == 'table' and not getmetatable(object)
   if torch.isTensor(object) and object:dim() > 0 or plain and are_columns(object) then
      return require 'feed.tensors'.new(object)
   end
   if plain and #object > 0 and need.is_list(object) then return List.new(object) end
   error(('feed.t7: %s: samples must be in a tensor, a table of tensors or a list, got %s'):format(file, arg.describe(object)), 2)
end

return List
