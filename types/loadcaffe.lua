---@meta loadcaffe
-- types/loadcaffe.lua - written by ./dev docs from the sources; do not edit.

---@class loadcaffe
loadcaffe = {}

--- Loads a net of Caffe: a chain of layers, as in AlexNet, CaffeNet, VGG and Network in Network.
---@param prototxt? any the file that describes the layers
---@param caffemodel? any the file of the weights
---@param backend? string 'nn' (default) gives modules of nn and floats; 'cudnn' modules of cudnn, on the current device where there is one
---@return nn.Sequential # an nn.Sequential
function loadcaffe.load(prototxt, caffemodel, backend) end

return loadcaffe
