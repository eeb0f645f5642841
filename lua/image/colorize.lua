-- lua/image/colorize.lua - whole numbers as colours of a map.
local arg = require 'torch.arg'
local check = require 'image.check'

--- Writes into y the colours `map` (n x 3) of the pixels of `labels`, which count from `first`; errors blame the caller's caller.
local function colorize(who, y, labels, map, first)
   check.picture(who, labels, 1, 3, 4)
   if labels:dim() == 3 and labels:size(1) ~= 1 then
      error(('%s: the picture must have one plane, got %s'):format(who, arg.size_text(labels)), 4)
   end
   local rows = labels:dim() == 1 and 1 or labels:size(labels:dim() - 1)
   local at = labels:double():floor():add(1 - first):contiguous():view(-1)
   local least, most = at:min(), at:max()
   if not (least >= 1 and most <= map:size(1)) then
      error(('%s: pixels must lie in %d..%d, got %g to %g'):format(who, first, first + map:size(1) - 1,
         least - 1 + first, most - 1 + first), 4)
   end
   local colors = map:t():contiguous():index(2, at:long())
   return y:resize(3, rows, labels:size(labels:dim())):copy(colors)
end

return colorize
