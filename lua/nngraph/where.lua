-- lua/nngraph/where.lua - the line of a user's program that made a node or an error; saved models do not contain it.
local torch = require 'torch'

local where = {debug = false}

-- The files that a user's call passes through.
local function ours(source)
   return source:find 'nngraph/[%w_]+%.lua$' or source:find 'torch/class%.lua$'
end

-- The level of the user's first function, seen from the function that calls this; and its debug information.
local function outside()
   local level = 2
   while true do
      local info = debug.getinfo(level + 1, 'Sln')
      if not info then return 2, nil end
      if info.what ~= 'C' and not ours(info.source) then return level, info end
      level = level + 1
   end
end

--- Raises an error at the user's line.
function where.refuse(text, ...)
   error(text:format(...), (outside()))
end

--- The user's line.
function where.caller() return (select(2, outside())) end

--- The length of a list, the type of anything else, for messages.
function where.describe(x)
   if type(x) == 'table' and not torch.typename(x) then return ('a table of %d'):format(#x) end
   return torch.type(x)
end

--- The error in x, which is element i of a list of nodes: in Torch7's words.
function where.not_a_node(list, i, x)
   if x == nil then return ('%s[%d] is nil (typo / bad index?)'):format(list, i) end
   if torch.isTypeOf(x, 'nn.Module') then
      return ('%s[%d] is an nn.Module, specifically a %s, but the only valid thing to pass is an instance of nngraph.Node. '
         .. 'Did you forget a second set of parens, which convert a nn.Module to a nngraph.Node?'):format(list, i, torch.type(x))
   end
   return ('%s[%d] should be an nngraph.Node but is of type %s'):format(list, i, where.describe(x))
end

--- The largest whole number among the keys of a list, which may have holes.
function where.count(list)
   local n = 0
   for k in pairs(list) do
      if type(k) == 'number' and k > n and k % 1 == 0 then n = k end
   end
   return n
end

-- annotations of a node -> "[net.lua]:12_". Stored outside the nodes, so that no file and no clone carries it.
local labels = setmetatable({}, {__mode = 'k'})

-- The metatable of annotations: programs read the label as annotations._debugLabel. It is this table, because a clone shares
-- tables of packages.
function where.__index(annotations, key)
   if key == '_debugLabel' then return labels[annotations] end
end

--- The label of a node's data; with `text`, sets it.
function where.label(data, text)
   local annotations = data.annotations
   if text then
      labels[annotations] = text
      if not getmetatable(annotations) then setmetatable(annotations, where) end
   end
   return annotations._debugLabel
end

return where
