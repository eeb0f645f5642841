---@meta totem
-- types/totem.lua - written by ./dev docs from the sources; do not edit.

---@class totem
totem = {}

--- A table of tests, as torch.TestSuite.
---@return table
function totem.TestSuite() end

do
--- A torch.Tester that reads the command line of the script.
---@class totem.Tester: torch.Tester
local Tester = {}

--- Two storages must be equal.
---@param a any
---@param b any
---@param tolerance? any
---@param message? any
---@return any
---@return any ...
function Tester:assertStorageEq(a, b, tolerance, message) end

--- Two storages must differ.
---@param a any
---@param b any
---@param tolerance? any
---@param message? any
---@return any
---@return any ...
function Tester:assertStorageNe(a, b, tolerance, message) end

--- Runs the tests as torch.Tester:run does, with the options of the command line.
---@param patterns? any
---@return any
---@return any ...
function Tester:run(patterns) end

end

--- A torch.Tester that reads the command line of the script.
---@class totem.Tester.class: totem.Tester
---@overload fun(): totem.Tester
totem.Tester = {}

--- Whether two values of any kind are equal.
---@param a any
---@param b any
---@param tolerance any
---@param negate? boolean true: whether they differ
---@return boolean # whether it holds, else the reason
---@return any ...
function totem.areEq(a, b, tolerance, negate) end

--- Whether two values of any kind differ.
---@param a any
---@param b any
---@param tolerance any
---@return boolean # whether it holds, else the reason
---@return any ...
function totem.areNe(a, b, tolerance) end

--- The same for storages.
---@param a any
---@param b any
---@param tolerance? any
---@return any
---@return any ...
function totem.areStoragesEq(a, b, tolerance) end

--- The same for storages.
---@param a any
---@param b any
---@param tolerance? any
---@return any
---@return any ...
function totem.areStoragesNe(a, b, tolerance) end

--- The same for the contents of tables, at all levels.
---@param a any
---@param b any
---@param tolerance? any
---@return any
---@return any ...
function totem.areTablesEq(a, b, tolerance) end

--- The same for the contents of tables, at all levels.
---@param a any
---@param b any
---@param tolerance? any
---@return any
---@return any ...
function totem.areTablesNe(a, b, tolerance) end

--- Whether two tensors agree (differ) in type, size and elements.
---@param a any
---@param b any
---@param tolerance? any
---@return boolean # whether it holds, else the reason
---@return any ...
function totem.areTensorsEq(a, b, tolerance) end

--- Whether two tensors agree (differ) in type, size and elements.
---@param a any
---@param b any
---@param tolerance? any
---@return boolean # whether it holds, else the reason
---@return any ...
function totem.areTensorsNe(a, b, tolerance) end

--- The same for storages.
---@param a any
---@param b any
---@param tolerance? any
---@return any
function totem.assertStorageEq(a, b, tolerance) end

--- The same for storages.
---@param a any
---@param b any
---@param tolerance? any
---@return any
function totem.assertStorageNe(a, b, tolerance) end

--- The same for tables.
---@param a any
---@param b any
---@param tolerance? any
---@return any
function totem.assertTableEq(a, b, tolerance) end

--- The same for tables.
---@param a any
---@param b any
---@param tolerance? any
---@return any
function totem.assertTableNe(a, b, tolerance) end

--- Raise an error if the check does not hold.
---@param a any
---@param b any
---@param tolerance? any
---@return any
function totem.assertTensorEq(a, b, tolerance) end

--- Raise an error if the check does not hold.
---@param a any
---@param b any
---@param tolerance? any
---@return any
function totem.assertTensorNe(a, b, tolerance) end

return totem
