---@meta cunn
-- types/cunn.lua - written by ./dev docs from the sources; do not edit.

---@class cunn
local cunn = {}

--- Tests nn on the device of this thread: runs the examples of the help texts of nn with torch.Tensor making CudaDoubleTensors.
---@param tests? string a name such as 'nn.Linear', or a Lua pattern in it; a table of them (default: all)
---@return any # 0; raises an error when an example does not have the result in its text
---@return any ...
function cunn.test(tests) end

return cunn
