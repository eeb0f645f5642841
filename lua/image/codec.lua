-- lua/image/codec.lua - shared code for image files: kinds of files, types of tensors, planes.
local torch = require 'torch'
local arg = require 'torch.arg'

local codec = {}

--- The readers and writers by the names of the kinds. feed.image uses the first three as well.
codec.modules = { JPEG = 'feed.jpeg', PNG = 'feed.png', WebP = 'feed.webp', PNM = 'image.pnm' }

--- The kind of the file that begins with these bytes, or nil.
function codec.kind(bytes)
   for kind, name in pairs(codec.modules) do
      if require(name).is(bytes) then return kind end
   end
end

local READABLE = { byte = 'torch.ByteTensor', float = 'torch.FloatTensor', double = 'torch.DoubleTensor' }

--- The type of the tensor to make. @param name  'byte', 'float', 'double', or nil for the default type
function codec.type(who, name, level)
   if name ~= nil then
      local t = READABLE[name]
      if not t then arg.refuse(who, 'tensortype', "'byte', 'float' or 'double'", name, level) end
      return t
   end
   local default = torch.getdefaulttensortype()
   if default ~= 'torch.FloatTensor' and default ~= 'torch.DoubleTensor' then
      error(("%s: the default type is %s; name 'byte', 'float' or 'double'"):format(who, default), level)
   end
   return default
end

-- Depth 1: colours become grey, of rows x columns; alpha is dropped. Depth 3: grey becomes colours. Other depths change nothing.
local function with_depth(x, depth)
   local n = x:size(1)
   if depth == 1 and n > 1 then return n == 2 and x:narrow(1, 1, 1) or require 'image'.rgb2y(x:narrow(1, 1, 3))[1] end
   if depth == 3 and n < 3 then return x:narrow(1, 1, 1):expand(3, x:size(2), x:size(3)):contiguous() end
   return depth == 3 and n == 4 and x:narrow(1, 1, 3) or x
end

--- Converts pixels of readers (height x width x channels, bytes or 16 bits in an IntTensor) to planes of a type: bytes as they
-- are, fractions from 0 to 1.
function codec.planes(pixels, depth, type)
   local wide = pixels:type() == 'torch.IntTensor'
   local x = pixels:permute(3, 1, 2)
   if type ~= 'torch.ByteTensor' then x = x:contiguous():type(type):mul(1 / (wide and 65535 or 255))
   else x = wide and x:contiguous():div(256):byte() or x:contiguous() end
   return with_depth(x, depth)
end

--- Refuses tensors that no file can hold; accepts planes x rows x columns, or rows x columns.
-- @param channels  a table: the numbers of planes that the kind of the file can have
function codec.check(who, x, channels, level)
   if not torch.isTensor(x) then arg.refuse(who, 'tensor', 'a tensor', x, level) end
   local n = x:dim() == 2 and 1 or x:dim() == 3 and x:size(1)
   if not n or not channels[n] or x:nElement() == 0 then
      local list = {}
      for k = 1, 4 do list[#list + 1] = channels[k] and tostring(k) or nil end
      error(('%s: the picture must be planes x rows x columns with %s plane(s)%s, got %s'):format(who, table.concat(list, ', '),
         channels[1] and ', or rows x columns' or '', arg.size_text(x)), level)
   end
end

--- A tensor that codec.check accepted as pixels: height x width x channels, bytes. Tensors of other types than bytes hold 0..1,
-- and values outside are clamped. The result is a new tensor, or shares the memory of `x`; it is contiguous.
function codec.pixels(x)
   if x:dim() == 2 then x = x:contiguous():view(1, x:size(1), x:size(2)) end
   if x:type() ~= 'torch.ByteTensor' then
      x = x:double()
      x[x:ne(x)] = 0                                         -- not a number
      x = x:clone():clamp(0, 1):mul(255):byte()
   end
   return x:permute(2, 3, 1):contiguous()
end

return codec
