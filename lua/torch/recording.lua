-- torch.recording - whether a function is being recorded for a later replay without Lua. Code that must behave differently
-- then calls these functions. cutorch.graph sets `recorder` while it records.
local M = {}

--- While a function is recorded: a vector of n doubles on the device, which holds the results of f() at each replay. nil when
-- nothing is recorded. f may count in owner[name], which is restored where a replay fails.
function M.numbers(n, f, owner, name) return M.recorder and M.recorder:numbers(n, f, owner, name) end

--- Raises an error while a function is recorded: `what` names the operation that cannot be recorded.
function M.refuse(what, level)
   if not M.recorder then return end
   M.recorder.refused = what .. ' cannot be recorded in a CUDA graph'
   error(M.recorder.refused, (level or 1) + 1)
end

return M
