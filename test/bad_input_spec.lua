-- test/bad_input_spec.lua - every op of the registry, called with what makes sense and with what does not.
--
-- The calls are drawn from the signatures with a fixed seed, half of them as good calls of which some arguments were
-- replaced. Whatever happens, the process lives, inputs keep their values, and a refused call names the function and
-- leaves its results as they were.
local torch = require 'torch'
local op = require 'torch.op'
local draw = require 'test.draw'
local dtype = require 'torch.dtype'
local C = require 'torch.lib'.C
local ffi = require 'ffi'

local CALLS = tonumber(os.getenv 'TH_BAD_INPUT_CALLS') or 150         -- for each call form

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

-- Small arguments that the form takes, if it takes this type.
local function sensible(name, form, kind)
   if C.th_op_supports(form.op, C.TH_CPU, dtype.id[kind]) == 0 then return nil end
   return draw.good(name, form, { kind = kind, rows = draw.whole(4), cols = draw.whole(5), dim = draw.whole(2),
      layout = draw.pick { 'contiguous', 'transposed' } })
end

-- Calls one form once; returns whether it was refused.
local function try(name, form, method)
   local seen, args, results = {}, {}, {}
   local element = draw.kind()
   local whole = draw.whole
   local good = whole(2) == 1 and sensible(name, form, element) or nil
   local n = 0
   for _, a in ipairs(form.args) do
      if a.word ~= 'return' then
         local leave_out = (a.word == 'out' or a.word == 'self' and not method) and whole(3) > 1
            or a.default and whole(3) == 1
         if not leave_out then
            n = n + 1
            if good and whole(8) > 1 then
               args[n] = good[a.name]
               if torch.isTensor(args[n]) then seen[#seen + 1] = args[n] end
               for _, x in ipairs(a.word == 'list' and args[n] or {}) do seen[#seen + 1] = x end
            else
               args[n] = draw.wild(a, seen, element)
            end
            if (a.word == 'out' or a.word == 'self' or a.word == 'inout') and torch.isTensor(args[n]) then
               results[#results + 1] = args[n]
            end
         end
      end
   end
   if whole(20) == 1 then
      n = n + 1
      args[n] = draw.junk()
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
   local memory = C.th_memory_of(0)
   setup(function() memory.most = memory.bytes + 2 ^ 28 end)           -- huge sizes meet their limit soon
   teardown(function() memory.most = 0 end)
   for _, name in ipairs(op.names()) do
      it('never harms ' .. name .. ': refused with its name, or computed', function()
         draw.seed(name)
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
