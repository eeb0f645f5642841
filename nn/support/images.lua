-- nn/support/images.lua - shared code of layers on images: the check of their input and the text of their sizes.
local torch = require 'torch'
local arg = require 'torch.arg'

local images = {}

--- Refuses an input that is not planes x height x width, or a batch of those, of the module's type.
-- @param planes  how many planes it must have; nil: any
function images.check(self, input, planes)
   local dim = torch.isTensor(input) and input:dim()
   if (dim ~= 3 and dim ~= 4) or (planes and input:size(dim - 2) ~= planes) then
      local form = (planes or 'planes') .. ' x height x width'
      self:refuse('input', ('be %s or samples x %s'):format(form, form), input)
   end
end

--- Refuses a kernel that does not fit into the padded image.
function images.fits(self, input, kH, kW, padH, padW)
   local dim = input:dim()
   local h, w = tonumber(input:size(dim - 1)), tonumber(input:size(dim))
   if h + 2 * padH < kH or w + 2 * padW < kW then
      self:refuse('input', ('be at least %dx%d with its padding'):format(kH, kW), input)
   end
end

--- Refuses a gradOutput whose size differs from that of the input.
function images.like(self, input, gradOutput)
   images.check(self, input)
   if not torch.isTensor(gradOutput) or not gradOutput:isSameSizeAs(input) then
      self:refuse('gradOutput', 'be of size ' .. arg.size_text(input), gradOutput)
   end
end

--- ", 2,2, 1,1": the text after the kernel size in the name of a layer; pads appear when there are any.
function images.steps(dW, dH, padW, padH)
   local text = ''
   if dW ~= 1 or dH ~= 1 or padW ~= 0 or padH ~= 0 then text = (', %d,%d'):format(dW, dH) end
   if padW ~= 0 or padH ~= 0 then text = text .. (', %d,%d'):format(padW, padH) end
   return text
end

return images
