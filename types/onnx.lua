---@meta onnx
-- types/onnx.lua - written by ./dev docs from the sources; do not edit.

---@class onnx
onnx = {}

--- Registers how onnx.save writes a class. rule(c, module, x, y) adds nodes and returns the name of the result. c:op(operator, inputs, attributes, outputs) ...
---
---     my = {}; torch.class('my.Twice', 'nn.Module', my); onnx.exporter('my.Twice', function(c, m, x) return c:op('Add', {x, x}) end); onnx.exporter('my.Twice') == nil   --> true
---@param class any name of a class of nn, for example 'my.Scale'
---@param rule? function a function, or nil
---@return any
function onnx.exporter(class, rule) end

--- A model from a file.
---@param path any
---@return any # an object with the lists inputs and outputs ({ name, type, shape }) and the methods forward, explain and net
---@return any ...
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

--- Writes a net as a file of ONNX, which onnx.load and other runtimes read.
---
---     name = os.tmpname(); info = onnx.save(name, nn.Linear(3, 2), torch.ones(4, 3)); os.remove(name); info.nodes, info.batch   --> 1, true
---@param path string of the file, for example 'net.onnx'
---@param net nn.Module an nn.Module, among them graphs of nngraph, or a function of the example that autograd can trace
---@param exampleInput table|torch.Tensor a tensor, or a table of tensors as the net takes it; the numbers do not matter
---@param options? table a table, all of it optional. opset: version of the operators, 13..20 (default 17). type: of the weights and inputs: 'float' (default), 'double' or 'half'. batch: the dimension of the samples (...
---@return any
function onnx.save(path, net, exampleInput, options) end

return onnx
