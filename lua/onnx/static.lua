-- lua/onnx/static.lua - values that depend on the sizes of the inputs alone: computed once for a
-- plan, not in each run.
--
-- PyTorch writes the arithmetic of sizes as nodes: Shape, Gather, Concat and then Reshape. Their
-- values are the same in each run
-- with the same input sizes.
local M = {}

-- Ops whose results have a shape that follows from the shapes of their inputs, and from the values
-- of the inputs that the table
-- names from a position on.
local FIRST, SECOND, NONE = 1, 2, 1000
local values_from = {}
for op in ([[Add Sub Mul Div Pow Sqrt Erf Exp Log Neg Abs Relu Gelu Tanh Sigmoid Clip Softmax
   LogSoftmax LayerNormalization MatMul Gemm Conv BatchNormalization MaxPool AveragePool
   GlobalAveragePool GlobalMaxPool Transpose Concat Cast Where Equal Less Greater LessOrEqual
   GreaterOrEqual Not And Or Gather Flatten Identity Shape Size Attention Max Min Sum Mean LeakyRelu
   Elu PRelu HardSigmoid HardSwish Swish Mish Softplus Reciprocal Floor Ceil Sin
   Cos]]):gmatch '%S+' do
   values_from[op] = NONE
end
for op in ([[Reshape Expand Slice Unsqueeze Squeeze Tile Pad Split ReduceMean ReduceSum ReduceMax
   ReduceMin ReduceL2]]):gmatch '%S+' do values_from[op] = SECOND end
for op in ('Range ConstantOfShape'):gmatch '%S+' do values_from[op] = FIRST end

-- Ops that compute all values of inputs in the same way. Others have a quick way for some values,
-- with other buffers.
local one_way = {}
for op in ([[Conv MatMul Gemm MaxPool AveragePool GlobalAveragePool GlobalMaxPool Concat Relu
   LeakyRelu BatchNormalization Add Sub Mul Div Sigmoid Tanh Clip Softmax]]):gmatch '%S+' do
   one_way[op] = true
end

-- Which slots have a known value, and which a known shape.
local function facts_of(graph)
   local value, shape = {}, {}
   for slot in pairs(graph.constants) do
      if not graph.changeable[slot] then value[slot], shape[slot] = true, true end
   end
   for _, input in ipairs(graph.inputs) do
      if not input.type:find('(', 1, true) and input.type ~= 'string' then shape[input.slot] =
         true end
   end
   return value, shape
end

--- Marks the nodes of a graph whose results depend on the sizes of its inputs alone: n.static. And
-- n.steady[k] says whether input k is such a value, or a constant; n.settled, whether the size of
-- its first buffer follows from the sizes of the inputs.
function M.mark(graph)
   local value, shape = facts_of(graph)
   for _, n in ipairs(graph.nodes) do
      local from = n.domain == '' and not n.graphs and values_from[n.op]
      n.steady = {}
      local all, known = n.definition.pure ~= false and not n.graphs and n.domain == '',
         from ~= false and from ~= nil
      for k = 1, n.count do
         local slot = n.inputs[k]
         n.steady[k] = not slot or value[slot] or false
         if slot and not value[slot] then
            all = false
            if not shape[slot] or known and k >= from then known = false end
         end
      end
      local sizes = (n.op == 'Shape' or n.op == 'Size') and n.domain == '' and shape[n.inputs[1]]
      n.static = (all or sizes) and true or false
      n.settled = known and one_way[n.op] or false
      for _, slot in ipairs(n.results) do
         if slot then value[slot], shape[slot] = n.static or nil, (n.static or known) or nil end
      end
   end
end

--- A function that is called behind each node of a run and collects the values of marked nodes,
-- and the collection.
function M.collector()
   local values = {}
   return function(n, v)
      if not n.static then return end
      for _, slot in ipairs(n.results) do if slot then values[slot] = v[slot] end end
   end, values
end

--- The nodes that are not marked; nil if all of them are not.
function M.rest(graph)
   local list = {}
   for _, n in ipairs(graph.nodes) do if not n.static then list[#list + 1] = n end end
   return #list < #graph.nodes and list or nil
end

return M
