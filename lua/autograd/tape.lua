-- lua/autograd/tape.lua - values that know how they were computed, and the walk back along them.
--
-- A value holds a tensor or a number, the values it was computed from, and `pull`: a function from the gradient of the
-- value to those of its inputs. Nothing changes a value, so what a gradient needs is there when it is computed.
local torch = require 'torch'
local arg = require 'torch.arg'
local is_tensor = arg.is_tensor

-- depth: functions now being taped; keep: whether gradients are taped in turn; watch: what looks at new values (debugger.lua);
-- optimize: the option of that name, which decides what autograd.util.lt and its like return.
local tape = { depth = 0, keep = false, watch = nil, optimize = false }

local Value = {}
tape.Value = Value

function tape.is_value(x) return type(x) == 'table' and getmetatable(x) == Value end
local is_value = tape.is_value

local order = 0

--- @param value   a tensor or a number
-- @param inputs  the values it was computed from
-- @param pull    pull(g, wanted, self): the gradients of the inputs, of those i at least for which wanted[i] is true
-- @param name    the function that computed it, for the debugger
function tape.new(value, inputs, pull, name)
   order = order + 1
   local node = setmetatable({ _value = value, _inputs = inputs, _pull = pull, _order = order, _name = name }, Value)
   if tape.watch then tape.watch.value(node) end
   return node
end

--- A value to take the gradient by. Made from another value, it is that value one function further in.
function tape.leaf(x)
   if is_value(x) then return tape.new(x._value, { x }, function(g) return { g } end) end
   return tape.new(x, {}, function() return {} end)
end

--- What is behind a value; anything else as it is.
function tape.plain(x)
   if is_value(x) then return x._value end
   return x
end

--- An input as a gradient needs it: the value where gradients are taped, else what is behind it.
function tape.input(x)
   if tape.keep then return x end
   return tape.plain(x)
end

--- The same for tables: every value in them becomes what is behind it.
function tape.plain_all(x)
   if is_value(x) then return x._value end
   if type(x) ~= 'table' or torch.typename(x) then return x end
   local y = {}
   for k, v in pairs(x) do y[k] = tape.plain_all(v) end
   return y
end

--- The values in nested tables, and for each a function that finds what lies at its place in another table of that form.
function tape.values_in(x, inputs, finders, path)
   if is_value(x) then
      inputs[#inputs + 1] = x
      finders[#inputs] = function(y)
         for _, k in ipairs(path) do y = y[k] end
         return y
      end
   elseif type(x) == 'table' and not torch.typename(x) then
      for k, v in pairs(x) do
         local further = { unpack(path) }
         further[#further + 1] = k
         tape.values_in(v, inputs, finders, further)
      end
   end
end

local own_folder = debug.getinfo(1, 'S').source:match '^(.*/)' or '@'

-- Whether code stands in this package, in torch, or in what torch generates.
local function is_inner(source)
   return source:sub(1, #own_folder) == own_folder or source:find 'torch/[%w_]+%.lua$' ~= nil or not source:find '^@'
end

--- An error of the caller's: blamed on the first line that is neither of this package nor of torch.
function tape.refuse(text, ...)
   local level = 2
   local info = debug.getinfo(level, 'S')
   while info and is_inner(info.source) do
      level = level + 1
      info = debug.getinfo(level, 'S')
   end
   error(text:format(...), info and level or 2)               -- no tail call, which would take this function off the stack
end

-- The values from which `root` was computed, root included, oldest first. Inputs of leaves are not looked at.
local function history(root, is_leaf)
   local seen, list, stack = { [root] = true }, { root }, { root }
   while #stack > 0 do
      local node = table.remove(stack)
      for _, input in ipairs(is_leaf[node] and {} or node._inputs) do
         if not seen[input] then
            seen[input] = true
            list[#list + 1], stack[#stack + 1] = input, input
         end
      end
   end
   table.sort(list, function(a, b) return a._order < b._order end)
   return list
end

--- The gradients of root by the leaves, g being that of root itself: a table from leaf to gradient; nil where root does
--- not depend on the leaf.
function tape.backward(root, g, leaves)
   local is_leaf, needed, gradient = {}, {}, { [root] = g }
   for _, leaf in ipairs(leaves) do is_leaf[leaf] = true end
   local list = history(root, is_leaf)
   for _, node in ipairs(list) do
      needed[node] = is_leaf[node] or false
      for _, input in ipairs(is_leaf[node] and {} or node._inputs) do needed[node] = needed[node] or needed[input] end
   end
   for i = #list, 1, -1 do
      local node = list[i]
      local own = gradient[node]
      if own ~= nil and needed[node] and not is_leaf[node] then
         local wanted = {}
         for k, input in ipairs(node._inputs) do wanted[k] = needed[input] end
         local parts = node._pull(own, wanted, node)
         for k, input in ipairs(node._inputs) do
            local part = parts[k]
            if wanted[k] and part ~= nil then
               if tape.watch then tape.watch.gradient(node, input, part) end
               local sum = gradient[input]
               gradient[input] = sum == nil and part or sum + part
            end
         end
         gradient[node] = nil                                 -- memory goes as soon as it can
      end
   end
   return gradient
end

--- Whether x is a tensor that has derivatives.
function tape.is_float(x)
   return is_tensor(x) and require 'torch.dtype'.is_float(x._dtype)
end

--- A copy of a nested table in which every tensor of floats and every number is a leaf; and the list of leaves.
function tape.leaves(x, list)
   list = list or {}
   if is_value(x) or type(x) == 'number' or tape.is_float(x) then
      list[#list + 1] = tape.leaf(x)
      return list[#list], list
   end
   if type(x) ~= 'table' or torch.typename(x) then return x, list end
   local y = {}
   for k, v in pairs(x) do y[k] = tape.leaves(v, list) end
   return y, list
end

--- f(...) with tape.depth one deeper and tape.keep as given. Restores the whole state, after an error too.
function tape.run(f, keep, ...)
   local depth, kept, watch, optimize = tape.depth, tape.keep, tape.watch, tape.optimize
   tape.depth, tape.keep = depth + 1, keep
   local function back(ok, ...)
      tape.depth, tape.keep, tape.watch, tape.optimize = depth, kept, watch, optimize
      if not ok then error((...), 0) end
      return ...
   end
   return back(pcall(f, ...))
end

function Value:__tostring()
   return ('taped %s\n%s'):format(is_tensor(self._value) and 'tensor' or 'number', tostring(self._value))
end

-- Two values compare as the numbers behind them. LuaJIT compares a value with a plain number only through util.lt and its like.
local function compared(a, b)
   a, b = a._value, b._value
   if type(a) == 'number' and type(b) == 'number' then return a, b end
   return tape.refuse 'autograd: only taped numbers have an order; torch.lt and its like compare the elements of tensors'
end
function Value.__lt(x, y)
   local a, b = compared(x, y)
   return a < b
end
function Value.__le(x, y)
   local a, b = compared(x, y)
   return a <= b
end

function Value:__newindex(k)
   tape.refuse('autograd: [%s] = ... would change a taped tensor in place; compute a new one (torch.cat, torch.cmul with a mask)',
      tostring(k))
end

return tape
