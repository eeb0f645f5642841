-- lua/optim/clip.lua - limits the norm of gradients.
local torch = require 'torch'
local optim = require 'optim'
local arg = require 'torch.arg'
local dtype = require 'torch.dtype'
local recording = require 'torch.recording'

local DOUBLE = 'torch.CudaDoubleTensor'

-- The same where no value may leave the device, as in a CUDA graph: the norm is a tensor of one element.
local function clip_there(list, maxNorm, p)
   local sum                                   -- in double: powers of low-precision numbers would overflow
   for i = 1, #list do
      local part = torch.norm(list[i]:contiguous():view(-1):type(DOUBLE), p, 1):pow(p)
      sum = sum and sum:add(part) or part
   end
   local norm = sum:pow(1 / p)
   local long = torch.cmul(torch.gt(norm, maxNorm), torch.lt(norm, math.huge))
   local one = norm:clone():fill(1)
   local by = torch.where(long, torch.cdiv(one, norm):mul(maxNorm), one)
   for i = 1, #list do
      local x = list[i]:type(DOUBLE)
      list[i]:copy(x:cmul(by:expand(x:nElement())))
   end
   return norm
end

--- Scales gradients down, in place, so that their common norm is at most maxNorm. Gradients that are not finite stay
-- unchanged, and the norm shows it. Pascanu et al., "On the difficulty of training recurrent neural networks" (2013).
-- @param grads  a tensor, or a list of them
-- @param p      of the norm, default 2
-- @return the norm before; recorded in a CUDA graph, a tensor of one element
-- g = torch.Tensor{3, 4}; n = optim.clipGradNorm(g, 1); n, g --> 5, {0.6, 0.8}
function optim.clipGradNorm(grads, maxNorm, p)
   local list = torch.isTensor(grads) and {grads} or grads
   p = p == nil and 2 or p
   if type(list) ~= 'table' then arg.refuse('optim.clipGradNorm', 'grads', 'a tensor or a list of them', grads) end
   for i = 1, #list do
      if not torch.isTensor(list[i]) or not dtype.is_float(list[i]._dtype) then
         arg.refuse('optim.clipGradNorm', ('grads[%d]'):format(i), 'a tensor of floats', list[i])
      end
   end
   if type(maxNorm) ~= 'number' or maxNorm <= 0 or maxNorm ~= maxNorm then
      arg.refuse('optim.clipGradNorm', 'maxNorm', 'a positive number', maxNorm)
   end
   if type(p) ~= 'number' or not (p > 0 and p < math.huge) then
      arg.refuse('optim.clipGradNorm', 'p', 'a positive number', p)
   end
   if recording.recorder and #list > 0 then return clip_there(list, maxNorm, p) end
   local sum = 0
   for i = 1, #list do
      if list[i]:nElement() > 0 then sum = sum + list[i]:norm(p) ^ p end
   end
   local norm = sum ^ (1 / p)
   if norm > maxNorm and norm < math.huge then
      for i = 1, #list do list[i]:mul(maxNorm / norm) end
   end
   return norm
end
