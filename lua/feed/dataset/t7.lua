-- feed.t7 - the samples in a file of torch.save.
local torch = require 'torch'
local arg = require 'torch.arg'
local list = require 'feed.dataset.list'
local tensors = require 'feed.dataset.tensors'
local need = require 'feed.need'
local source = require 'feed.source'

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
-- f = os.tmpname(); torch.save(f, {4, 7}); x = require 'feed'.t7(f):get(2); os.remove(f); x --> 7
return function(file)
   need.path('feed.t7', file)
   local ok, object = pcall(torch.load, file)
   if not ok then source.fail('feed.t7', file, (tostring(object):gsub('^.-torch%.load: ', ''))) end
   local plain = type(object) == 'table' and not getmetatable(object)
   if torch.isTensor(object) and object:dim() > 0 or plain and are_columns(object) then
      return tensors.new(object)
   end
   if plain and #object > 0 and need.is_list(object) then
      return list.new(object)
   end
   error(('feed.t7: %s: samples must be in a tensor, a table of tensors or a list, got %s'):format(
      file, arg.describe(object)), 2)
end
