-- test/support/shapes.lua - every op of the registry with inputs of equal element count in other shapes and other memory layouts.
--
-- Torch7 accepts operands of equal element count and different shapes. For all shapes, a result or a refusal must not depend on
-- the memory layout of elements or on neighbouring memory, and leading dimensions of size 1 must not change its elements.
local assert = require 'luassert'
local torch = require 'torch'
local op = require 'torch.op'
local draw = require 'test.support.draw'
local dtype = require 'torch.dtype'
local C = require 'torch.lib'.C

local CALLS = tonumber(os.getenv 'TH_SHAPE_CALLS') or 20             -- for each call form
local TOLERANCE = { Half = 2e-2, BFloat16 = 1e-1, Float = 1e-5, Double = 1e-12 }

-- ---- shapes of as many elements --------------------------------------------------------------------

local function with(sizes, at, n)
   local out = { unpack(sizes) }
   table.insert(out, at, n)
   return out
end

local SHAPES = {}
function SHAPES.front(sizes) return with(sizes, 1, 1) end
function SHAPES.front2(sizes) return with(with(sizes, 1, 1), 1, 1) end
function SHAPES.back(sizes) return with(sizes, #sizes + 1, 1) end
function SHAPES.inside(sizes) return with(sizes, draw.whole(#sizes + 1), 1) end
function SHAPES.line(sizes)
   local n = 1
   for _, s in ipairs(sizes) do n = n * s end
   return { n }
end
function SHAPES.reversed(sizes)
   local out = {}
   for d, s in ipairs(sizes) do out[#sizes + 1 - d] = s end
   return out
end
function SHAPES.split(sizes)                     -- one dimension as two
   local out, d = { unpack(sizes) }, draw.whole(#sizes)
   for k = 2, sizes[d] - 1 do
      if sizes[d] % k == 0 then
         out[d] = sizes[d] / k
         table.insert(out, d, k)
         break
      end
   end
   return out
end
function SHAPES.joined(sizes)
   if #sizes < 2 then return sizes end
   local out, d = { unpack(sizes) }, draw.whole(#sizes - 1)
   out[d] = out[d] * table.remove(out, d + 1)
   return out
end
function SHAPES.bare(sizes)                      -- without dimensions of size 1
   local out = {}
   for _, s in ipairs(sizes) do if s > 1 then out[#out + 1] = s end end
   return #out > 0 and out or { 1 }
end
local NAMES = {}
for name in pairs(SHAPES) do NAMES[#NAMES + 1] = name end
table.sort(NAMES)

-- ---- places of elements in memory ------------------------------------------------------------------

-- The strides of a tensor in some order of its dimensions, with gaps; then the length of its memory.
local function strides_of(sizes, layout)
   local order, strides, step = {}, {}, 1
   for d = 1, #sizes do order[d] = #sizes + 1 - d end
   if layout == 'turned' or layout == 'second' and draw.whole(2) == 1 then
      for i = #order, 2, -1 do
         local j = draw.whole(i)
         order[i], order[j] = order[j], order[i]
      end
   end
   if layout == 'second' then step = 2 end
   for _, d in ipairs(order) do
      strides[d] = step
      step = step * sizes[d] + (layout == 'window' and 3 or 0)
   end
   return strides, step
end

local LAYOUTS = { 'tight', 'tight', 'window', 'turned', 'second' }

-- A tensor of x's elements that lie as `layout` says, among others that nothing may read: nan, or the largest number.
local function placed(x, sizes, layout)
   if x:nElement() == 0 or x:dim() == 0 then return x:clone() end
   local strides, length = strides_of(sizes, layout)
   local word = dtype.words[x._dtype]
   local far = TOLERANCE[word] and 0 / 0 or word == 'Byte' and 255 or word == 'Char' and 127 or 32767
   local memory = torch[word .. 'Storage'](length + 40):fill(far)
   local y = x.new(memory, 9 + draw.whole(4), torch.LongStorage(sizes), torch.LongStorage(strides))
   y:copy(x:view(torch.LongStorage(sizes)))
   return y
end

-- ---- calls -----------------------------------------------------------------------------------------

local function is_input(a) return a.word == 'tensor' or a.word == 'inout' or a.word == 'list' end

-- The arguments in their order, each tensor through f(tensor, name); results are made by the call.
local function prepared(args, form, f)
   local list, n, tensors = {}, 0, false
   for _, a in ipairs(form.args) do tensors = tensors or is_input(a) or a.word == 'self' end
   for _, a in ipairs(form.args) do
      local v, w = args[a.name], a.word
      if not (w == 'return' or w == 'self' and tensors or w == 'out' and tensors) then
         n = n + 1
         if w == 'gen' then
            v = torch.Generator()
            torch.manualSeed(v, 3)
         elseif torch.isTensor(v) then
            v = f(v, a.name)
         elseif w == 'list' and v then
            local copy = {}
            for i, x in ipairs(v) do copy[i] = f(x, a.name .. i) end
            v = copy
         end
         list[n] = v
      end
   end
   return list, n
end

local function text(list, n)
   local out = {}
   for i = 1, n do
      local v = list[i]
      if type(v) == 'table' and not torch.isTensor(v) then
         out[i] = '{' .. text(v, #v) .. '}'
      else
         out[i] = torch.isTensor(v) and ('%s %s offset %d strides %s'):format(torch.typename(v), table.concat(v:size():totable(), 'x'),
            v:storageOffset(), table.concat(v:stride():totable(), ',')) or tostring(v)
      end
   end
   return table.concat(out, '; ')
end

local function call(name, list, n)
   local got = { pcall(op.func(name), unpack(list, 1, n)) }
   local ok = table.remove(got, 1)
   for i = 1, n do                               -- what an op changes counts as a result
      if ok and torch.isTensor(list[i]) then got[#got + 1] = list[i] end
   end
   return ok, got
end

local function number_differs(a, b, limit)
   if a == b or a ~= a and b ~= b then return false end
   local near = math.abs(a - b) <= limit * math.max(1, math.abs(a), math.abs(b))       -- false for nan
   return not near
end

local function host(x) return x._dtype >= dtype.CUDA and x:host() or x end

-- What differs between two results, or nil. @param shapes  whether shapes count
local function differs(a, b, shapes)
   if type(a) ~= type(b) then return type(a) .. ' and ' .. type(b) end
   if type(a) == 'number' then return number_differs(a, b, 1e-5) and ('%.17g and %.17g'):format(a, b) or nil end
   if not torch.isTensor(a) then return nil end
   a, b = host(a), host(b)
   if shapes and not a:isSameSizeAs(b) then return 'sizes' end
   if a:nElement() ~= b:nElement() then return 'sizes' end
   if a:nElement() == 0 then return nil end
   local limit = TOLERANCE[dtype.words[a._dtype]] or 0
   local p, q = a:double():contiguous():view(-1), b:double():contiguous():view(-1)
   local largest = 1                          -- NaN does not count: math.max(1, NaN) depends on whether LuaJIT compiled it
   for i = 1, p:size(1) do
      local size = math.abs(p[i])
      if size > largest then largest = size end
   end
   limit = limit * largest
   for i = 1, p:size(1) do
      if number_differs(p[i], q[i], limit) then return ('element %d: %.17g and %.17g'):format(i, p[i], q[i]) end
   end
end

local function all_differ(a, b, shapes)
   if #a ~= #b then return 'another number of results' end
   for i = 1, #a do
      local why = differs(a[i], b[i], shapes)
      if why then return ('result %d: %s'):format(i, why) end
   end
end

local HOW = {
   { kind = 'Double', rows = 3, cols = 4, dim = 1, layout = 'contiguous' },
   { kind = 'Float', rows = 5, cols = 2, dim = 2, layout = 'contiguous' },
   { kind = 'Long', rows = 6, cols = 6, dim = 1, layout = 'contiguous' },
   { kind = 'Double', rows = 40, cols = 70, dim = 2, layout = 'contiguous' },
   { kind = 'Half', rows = 4, cols = 6, dim = 2, layout = 'contiguous' },
}

local shapes = { calls = 0, computed = 0, in_place = 0 }

--- Tries all call forms of an op. @return a list of what is wrong
-- @param place   what moves a tensor that stands in a layout to a device (default: none)
-- @param device  C.TH_CPU or C.TH_CUDA: types without a kernel there are left out
function shapes.sweep(name, place, device)
   local wrong = {}
   draw.seed(name)
   for _, form in ipairs(op.forms(name)) do
      for turn = 1, CALLS do
         local how = HOW[(turn - 1) % #HOW + 1]
         local kind = dtype.id[how.kind]
         if C.th_op_supports(form.op, device, kind) ~= 0 and C.th_op_supports(form.op, C.TH_CPU, kind) ~= 0 then
            local args, shape, any, tensors, along = draw.good(name, form, how), {}, false, 0, false
            if name == 'geometric' then args.p = 0.5 end         -- in cutorch the chance to end, here the chance to continue
            if name == 'topk' then args.sorted = true end        -- else in any order
            for _, a in ipairs(form.args) do along = along or a.word == 'dim' end
            prepared(args, form, function(x)
               tensors = tensors + 1
               return x
            end)
            local only_front = turn % 2 == 0
            -- One input has another shape, or several have.
            local which = draw.whole(math.max(tensors, 1))
            local k = 0
            prepared(args, form, function(x, key)
               k = k + 1
               local sizes = x:size():totable()
               if x:nElement() > 0 and #sizes > 0 and (k == which or draw.whole(4) == 1) then
                  shape[key] = SHAPES[only_front and 'front' or draw.pick(NAMES)](sizes)
                  any = true
               else
                  shape[key] = sizes
               end
               return x
            end)
            local function made(layout)
               return prepared(args, form, function(x, key)
                  return placed(x, shape[key], layout or draw.pick(LAYOUTS))
               end)
            end
            local function on_device(values)
               for i, v in pairs(place and values or {}) do
                  if torch.isTensor(v) then
                     values[i] = place(v)
                  elseif type(v) == 'table' then
                     for j, x in ipairs(v) do v[j] = place(x) end
                  end
               end
               return values
            end
            local list, n = made 'tight'
            local ok, want = call(name, list, n)
            local what = made()
            local told = text(what, n)
            what = on_device(what)
            local right, got = call(name, what, n)
            shapes.calls, shapes.computed = shapes.calls + 1, shapes.computed + (ok and 1 or 0)
            local function fault(why) wrong[#wrong + 1] = ('%s(%s): %s'):format(name, told, why) end
            if ok ~= right then fault(('%s, but %s where elements lie side by side'):format(right and 'computed' or got[1],
               ok and 'computed' or want[1]))
            elseif ok then
               local why = all_differ(want, got, true)
               if why then fault(why) end
            end
            -- In place, where the result has the shape of the first input.
            local x = list[1]
            if ok and form.args[1].word == 'self' and torch.isTensor(x) and x:type() == want[1]:type() and x:isSameSizeAs(want[1]) then
               what = on_device(made())
               table.insert(what, 1, what[1])
               right, got = call(name, what, n + 1)
               local why = not right and got[1] or differs(want[1], got[1], true)
               if why then fault('in place: ' .. why) end
               shapes.in_place = shapes.in_place + 1
            end
            if ok and any and only_front and not along and not place then
               local base, m = prepared(args, form, function(x) return x:clone() end)
               local fine, first = call(name, base, m)
               if fine then
                  local why = all_differ(first, want)
                  if why and not why:find 'sizes' then fault('without dimensions of size 1 in front ' .. why) end
               end
            end
         end
      end
   end
   return wrong
end

--- Describes each op by itself, as shapes.sweep tries it. @param describe  and `it`: busted's, which a spec alone has
function shapes.describe(describe, it, what, place, device)
   describe(what, function()
      for _, name in ipairs(op.names()) do
         it(name, function()
            local wrong = shapes.sweep(name, place, device)
            assert(#wrong == 0, ('%d of its calls, the first: %s'):format(#wrong, tostring(wrong[1])))
         end)
      end
      it('is tried in thousands of calls, of which most are computed', function()
         assert.is_true(shapes.calls > 200 * CALLS, shapes.calls)
         assert.is_true(shapes.computed > shapes.calls / 2, shapes.computed)
         assert.is_true(shapes.in_place > shapes.calls / 8, shapes.in_place)
         print(('%d calls, %d computed, %d in place too'):format(shapes.calls, shapes.computed, shapes.in_place))
      end)
   end)
end

return shapes
