---@meta onnx
-- types/onnx.lua - written by ./dev docs from the sources; do not edit.

---@class onnx
onnx = {}

--- A model from a file.
---@param path any
---@return any # an object with the lists inputs and outputs ({ name, type, shape }) and the methods
function onnx.load(path) end

--- Sets how many turns a Loop of a model may take, so that any model ends.
---@param n? any (default: leaves it as it is) a whole number of at least 1
---@return any # the number in force before (at first 2^31)
function onnx.maxTurns(n) end

--- Adds an op, or replaces it. f(node, ...) gets the inputs and returns the outputs.
---@overload fun(name: any, domain: any, f: any): any
---@param name any
---@param f any
---@return any
function onnx.op(name, f) end

--- The names of the ops that are here, sorted.
---@return any
---@return any ...
function onnx.ops() end

return onnx
