-- lua/autograd/debugger.lua - data for debugHook and showCode: the operations of one call as text and as a graph.
local arg = require 'torch.arg'
local tape = require 'autograd.tape'

local debugger = {}

local function is_bad(x)
   if type(x) == 'number' then return x ~= x or math.abs(x) == math.huge end
   if not tape.is_float(x) or x:nElement() == 0 then return false end
   local sum = x:sum()
   if sum == sum and math.abs(sum) ~= math.huge then return false end
   return not x:isfinite():all()                               -- a sum of finite numbers may overflow
end

local function describe(x)
   if arg.is_tensor(x) then return ('%s %s'):format(x:type(), arg.size_text(x)) end
   return tostring(x)
end

-- The operations as a program: a line for each value and each gradient.
local function new_program()
   local program = { lines = {}, names = {}, nodes = {} }

   function program.name(node)
      if not program.names[node] then
         program.nodes[#program.nodes + 1] = node
         program.names[node] = 'v' .. #program.nodes
      end
      return program.names[node]
   end

   function program.value(node)
      local inputs = {}
      for i, input in ipairs(node._inputs) do inputs[i] = program.name(input) end
      table.insert(program.lines, ('local %s = %s(%s)   -- %s'):format(program.name(node), node._name or 'parameter',
         table.concat(inputs, ', '), describe(node._value)))
   end

   function program.gradient(node, input, part)
      local plain = tape.plain(part)
      table.insert(program.lines, ('add gradient of %s by %s = %s   -- %s'):format(program.name(node), program.name(input),
         node._name or 'parameter', describe(plain)))
   end

   function program.source() return table.concat(program.lines, '\n') .. '\n' end

   function program.dot()
      local text = { 'digraph autograd {' }
      for _, node in ipairs(program.nodes) do
         text[#text + 1] = ('  %s [label="%s\\n%s"];'):format(program.names[node], node._name or 'parameter', describe(node._value))
         for _, input in ipairs(node._inputs) do
            text[#text + 1] = ('  %s -> %s;'):format(program.names[input] or program.name(input), program.names[node])
         end
      end
      text[#text + 1] = '}'
      return table.concat(text, '\n') .. '\n'
   end
   return program
end

-- The first argument of a hook: the graph as a string or a file, and the source.
local function new_debugger(program)
   local self = {}
   function self.generateDot(name)
      local text = program.dot()
      if name then
         local file = assert(io.open(arg.path('generateDot', 'name', name), 'w'))
         file:write(text)
         file:close()
      end
      return text
   end
   function self.showDot() io.write(program.dot()) end
   function self.showCode() io.write(program.source()) end
   function self.source() return program.source() end
   return self
end

--- An observer of the values of one call, for these options of autograd.grad; nil if no option needs one.
function debugger.watch(opts)
   local hook = opts.debugHook
   if not hook and not opts.showCode then return nil end
   local program, busy = new_program(), false
   local function check(x, text)
      if not hook or busy or not is_bad(tape.plain(x)) then return end
      busy = true                                              -- values that the hook itself computes are not watched
      hook(new_debugger(program), text, { source = program.source(), line = #program.lines })
      busy = false
   end
   return {
      value = function(node)
         if busy then return end
         program.value(node)
         check(node, ('autograd: %s gives a nan or an infinity'):format(node._name or 'a parameter'))
      end,
      gradient = function(node, input, part)
         if busy then return end
         program.gradient(node, input, part)
         check(part, ('autograd: the gradient of %s gives a nan or an infinity'):format(node._name or 'a parameter'))
      end,
      finish = function() if opts.showCode then io.write(program.source()) end end,
   }
end

return debugger
