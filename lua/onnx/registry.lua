-- lua/onnx/registry.lua - the ops that are here: domain -> name -> definition.
--
-- Each file of ops/ adds its family with registry.add when it is loaded. A definition is a table:
--    run(n, ...)      computes the outputs from the inputs, nil for absent ones; returns as many values as the node has outputs.
--                     It changes no input and returns no tensor that it keeps
--    types            the types of the outputs: a type for all of them, 'first' (default: that of input 1), 'second', ..., a list of
--                     those, or a function(n) that returns a list
--    pure             false: another run may give other results, so constants are not folded (default: true)
--    inplace          true: the result may have the memory of an input of the same size that no other node uses
--    graph_types      function(n, name): the types of the inputs of a subgraph, the attribute `name`, if it leaves them out
-- The node n has these fields; inputs and outputs count from 1:
--    n.op, n.name, n.domain, n.version          the op, and the version of its domain that the model imports
--    n.attr                                     attributes by name: numbers, strings, tensors, lists, types; graphs with
--                                               graph:run(list of inputs), which returns a list of outputs
--    n.attr_types                               types of tensor attributes
--    n.types, n.out_types                       types of the inputs (nil: absent) and outputs
--    n.count, n.outputs                         number of inputs and of outputs; n.wanted[i]: whether output i has a name
--    n.fixed[i]                                 whether input i is a constant of the model
--    n:out(i)                                   an empty tensor of the type of output i (default: 1) for ops that write to a result
local M = {}

local domains = {}

local function short(domain) return domain == 'ai.onnx' and '' or domain or '' end

--- Adds an op, or replaces it.
-- @param definition  a table as above, or the function run
-- @param domain      (default: '', the one of ONNX)
function M.add(name, definition, domain)
   if type(definition) == 'function' then definition = { run = definition } end
   domain = short(domain)
   domains[domain] = domains[domain] or {}
   domains[domain][name] = definition
end

--- Adds several ops of one form: M.each({ Exp = 'exp' }, function(name, value) return definition end).
function M.each(list, make, domain)
   for name, value in pairs(list) do M.add(name, make(name, value), domain) end
end

-- The most turns of a Loop.
M.most_turns = 2 ^ 31

--- The definition of an op, or nil.
function M.find(name, domain) return domains[short(domain)] and domains[short(domain)][name] end

--- The names of all ops, sorted; those outside of the domain '' begin with their domain and a dot.
function M.names()
   local list = {}
   for domain, ops in pairs(domains) do
      for name in pairs(ops) do list[#list + 1] = domain == '' and name or domain .. '.' .. name end
   end
   table.sort(list)
   return list
end

-- Files of ops/, one line each.
M.families = {
   'pointwise',
   'logic',
   'constant',
   'random',
   'reduce',
   'shape',
   'gather',
   'product',
   'convolution',
   'pooling',
   'resize',
   'sampling',
   'boxes',
   'picture',
   'text',
   'recurrent',
   'spectrum',
   'training',
   'features',
   'trees',
   'svm',
   'normalization',
   'softmax',
   'attention',
   'cast',
   'control',
   'sequence',
   'quantize',
}

local loaded = false

--- Loads the files of all families.
function M.load()
   if loaded then return end
   loaded = true
   for _, family in ipairs(M.families) do require('onnx.ops.' .. family) end
end

return M
