-- torch.recording - is a function being recorded, to be replayed later without Lua? Those who must do otherwise then ask here:
-- cutorch.graph sets `recorder` while it records.
local M = {}

--- While a function is recorded: a vector of n doubles on the device that holds what f() returns at each replay. nil when
-- nothing is recorded. f may count in owner[name], which stands as before where a replay fails.
function M.numbers(n, f, owner, name) return M.recorder and M.recorder:numbers(n, f, owner, name) end

--- Raises an error when a function is recorded: `what` says why that cannot be.
function M.refuse(what, level)
   if not M.recorder then return end
   M.recorder.refused = what .. ' cannot be recorded in a CUDA graph'
   error(M.recorder.refused, (level or 1) + 1)
end

return M
