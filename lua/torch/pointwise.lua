-- torch.pointwise - a chain of pointwise ops as one pass over memory.
local arg = require 'torch.arg'
local class = require 'torch.class'
local M = {}

-- object -> the function that runs its plans; outside the objects, so that no file and no thread
-- gets them.
local made = setmetatable({}, { __mode = 'k' })

function M.install(torch)
   local Pointwise = class.class('torch.Pointwise', torch)

   --- What torch.pointwise makes of a function. Files and threads get the function alone.
   --- @param f  the function
   -- torch.type(torch.Pointwise(function(x) return x * 2 end)) --> torch.Pointwise
   function Pointwise:__init(f)
      if not arg.is_callable(f) then arg.refuse('torch.pointwise', 'f', 'a function', f, 3) end
      self.f = f
   end

   function Pointwise:__call__(...)
      local call = made[self]
      if not call then
         call = require('torch.program').new(self.f).call
         made[self] = call
      end
      return call(...)
   end

   --- A function that gives the bits of f with fewer passes over memory. All its ops compute a
   --- part of the elements before the next part. On a CUDA device they are one kernel, which
   --- NVRTC compiles at the first call. Without NVRTC the ops run one by one.
   ---
   --- f gets tensors, numbers, strings and booleans, and returns tensors. Its ops are arithmetic,
   --- comparisons, torch.where, functions of elements such as torch.tanh, and their gradients;
   --- torch.cmul multiplies. The first call with new types, numbers, or dimensions of size 1
   --- runs f on symbols in place of the tensors. So f must not depend on sizes, elements, random
   --- numbers or anything that changes later, and must not write into its arguments. autograd
   --- computes the gradient in one pass, too.
   -- @param f  a function of tensors
   -- f = torch.pointwise(function(x) return torch.exp(x) + 1 end); f(torch.zeros(2)) --> {2, 2}
   function torch.pointwise(f)
      if not arg.is_callable(f) then arg.refuse('torch.pointwise', 'f', 'a function', f) end
      return torch.Pointwise(f)
   end
end

return M
