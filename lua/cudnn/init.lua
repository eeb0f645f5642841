-- cudnn - names of cudnn.torch for layers of nn: scripts that use them run, and models in files that hold them load, with or
-- without a GPU. The engine of each layer is chosen as for nn's; no cuDNN is needed.
local torch = require 'torch'
require 'nn'

local cudnn = rawget(_G, 'cudnn') or {}
_G.cudnn = cudnn                       -- torch.class finds the package among the globals, as scripts of Torch7 do
package.loaded.cudnn = cudnn

--- cudnn.version: The version of cuDNN whose names these are, 5110, for scripts that ask for one.
cudnn.version = 5110
--- cudnn.fastest: Accepted for old scripts, as true or false, and changes nothing: the fastest engine is always taken.
cudnn.fastest = false
--- cudnn.verbose: Accepted for old scripts, and changes nothing; torch.conv.explain tells which engine is taken and why.
cudnn.verbose = false
--- cudnn.useFindEx: Accepted for old scripts, and changes nothing.
cudnn.useFindEx = false

--- cudnn.benchmark: torch.conv.benchmark under cudnn's name: true measures the engines of a convolution of each new shape.
-- cudnn.benchmark --> false
setmetatable(cudnn, {
   __index = function(_, key) if key == 'benchmark' then return torch.conv.benchmark end end,
   __newindex = function(self, key, value)
      if key ~= 'benchmark' then return rawset(self, key, value) end
      if type(value) ~= 'boolean' then
         error('cudnn.benchmark must be true or false, got ' .. require 'torch.arg'.describe(value), 2)
      end
      torch.conv.benchmark = value
   end,
})

require 'cudnn.convolution'
require 'cudnn.pooling'
require 'cudnn.pointwise'
require 'cudnn.normalisation'
require 'cudnn.recurrent'
cudnn.convert = require 'cudnn.convert'

return cudnn
