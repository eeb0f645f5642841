-- cudnn.accepted - methods of cudnn.torch that old scripts call, and that have no effect here.

local M, modes = {}, {}

--- Accepted for old scripts, without effect: there are no descriptors to drop.
function M:clearDesc() end

--- Accepted for old scripts: the fastest engine is always used. Returns self.
function modes:fastest(mode)
   self.fastest_mode = mode == nil or mode
   return self
end

--- Accepted for old scripts: stores the numbers of cuDNN's algorithms, which have no effect here; torch.conv.engine chooses an
-- engine. Returns self.
function modes:setMode(fmode, bdmode, bwmode)
   self.fmode, self.bdmode, self.bwmode = fmode, bdmode, bwmode
   return self
end

--- Drops the numbers of setMode. Returns self.
function modes:resetMode()
   self.fmode, self.bdmode, self.bwmode = nil, nil, nil
   return self
end

--- Gives a class of convolutions these methods.
function M.modes(Class)
   for name, method in pairs(modes) do Class[name] = method end
   Class.clearDesc = M.clearDesc
end

return M
