-- test/bad_input_spec.lua - every op of the registry, called with what makes sense and with what does not.
--
-- The calls are drawn from the signatures with a fixed seed. Whatever happens, the process lives, inputs keep their
-- values, and a refused call names the function and leaves its results as they were.
local torch = require 'torch'
local op = require 'torch.op'
local ffi = require 'ffi'

local CALLS = tonumber(os.getenv 'TH_BAD_INPUT_CALLS') or 150         -- for each call form

local state
local function draw(n)                      -- 1..n, the same on every machine
   state = (state * 48271) % 2147483647
   return state % n + 1
end
local function pick(list) return list[draw(#list)] end

local types = { 'Double', 'Double', 'Float', 'Float', 'Long', 'Long', 'Byte', 'Int', 'Half', 'BFloat16', 'Char', 'Short' }
local shapes = {
   {}, { 0 }, { 1 }, { 3 }, { 3 }, { 4 }, { 3, 3 }, { 3, 3 }, { 3, 4 }, { 4, 3 }, { 1, 3 }, { 0, 3 }, { 3, 0 }, { 2, 3, 4 }, { 2, 3, 3 },
   { 2, 3, 4, 4 }, { 3, 1, 2, 2 }, { 3, 3, 3, 3 }, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2 },
}

local function tensor(kind)
   local make = torch[(kind or pick(types)) .. 'Tensor']
   local shape = pick(shapes)
   if #shape == 0 then return torch.tensor(draw(5) - 2, make().type(make())) end
   local x = make(torch.LongStorage(shape))
   local n = x:nElement()
   if n > 0 then
      local s = x:storage()
      for i = 1, n do s[i] = draw(7) - 2 end
      if draw(10) == 1 then s[draw(n)] = pick { 0 / 0, 1 / 0, -1 / 0, 1e18, -1e18 } end
   end
   local way = draw(8)
   if way == 1 and x:dim() == 2 then x = x:t() end
   if way == 2 and x:dim() >= 1 and x:size(1) > 1 then x = x:narrow(1, 2, x:size(1) - 1) end
   if way == 3 and x:dim() >= 1 and x:size(1) == 1 then x = x:expand(3, unpack(shape, 2)) end
   return x
end

local numbers = { 0, 1, 2, -1, 3, 0.5, 1e30, -1e30, 2 ^ 53, 0 / 0, 1 / 0, -1 / 0 }
local wholes = { 0, 1, 1, 2, 2, 3, 4, -1, 17, 2 ^ 31, 2 ^ 40, 2 ^ 53, 1.5, 0 / 0 }
local junk = { 'a string', true, {}, print, torch.LongStorage { 2 }, 0, -1, 0 / 0, 2 ^ 53 }

-- A value for one argument: mostly of its kind, now and then anything.
local function value(a, seen, element)
   if draw(12) == 1 then return pick(junk) end
   local w = a.word
   if w == 'tensor' or w == 'out' or w == 'self' or w == 'inout' then
      if #seen > 0 and draw(6) == 1 then return pick(seen) end         -- the same object twice
      local x = tensor(draw(4) > 1 and element or nil)
      if #seen > 0 and draw(10) == 1 then
         local other = pick(seen)
         if other:dim() >= 1 and other:size(1) > 1 then x = other:narrow(1, 1, other:size(1) - 1) end   -- an overlap
      end
      seen[#seen + 1] = x
      return x
   elseif w == 'number' then return pick(numbers)
   elseif w == 'int' or w == 'dim' then return pick(wholes)
   elseif w == 'bool' then return draw(2) == 1
   elseif w == 'string' then return pick { 'a', '', 'V', 'F' }
   elseif w == 'gen' then return nil
   elseif w == 'sizes' then return torch.LongStorage(pick { { 2 }, { 0 }, { -1 }, { 2, 3 }, { 2 ^ 40, 2 ^ 40 } })
   elseif w == 'list' then
      local list = {}
      for i = 1, draw(3) do
         list[i] = tensor(element)
         seen[#seen + 1] = list[i]
      end
      return list
   end
end

local function snapshot(x)
   return { x = x, type = x:type(), size = x:size():totable(),
      bytes = x:nElement() > 0 and ffi.string(x:clone():data(), x:nElement() * x:elementSize()) or '' }
end

local function unchanged(s)
   local x = s.x
   if x:type() ~= s.type then return false end
   local size = x:size():totable()
   if #size ~= #s.size then return false end
   for d = 1, #size do if size[d] ~= s.size[d] then return false end end
   return s.bytes == (x:nElement() > 0 and ffi.string(x:clone():data(), x:nElement() * x:elementSize()) or '')
end

local function shares(a, b)
   local s, t = a:storage(), b:storage()
   return s ~= nil and t ~= nil and s == t
end

-- Calls one form once; returns whether it was refused.
local function try(name, form, method)
   local seen, args, results = {}, {}, {}
   local element = pick(types)
   local n = 0
   for _, a in ipairs(form.args) do
      if a.word ~= 'return' then
         local leave_out = (a.word == 'out' or a.word == 'self' and not method) and draw(3) > 1
            or a.default and draw(3) == 1
         if not leave_out then
            n = n + 1
            args[n] = value(a, seen, element)
            if (a.word == 'out' or a.word == 'self' or a.word == 'inout') and torch.isTensor(args[n]) then
               results[#results + 1] = args[n]
            end
         end
      end
   end
   if draw(20) == 1 then
      n = n + 1
      args[n] = pick(junk)
   end
   local before = {}
   for i, x in ipairs(seen) do before[i] = snapshot(x) end
   local f = method and op.method(name) or op.func(name)
   local ok, err = pcall(f, unpack(args, 1, n))
   local function call()
      local words = {}
      for i = 1, n do
         words[i] = torch.isTensor(args[i]) and args[i]:type() .. '(' .. table.concat(args[i]:size():totable(), 'x') .. ')'
            or tostring(args[i])
      end
      return ('%s(%s): %s'):format(name, table.concat(words, ', '), ok and 'accepted' or tostring(err))
   end
   if not ok then
      assert(tostring(err):find(name, 1, true), 'the message does not name the function: ' .. call())
      for _, s in ipairs(before) do assert(unchanged(s), 'a refused call changed an operand: ' .. call()) end
   else
      -- A call may be read in another form than the one it was drawn from: what shares memory with any tensor that
      -- came first could be a result.
      for _, s in ipairs(before) do
         local may_change = s.x == args[1] or torch.isTensor(args[1]) and shares(s.x, args[1])
         for _, r in ipairs(results) do may_change = may_change or s.x == r or shares(s.x, r) end
         for i = 2, n do
            if torch.isTensor(args[i]) and i <= 4 and s.x == args[i] and #results > 1 then may_change = true end
         end
         assert(may_change or unchanged(s), 'an input was changed: ' .. call())
      end
   end
   return not ok
end

describe('bad input', function()
   local calls, refused = 0, 0
   local memory = require 'torch.lib'.C.th_memory_of(0)
   setup(function() memory.most = memory.bytes + 2 ^ 28 end)           -- huge sizes meet their limit soon
   teardown(function() memory.most = 0 end)
   for _, name in ipairs(op.names()) do
      it('never harms ' .. name .. ': refused with its name, or computed', function()
         state = 12345
         for i = 1, #name do state = (state * 31 + name:byte(i)) % 2147483646 + 1 end
         for _, form in ipairs(op.forms(name)) do
            for i = 1, CALLS do
               calls = calls + 1
               if try(name, form, i % 3 == 0) then refused = refused + 1 end
            end
         end
      end)
   end
   it('is tried in thousands of calls, of which many are refused', function()
      assert.is_true(calls > 3000, calls)
      assert.is_true(refused > calls / 5, refused)
      print(('%d calls drawn from the signatures, %d refused'):format(calls, refused))
   end)
end)
