-- torch.packages - the names of our packages, and which files belong to them.
local ffi = require 'ffi'

ffi.cdef 'char *getcwd(char *to, size_t room);'

local M = {}

--- The packages of this tree. Each folder of lua/, and nn, must be here: test/torch/launch_spec.lua compares.
M.names = { 'torch', 'nn', 'optim', 'paths', 'sys', 'xlua', 'graph', 'nngraph', 'autograd', 'fbnn', 'cudnn', 'dist', 'feed',
   'distributed', 'cutorch', 'cunn', 'fbcunn', 'torchmpi', 'distlearn', 'trepl', 'env', 'dok', 'cwrap', 'totem', 'tds', 'image',
   'hdf5', 'threads', 'gnuplot', 'loadcaffe', 'text', 'onnx', 'jupyter' }

local ours = {}
for _, name in ipairs(M.names) do ours[name] = true end

-- A path on package.path may be relative: that of a checkout, for one, when th runs there.
local function absolute(path)
   if path:sub(1, 1) == '/' then return path end
   local room = ffi.new 'char[4096]'
   return ffi.C.getcwd(room, 4096) ~= nil and ffi.string(room) .. '/' .. path:gsub('^%./', '') or path
end

local tree = absolute(debug.getinfo(1, 'S').source:match '^@(.*)/torch/packages%.lua$' or '.')
local checkout = tree:match '^(.*)/lua$'    -- nn is beside lua/ there

-- The first folder or file behind `folder` in a path that begins with it.
local function below(folder, path)
   return folder and path:sub(1, #folder + 1) == folder .. '/' and path:match('^[^/.]+', #folder + 2) or ''
end

--- Whether a file belongs to one of our packages. Others may lie in the same tree.
function M.holds(path)
   if not path then return false end
   path = absolute(path)
   return ours[below(tree, path)] == true or below(checkout, path) == 'nn'
end

return M
