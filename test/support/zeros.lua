-- test/support/zeros.lua - every op of the registry, with each dimension and each integer of a valid call set to 0 in turn.
--
-- Sizes that belong together become 0 together: sizes that are equal in a valid call, up to three at a time. The call must give a
-- result or an error that names the op. A division by zero would end the process.
local assert = require 'luassert'
local torch = require 'torch'
local op = require 'torch.op'
local draw = require 'test.support.draw'
local dtype = require 'torch.dtype'
local C = require 'torch.lib'.C

local MOST = tonumber(os.getenv 'TH_ZERO_CALLS') or 400              -- for each call form
local FEW = 8                                                        -- sizes of a call that become 0 in threes

local function sizes_of(x) return x:size():totable() end

-- x with the sizes that `zero(size, dimension)` names made 0.
local function emptied(x, zero)
   local sizes, any = sizes_of(x), false
   for d = 1, #sizes do
      if zero(sizes[d], d) then sizes[d], any = 0, true end
   end
   return any and x.new():resize(torch.LongStorage(sizes)) or x
end

-- A copy of arguments with each tensor through f(tensor, name). In the order of the signature: the same calls each time.
local function mapped(args, form, f)
   local out = {}
   for _, a in ipairs(form.args) do
      local v = args[a.name]
      if torch.isTensor(v) then
         out[a.name] = f(v, a.name)
      elseif a.word == 'list' and v then
         out[a.name] = {}
         for i, x in ipairs(v) do out[a.name][i] = f(x, a.name .. i) end
      else
         out[a.name] = v
      end
   end
   return out
end

-- All ways of putting zeros into good arguments: a list of functions that give the arguments.
local function variants(args, form)
   local places, values, seen = {}, {}, {}
   local function look(x, name)
      for d, n in ipairs(sizes_of(x)) do
         places[#places + 1] = { name = name, d = d }
         if not seen[n] then values[#values + 1], seen[n] = n, true end
      end
      return x
   end
   mapped(args, form, look)
   table.sort(places, function(a, b) return a.name == b.name and a.d < b.d or a.name < b.name end)
   table.sort(values)
   local list = {}
   for i, u in ipairs(values) do
      for j = i, #values do
         for k = j, #values <= FEW and #values or j do
            local v, w = values[j], values[k]
            list[#list + 1] = function()
               return mapped(args, form, function(x) return emptied(x, function(n) return n == u or n == v or n == w end) end)
            end
         end
      end
   end
   local function only(p, q)
      return function()
         return mapped(args, form, function(x, name)
            return emptied(x, function(_, d) return name == p.name and d == p.d or q and name == q.name and d == q.d end)
         end)
      end
   end
   for i, p in ipairs(places) do
      list[#list + 1] = only(p)
      for j = i + 1, #places do list[#list + 1] = only(p, places[j]) end
   end
   for i, p in ipairs(places) do               -- each with all sizes of a value
      for _, v in ipairs(values) do
         list[#list + 1] = function()
            return mapped(args, form, function(x, name)
               return emptied(x, function(n, d) return n == v or name == p.name and d == p.d end)
            end)
         end
      end
      if i > 60 then break end
   end
   for _, a in ipairs(form.args) do
      if (a.word == 'int' or a.word == 'dim' or a.word == 'number') and args[a.name] ~= nil then
         for _, v in ipairs(values) do
            list[#list + 1] = function()
               local out = mapped(args, form, function(x) return emptied(x, function(n) return n == v end) end)
               out[a.name] = 0
               return out
            end
         end
         table.insert(list, 1, function()
            local out = mapped(args, form, function(x) return x:clone() end)
            out[a.name] = 0
            return out
         end)
      end
   end
   return list
end

-- The arguments with an empty input, if there is one, as its own result: a result of another size must not resize the input.
local function in_place(args, form)
   local input
   for _, a in ipairs(form.args) do
      local x = args[a.name]
      if a.word == 'tensor' and torch.isTensor(x) and x:nElement() == 0 then input = input or x end
   end
   for _, a in ipairs(form.args) do
      if input and (a.word == 'out' or a.word == 'self') then
         args[a.name] = input
         break
      end
   end
   return args
end

-- So that those which are left out, where they are many, are of all kinds.
local function shuffle(list)
   for i = #list, 2, -1 do
      local j = draw.whole(i)
      list[i], list[j] = list[j], list[i]
   end
end

local HOW = {
   { first = 'Double', rows = 4, cols = 6, dim = 1, layout = 'contiguous' },
   { first = 'Float', rows = 5, cols = 4, dim = 2, layout = 'transposed' },
   { first = 'Half', rows = 2, cols = 9, dim = 2, layout = 'contiguous' },
   { first = 'Long', rows = 3, cols = 40, dim = 1, layout = 'transposed' },
}

-- Calls an op with results of no size or without results, and with a generator where it takes one.
local function call(name, form, args, results, place, generator)
   local list, n = {}, 0
   for _, a in ipairs(form.args) do
      if a.word ~= 'return' and (results or a.word ~= 'out' and a.word ~= 'self') then
         n = n + 1
         if a.word == 'gen' then list[n] = generator() else list[n] = args[a.name] end
      end
   end
   for i = 1, n do
      local v = list[i]
      if torch.isTensor(v) then
         list[i] = place(v)
      elseif type(v) == 'table' and torch.isTensor(v[1]) then
         list[i] = {}
         for k, x in ipairs(v) do list[i][k] = place(x) end
      end
   end
   local ok, why = pcall(op.func(name), unpack(list, 1, n))
   if not ok then assert(tostring(why):find(name, 1, true), ('the message does not name %s: %s'):format(name, why)) end
   return ok
end

local zeros = {}

--- Calls all forms of an op. @param place  what makes the tensor that is given of one of the CPU
-- @param device     C.TH_CPU or C.TH_CUDA: types without a kernel there are left out
-- @param generator  gives a generator (default: torch.Generator)
-- @return how many calls that were, and how many of them were refused
function zeros.sweep(name, place, device, generator)
   local calls, refused = 0, 0
   generator = generator or torch.Generator
   draw.seed(name)
   for _, form in ipairs(op.forms(name)) do
      local list = {}
      for _, how in ipairs(HOW) do
         local args
         for _, kind in ipairs { how.first, 'Double', 'Float', 'Long', 'Byte' } do
            if not args and C.th_op_supports(form.op, device, dtype.id[kind]) ~= 0 then
               args = draw.good(name, form, { kind = kind, rows = how.rows, cols = how.cols, dim = how.dim, layout = how.layout })
            end
         end
         for _, f in ipairs(args and variants(args, form) or {}) do list[#list + 1] = f end
      end
      shuffle(list)
      for i = 1, math.min(#list, MOST) do
         local a = list[i]()
         if i % 4 == 0 then a = in_place(a, form) end
         if not call(name, form, a, i % 2 == 0, place, generator) then refused = refused + 1 end
         calls = calls + 1
      end
   end
   return calls, refused
end

--- Describes each op by itself, as zeros.sweep tries it.
-- @param describe  and `it`: busted's, which a spec alone has
-- @param most  which part of the calls may be refused, at most
function zeros.describe(describe, it, what, place, device, most)
   describe(what, function()
      local calls, refused = 0, 0
      for _, name in ipairs(op.names()) do
         it(name .. ' computes or refuses them', function()
            local n, r = zeros.sweep(name, place, device)
            calls, refused = calls + n, refused + r
         end)
      end
      it('is tried in thousands of calls, of which some are refused', function()
         assert.is_true(calls > 5000, calls)
         assert.is_true(refused > calls / 10 and refused < calls * most, refused)
         print(('%s %d calls with zeros, %d refused'):format(what, calls, refused))
      end)
   end)
end

return zeros
