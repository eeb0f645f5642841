-- lua/image/check.lua - checks of arguments for the functions of image. The level of an error is that of error().
local torch = require 'torch'
local arg = require 'torch.arg'

local M = {}

--- Refuses anything but a tensor of `least` to `most` dimensions.
function M.picture(who, x, least, most, level)
   level = level or 3
   if not torch.isTensor(x) then error(('%s: the picture must be a tensor, got %s'):format(who, arg.describe(x)), level) end
   local n = x:dim()
   if n < least or n > most then
      local want = least == most and tostring(least) or least .. ' to ' .. most
      error(('%s: the picture must have %s dimensions, got %s'):format(who, want, arg.size_text(x)), level)
   end
end

--- Refuses a picture without rows or columns.
function M.pixels(who, x, level)
   local n = x:dim()
   if x:size(n - 1) == 0 or x:size(n) == 0 then
      error(('%s: the picture must have pixels, got %s'):format(who, arg.size_text(x)), level or 3)
   end
end

--- Refuses a result that is no tensor of the picture's type.
function M.result(who, y, x, level)
   level = level or 3
   if not torch.isTensor(y) then error(('%s: the result must be a tensor, got %s'):format(who, arg.describe(y)), level) end
   if torch.type(y) ~= torch.type(x) then
      error(('%s: the result must have the picture\'s type, %s, got %s'):format(who, torch.type(x), torch.type(y)), level)
   end
end

--- Refuses a tensor whose elements do not follow each other in memory.
function M.contiguous(who, x, level)
   if not x:isContiguous() then
      error(who .. ': a picture of two dimensions must be contiguous; call contiguous() first', level or 3)
   end
end

return M
