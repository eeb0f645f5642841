-- lua/autograd/pointwise.lua - derivatives of functions that torch.pointwise has made: the
-- gradient by their arguments is such a function, too, traced from the rules that the ops
-- declare. Second derivatives tape the ops one by one.
local ffi = require 'ffi'
local torch = require 'torch'
local derivative = require 'torch.derivative'
local program = require 'torch.program'
local symbol = require 'torch.symbol'
local tape = require 'autograd.tape'

local M = {}

-- Adds the gradients by the operands of a value to those that are known.
local function pull(value, gradient, needed)
   local rule = value.op.grad ~= nil and ffi.string(value.op.grad)
   if not rule then error(symbol.plain, 0) end                 -- autograd says what it lacks
   local env, operand, operands, numbers = { g = symbol.of(gradient[value]) }, {}, 0, 0
   for _, a in ipairs(value.form.args) do
      if a.word == 'number' then
         numbers = numbers + 1
         env[a.name] = value.numbers[numbers]
      elseif a.word == 'tensor' then
         operands = operands + 1
         operand[a.name] = value.operands[operands]
         env[a.name] = symbol.of(operand[a.name])
      else
         env[a.name] = symbol.of(value)
      end
   end
   for _, entry in ipairs(derivative.parse(rule)) do
      local o = operand[entry.name]
      if o and needed[o] then
         local part = symbol.sum_to(symbol.value(entry.value(env)), o.pattern)
         gradient[o] = gradient[o] and symbol.value(symbol.of(gradient[o]) + symbol.of(part))
            or part
      end
   end
end

-- The gradients of result k of f by the wanted arguments, on symbols; the last argument is the
-- gradient of the result.
local function backward(f, k, wanted)
   return function(...)
      local n = select('#', ...)
      local given = { ... }
      local root = (select(k, f(unpack(given, 1, n - 1))))
      if not symbol.is(root) then error(symbol.plain, 0) end
      root = symbol.value(root)
      local needed, list, gradient = {}, {}, { [root] = symbol.value(given[n]) }
      for i in pairs(wanted) do needed[symbol.value(given[i])] = true end
      for _, v in ipairs(symbol.values()) do
         for _, o in ipairs(v.operands or {}) do needed[v] = needed[v] or needed[o] end
         if v.operands and needed[v] then list[#list + 1] = v end
      end
      for i = #list, 1, -1 do
         if gradient[list[i]] then pull(list[i], gradient, needed) end
      end
      local out = {}
      for i in pairs(wanted) do
         local g = gradient[symbol.value(given[i])]
         out[i] = g and symbol.of(g) or nil
      end
      return unpack(out, 1, n - 1)
   end
end

-- The same, by taping the ops of f one by one. Arguments may be taped themselves.
local function by_tape(f, k, wanted)
   return function(...)
      local n = select('#', ...)
      local given, leaves = { ... }, {}
      for i in pairs(wanted) do
         given[i] = tape.leaf(given[i])
         leaves[#leaves + 1] = given[i]
      end
      local root = (select(k, tape.run(f, tape.keep, unpack(given, 1, n - 1))))
      local out, gradient = {}, tape.is_value(root) and tape.backward(root, given[n], leaves) or {}
      for i in pairs(wanted) do out[i] = gradient[given[i]] end
      return unpack(out, 1, n - 1)
   end
end

-- The gradient function for result k by these arguments; made once.
local function gradient_of(self, k, wanted, n)
   local key = k .. ':'
   for i = 1, n do key = key .. (wanted[i] and 1 or 0) end
   self.gradients = self.gradients or {}
   if not self.gradients[key] then
      local otherwise = by_tape(self.f, k, wanted)
      self.gradients[key] = { one_pass = program.new(backward(self.f, k, wanted), otherwise),
         taped = otherwise }
   end
   return self.gradients[key]
end

--- A call with taped values among the arguments.
function M.call(self, ...)
   local n, given = select('#', ...), { ... }
   local plain, inputs, at, place = {}, {}, {}, {}
   for i = 1, n do
      local x = given[i]
      plain[i] = tape.plain(x)
      if tape.is_value(x) then
         -- Ops have no derivatives by numbers.
         if type(x._value) == 'number' then return self.f(...) end
         if tape.is_float(x._value) and not place[x] then
            inputs[#inputs + 1] = x
            place[x], at[#inputs] = #inputs, {}
         end
         if place[x] then table.insert(at[place[x]], i) end
      end
   end
   local results = { self.call(unpack(plain, 1, n)) }
   for i = 1, n do
      if torch.isTensor(plain[i]) and not tape.is_value(given[i]) then
         plain[i] = tape.copy(plain[i])
      end
   end
   for k = 1, table.maxn(results) do
      if tape.is_float(results[k]) then
         results[k] = tape.new(results[k], inputs, function(g, wanted)
            local by, parts = {}, {}
            for j in ipairs(inputs) do
               for _, i in ipairs(wanted[j] and at[j] or {}) do by[i] = true end
            end
            local f = gradient_of(self, k, by, n)
            local arguments = {}
            for i = 1, n do
               arguments[i] = tape.keep and tape.is_value(given[i]) and given[i] or plain[i]
            end
            arguments[n + 1] = g
            local found = { (tape.keep and f.taped or f.one_pass.call)(unpack(arguments, 1, n
               + 1)) }
            for j in ipairs(inputs) do
               for _, i in ipairs(wanted[j] and at[j] or {}) do
                  if found[i] ~= nil then
                     parts[j] = parts[j] == nil and found[i] or parts[j] + found[i]
                  end
               end
            end
            return parts
         end, 'torch.pointwise')
      end
   end
   return unpack(results, 1, table.maxn(results))
end

return M
