-- lua/optim/init.lua - the package optim: optimizers, and tools for training scripts.
--
-- An optimizer is a function (opfunc, x, config, state): opfunc(x) returns the value and the gradient at x; one step
-- changes the vector x in place. It returns x and the list of function values. It keeps its memory
-- between steps in `state`, or in `config` when there is no state.
require 'torch'

local optim = rawget(_G, 'optim') or {}
_G.optim = optim                       -- scripts of Torch7 use the global
package.loaded.optim = optim

-- Each file of this folder is a part; none is listed here.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/init%.lua$'
for _, file in ipairs(require 'torch.paths'.dir(here)) do
   local name = file:match '^(%w+)%.lua$'
   if name and name ~= 'init' then require('optim.' .. name) end
end

return optim
