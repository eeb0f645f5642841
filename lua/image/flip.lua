-- lua/image/flip.lua - mirrors pictures.
local torch = require 'torch'
local check = require 'image.check'

local M = {}

-- Torch7 took a picture of two dimensions for one plane, which was impossible where rows do not follow each other.
local function mirror(who, back, y, x)
   if x == nil then y, x = nil, y end
   check.picture(who, x, 2, 4, 4)
   if x:dim() == 2 then check.contiguous(who, x, 4) end
   if y ~= nil then check.result(who, y, x, 4) end
   return torch.flip(y or x.new(), x, x:dim() - back)
end

--- Mirrors a picture: the first column becomes the last.
-- @param result  an optional tensor of the same type; it may be the picture itself
-- @param picture  planes x rows x columns, rows x columns, or a batch of pictures
-- @return the result
-- image.hflip(torch.Tensor{{1, 2, 3}, {4, 5, 6}}) --> {{3, 2, 1}, {6, 5, 4}}
function M.hflip(result, picture) return mirror('image.hflip', 0, result, picture) end

--- Mirrors a picture: the first row becomes the last.
-- @param result  an optional tensor of the same type; it may be the picture itself
-- @param picture  planes x rows x columns, rows x columns, or a batch of pictures
-- @return the result
-- image.vflip(torch.Tensor{{1, 2, 3}, {4, 5, 6}}) --> {{4, 5, 6}, {1, 2, 3}}
function M.vflip(result, picture) return mirror('image.vflip', 1, result, picture) end

--- Gives the elements of a tensor in reverse order along one dimension.
-- @param result  an optional tensor of the same type, not the picture itself
-- @param picture  a tensor of 1 to 5 dimensions
-- @param dim  a dimension, from 1
-- @return the result
-- image.flip(torch.Tensor{{1, 2}, {3, 4}}, 1) --> {{3, 4}, {1, 2}}
function M.flip(result, picture, dim)
   if not torch.isTensor(picture) then result, picture, dim = nil, result, picture end
   check.picture('image.flip', picture, 1, 5)
   if result ~= nil then
      check.result('image.flip', result, picture)
      if torch.pointer(result) == torch.pointer(picture) then
         error('image.flip: the result must not be the picture itself', 2)
      end
   end
   return torch.flip(result or picture.new(), picture, dim)
end

return M
