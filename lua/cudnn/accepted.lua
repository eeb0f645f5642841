-- cudnn.accepted - methods of cudnn.torch that old scripts call, and that have nothing to do here.

local M, modes = {}, {}

--- Accepted for old scripts, and changes nothing: there are no descriptors to forget.
function M:clearDesc() end

--- Accepted for old scripts: the fastest engine is always taken. Returns self.
function modes:fastest(mode)
   self.fastest_mode = mode == nil or mode
   return self
end

--- Accepted for old scripts: keeps the numbers of cuDNN's algorithms, which choose nothing here; torch.conv.engine chooses an
-- engine. Returns self.
function modes:setMode(fmode, bdmode, bwmode)
   self.fmode, self.bdmode, self.bwmode = fmode, bdmode, bwmode
   return self
end

--- Forgets what setMode has kept. Returns self.
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
