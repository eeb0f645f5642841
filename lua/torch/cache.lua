-- torch.cache - the folder for what later processes read again: times of convolutions, and compiled
-- kernels.
local environment = require 'torch.environment'

local M = {}

--- The folder; nil where the environment names none.
function M.folder()
   local given = environment.get 'TH_CACHE_DIR'
   local cache, home = os.getenv 'XDG_CACHE_HOME', os.getenv 'HOME'
   if given then return given ~= '' and given or nil end
   if cache and cache:sub(1, 1) == '/' then return cache .. '/cresset' end
   return home and home ~= '' and home .. '/.cache/cresset' or nil
end

return M
