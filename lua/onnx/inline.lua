-- lua/onnx/inline.lua - replaces calls of a model's functions by the nodes of their bodies.
local M = {}

local MOST_DEPTH = 64
local MOST_NODES = 2 ^ 20

local function domain_of(name) return name == 'ai.onnx' and '' or name or '' end

--- The key of a function, or of a node that calls it.
local function key(domain, name, overload) return domain_of(domain) .. '\0' .. name .. '\0' .. (overload or '') end

--- Versions by domain of a list of OperatorSetIdProto.
function M.versions(list)
   local versions = {}
   for _, entry in ipairs(list or {}) do versions[domain_of(entry.domain)] = entry.version or 1 end
   return versions
end

--- Functions of a model by key.
function M.functions(list)
   local functions = {}
   for _, f in ipairs(list or {}) do
      if f.name then functions[key(f.domain, f.name, f.overload)] = f end
   end
   return functions
end

local copy_node

-- A subgraph in which free names are replaced.
local function copy_graph(graph, env)
   local own = {}
   for _, list in ipairs { graph.input or {}, graph.initializer or {} } do
      for _, v in ipairs(list) do own[v.name or ''] = true end
   end
   for _, node in ipairs(graph.node or {}) do
      for _, name in ipairs(node.output or {}) do own[name] = true end
   end
   local function rename(name) return own[name] and name or env.rename(name) end
   local inner = { rename = rename, attributes = env.attributes, depth = env.depth, versions = env.versions }
   local r = setmetatable({ node = {}, output = {} }, { __index = graph })
   for i, node in ipairs(graph.node or {}) do r.node[i] = copy_node(node, inner) end
   for i, v in ipairs(graph.output or {}) do r.output[i] = setmetatable({ name = rename(v.name or '') }, { __index = v }) end
   return r
end

local function copy_attributes(node, env)
   local list = {}
   for _, a in ipairs(node.attribute or {}) do
      if a.ref_attr_name and a.ref_attr_name ~= '' then
         local given = env.attributes[a.ref_attr_name]
         if given then list[#list + 1] = setmetatable({ name = a.name }, { __index = given }) end
      elseif a.g then
         list[#list + 1] = setmetatable({ g = copy_graph(a.g, env) }, { __index = a })
      else
         list[#list + 1] = a
      end
   end
   return list
end

local function renamed(list, rename)
   local r = {}
   for i, name in ipairs(list or {}) do r[i] = name == '' and '' or rename(name) end
   return r
end

function copy_node(node, env)
   return setmetatable({ input = renamed(node.input, env.rename), output = renamed(node.output, env.rename),
      attribute = copy_attributes(node, env), versions = env.versions }, { __index = node })
end

local expand

-- The nodes of a call, with names that no other call has.
local function body(state, f, call, depth, to)
   if depth > MOST_DEPTH then
      error(("function '%s' calls functions more than %d deep"):format(f.name, MOST_DEPTH), 0)
   end
   state.calls = state.calls + 1
   local map, prefix = {}, ('%s#%d/'):format(f.name, state.calls)
   for i, name in ipairs(f.input or {}) do map[name] = call.input and call.input[i] or '' end
   for i, name in ipairs(f.output or {}) do
      local given = call.output and call.output[i]
      if given and given ~= '' then
         if map[name] then                                  -- an output that is an input
            to[#to + 1] = { op_type = 'Identity', input = { map[name] }, output = { given }, versions = { [''] = 16 } }
         else
            map[name] = given
         end
      end
   end
   local attributes = {}
   for _, a in ipairs(f.attribute_proto or {}) do attributes[a.name or ''] = a end
   for _, a in ipairs(call.attribute or {}) do attributes[a.name or ''] = a end
   local function rename(name) return map[name] or prefix .. name end
   local env = { rename = rename, attributes = attributes, versions = M.versions(f.opset_import) }
   local nodes = {}
   for i, node in ipairs(f.node or {}) do nodes[i] = copy_node(node, env) end
   expand(state, nodes, depth + 1, to)
end

function expand(state, nodes, depth, to)
   for _, node in ipairs(nodes) do
      local f = state.functions[key(node.domain, node.op_type or '', node.overload)]
      if f then
         body(state, f, node, depth, to)
      else
         state.nodes = state.nodes + 1
         if state.nodes > MOST_NODES then error(('its functions give more than %d nodes'):format(MOST_NODES), 0) end
         to[#to + 1] = node
      end
   end
   return to
end

--- A list of NodeProto in which calls are replaced. New nodes have a field `versions`.
-- @param state  { functions = functions(...), calls = 0, nodes = 0 }, the same for the whole model
function M.nodes(state, nodes)
   if next(state.functions) == nil then return nodes end
   return expand(state, nodes, 1, {})
end

return M
