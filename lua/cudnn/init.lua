-- cudnn - names of cudnn.torch for layers of nn: scripts that use them run, and models in files that hold them load, with or
-- without a GPU. The engine of each layer is chosen as for nn's; cuDNN is not needed. Settings control whether cuDNN computes.
local torch = require 'torch'
local C = require 'torch.lib'.C
require 'nn'

local NEVER, WHERE_FASTER, WHEREVER = C.TH_DNN_NEVER, C.TH_DNN_WHERE_FASTER, C.TH_DNN_WHEREVER

local cudnn = rawget(_G, 'cudnn') or {}
_G.cudnn = cudnn                       -- torch.class finds the package among the globals, as scripts of Torch7 do
package.loaded.cudnn = cudnn

--- cudnn.version: The version of cuDNN with these names, 5110, for scripts that require one.
cudnn.version = 5110
--- cudnn.fastest: Accepted for old scripts, as true or false, without effect: the fastest engine is always used.
cudnn.fastest = false
--- cudnn.verbose: Accepted for old scripts, without effect; torch.conv.explain shows the engine and the reason.
cudnn.verbose = false
--- cudnn.useFindEx: Accepted for old scripts, without effect.
cudnn.useFindEx = false

-- The settings that are not fields: functions that read and set each.
local settings = {
   benchmark = {
      get = function() return torch.conv.benchmark end,
      set = function(on) torch.conv.benchmark = on end,
   },
   enabled = {
      get = function() return C.th_dnn_when() ~= NEVER end,
      set = function(on) C.th_dnn_set(on and WHERE_FASTER or NEVER) end,
   },
   prefer = {
      get = function() return C.th_dnn_when() == WHEREVER end,
      set = function(on) C.th_dnn_set(on and WHEREVER or WHERE_FASTER) end,
   },
}

--- cudnn.benchmark: torch.conv.benchmark under cudnn's name: true measures the engines of a convolution of each new shape. On
-- CUDA devices it also measures cuDNN and our kernels where both can average windows or normalise batches. The fastest
-- computes.
-- cudnn.benchmark --> false

--- cudnn.enabled: Whether CUDA devices may compute by cuDNN at all, for all threads. false: convolutions, means of windows,
-- batch normalisation and recurrent layers are computed as without cuDNN. Setting it resets cudnn.prefer.
-- cudnn.enabled --> true

--- cudnn.prefer: true: cuDNN computes means of windows, batch normalisation and recurrent layers on CUDA devices where
-- it can, whatever their size and what was measured; also on the emulated device, which has an emulated cuDNN. For
-- convolutions set torch.conv.prefer = 'cudnn'. Setting it resets cudnn.enabled = false.
-- cudnn.prefer --> false
setmetatable(cudnn, {
   __index = function(_, key) return settings[key] and settings[key].get() end,
   __newindex = function(self, key, value)
      if not settings[key] then return rawset(self, key, value) end
      if type(value) ~= 'boolean' then
         error(('cudnn.%s must be true or false, got %s'):format(key, require 'torch.arg'.describe(value)), 2)
      end
      settings[key].set(value)
   end,
})

require 'cudnn.convolution'
require 'cudnn.pooling'
require 'cudnn.pointwise'
require 'cudnn.normalisation'
require 'cudnn.recurrent'
cudnn.convert = require 'cudnn.convert'

return cudnn
