-- test/support/pointwise.lua - functions for specs of torch.pointwise: every pointwise op of the
-- registry, and chains of several.
local torch = require 'torch'
local ffi = require 'ffi'
local op = require 'torch.op'
local C = require 'torch.lib'.C
require 'torch.symbol'
local M = {}

local NUMBERS = { 0.5, 1.25 }

-- One call of a form, from x, y and z, which are tensors of the same type and size.
local function call_of(form)
   local f, plan = op.func(ffi.string(form.op.name)), {}
   for _, a in ipairs(form.args) do
      if a.word == 'tensor' or a.word == 'number' then plan[#plan + 1] = a.word end
   end
   return function(x, y, z, condition)
      local given, tensors, numbers = {}, { x, y, z }, 0
      if ffi.string(form.op.name) == 'where' then return torch.where(condition, x, y) end
      for i, word in ipairs(plan) do
         if word == 'tensor' then
            given[i] = table.remove(tensors, 1)
         else
            numbers = numbers + 1
            given[i] = NUMBERS[numbers]
         end
      end
      return f(unpack(given, 1, #plan))
   end
end

--- All ops that programs take for a dtype, in groups: { names, f }; f(x, y, z) returns the result
--- of each op in the group.
function M.groups(dtype, each)
   local groups, calls, names = {}, {}, {}
   local function close()
      local own = calls
      if #own == 0 then return end
      groups[#groups + 1] = { names = table.concat(names, ', '), f = function(x, y, z)
         local out, condition = {}, torch.gt(x, y)
         for i = 1, #own do out[i] = own[i](x, y, z, condition) end
         return unpack(out, 1, #own)
      end }
      calls, names = {}, {}
   end
   for _, name in ipairs(op.names()) do
      for _, form in ipairs(op.forms(name)) do
         if C.th_program_takes(form.op, dtype) == 1 then
            calls[#calls + 1], names[#names + 1] = call_of(form), name
            if #calls == each then close() end
         end
      end
   end
   close()
   return groups
end

--- Chains as programs write them, with how many tensors they take.
M.chains = {
   { 'GELU by hand', 1, function(x)
      return torch.cmul(x, torch.tanh((x + torch.pow(x, 3) * 0.044715) * 0.7978845608) + 1) * 0.5
   end },
   { 'the elements of an LSTM cell', 5, function(i, f, g, o, c)
      local cell = torch.cmul(torch.sigmoid(f), c) + torch.cmul(torch.sigmoid(i), torch.tanh(g))
      return torch.cmul(torch.sigmoid(o), torch.tanh(cell)), cell
   end },
   { 'a loss', 2, function(x, target)
      local d = x - target
      local a = torch.abs(d)
      local near = torch.cmin(a, 1)
      return torch.cmul(near, a - near * 0.5) * 0.7 + torch.square(d) * 0.01
   end },
   { 'work in place on its own tensors', 2, function(x, y)
      local t = torch.cmul(x, y)
      t:add(1):tanh()
      t:cmul(y)
      return torch.where(torch.lt(t, x), t, -y) / 3
   end },
}

--- The bytes of a tensor, on any device.
function M.bytes(t)
   local here = t:type():find 'Cuda' and t:host() or t
   here = here:contiguous()
   return t:type() .. table.concat(t:size():totable(), 'x') .. ffi.string(here:data(),
      here:nElement() * here:elementSize())
end

--- Do both functions give the same types, sizes and bits?
function M.same(f, g, ...)
   local want, got = { f(...) }, { g(...) }
   if #want ~= #got then return false end
   for i = 1, #want do if M.bytes(want[i]) ~= M.bytes(got[i]) then return false end end
   return true
end

return M
