-- lua/onnx/export/traced_ops.lua - ops of torch and views, as autograd records them, to nodes.
--
-- A rule gets the walk w, the calls of all runs, and the sizes of its result: write(w, calls, y).
local Value = require 'onnx.export.value'
local rules = require 'onnx.export.rules'

local M = {}
local known = {}

--- The rule for a recorded name such as 'torch.add' or 'narrow', or nil.
function M.find(name) return known[name] end

--- The values of nested tables in a list.
function M.flat(x)
   local list = {}
   Value.map(x, function(v)
      list[#list + 1] = v
      return v
   end)
   return list
end

-- An argument as a name in the graph; numbers become constants.
local function name_of(w, v)
   if Value.is(v) then return v.name end
   return w.c:number(v)
end

local function arguments(w, calls)
   return function(key) return w:entry(calls, key) end
end

-- ---- elements ------------------------------------------------------------------------------------------------------

for name, op in pairs { exp = 'Exp', log = 'Log', sqrt = 'Sqrt', abs = 'Abs', sign = 'Sign', sin = 'Sin', cos = 'Cos', tan = 'Tan',
   atan = 'Atan', asin = 'Asin', acos = 'Acos', sinh = 'Sinh', cosh = 'Cosh', tanh = 'Tanh', sigmoid = 'Sigmoid', neg = 'Neg',
   floor = 'Floor', ceil = 'Ceil', cinv = 'Reciprocal', erf = 'Erf', relu = 'Relu', softsign = 'Softsign' } do
   known['torch.' .. name] = function(w, calls) return w.c:op(op, { w:entry(calls, 'x') }) end
end

known['torch.square'] = function(w, calls)
   local x = w:entry(calls, 'x')
   return w.c:op('Mul', { x, x })
end
known['torch.rsqrt'] = function(w, calls) return w.c:op('Reciprocal', { w.c:op('Sqrt', { w:entry(calls, 'x') }) }) end
known['torch.log1p'] = function(w, calls) return w.c:op('Log', { w.c:op('Add', { w:entry(calls, 'x'), w.c:number(1) }) }) end

-- Ops that are modules of nn too: the rule of the class, with the numbers under the names of its fields.
for name, row in pairs { elu = { 'nn.ELU', alpha = 'alpha' }, leakyrelu = { 'nn.LeakyReLU', negval = 'slope' },
   softplus = { 'nn.SoftPlus', beta = 'beta' }, gelu = { 'nn.GELU' }, logsigmoid = { 'nn.LogSigmoid' },
   hardtanh = { 'nn.HardTanh', min_val = 'min', max_val = 'max' }, threshold = { 'nn.Threshold', threshold = 'threshold', val = 'value' } } do
   known['torch.' .. name] = function(w, calls)
      local m = {}
      for field, key in pairs(row) do
         if field ~= 1 then m[field] = w:entry(calls, key) end
      end
      return rules.of(row[1]).write(w.c, m, w:entry(calls, 'x'))
   end
end

-- The second operand with the sizes of the first, where torch pairs as many elements of other sizes.
local function paired(w, x, z)
   if not Value.is(x) or not Value.is(z) then return name_of(w, z) end
   if x.t:nElement() == z.t:nElement() and not x.t:isSameSizeAs(z.t) then return w.c:reshape(z, x) end
   return z.name
end

local function binary(op, scaled)
   return function(w, calls)
      local get = arguments(w, calls)
      local x, z, value = get 'x', get 'z', get 'value'
      if z == nil then return w.c:op(op, { x, name_of(w, value) }) end
      local second = paired(w, x, z)
      if scaled and value ~= nil and value ~= 1 then second = w.c:op('Mul', { second, name_of(w, value) }) end
      return w.c:op(op, { name_of(w, x), second })
   end
end
for name, op in pairs { cmul = 'Mul', cdiv = 'Div', mul = 'Mul', div = 'Div', cpow = 'Pow', cmax = 'Max', cmin = 'Min' } do
   known['torch.' .. name] = binary(op)
end
known['torch.add'], known['torch.csub'] = binary('Add', true), binary('Sub', true)

known['torch.pow'] = function(w, calls)
   local x, value = w:entry(calls, 'x'), name_of(w, w:entry(calls, 'value'))
   local place = calls[1].place
   if place.value and place.x and place.value < place.x then return w.c:op('Pow', { value, x }) end
   return w.c:op('Pow', { x, value })
end

known['torch.clamp'] = function(w, calls)
   return w.c:op('Clip', { w:entry(calls, 'x'), name_of(w, w:entry(calls, 'min')), name_of(w, w:entry(calls, 'max')) })
end

for name, row in pairs { lt = { 'Less' }, gt = { 'Greater' }, le = { 'LessOrEqual' }, ge = { 'GreaterOrEqual' }, eq = { 'Equal' },
   ne = { 'Equal', 'Not' } } do
   known['torch.' .. name] = function(w, calls)
      local get = arguments(w, calls)
      local x, z = get 'x', get 'z'
      local y = w.c:op(row[1], { x, z == nil and name_of(w, get 'value') or paired(w, x, z) })
      if row[2] then y = w.c:op(row[2], { y }) end
      return w.c:cast(y, 'uint8')
   end
end

known['torch.maskedFill'] = function(w, calls)
   return w.c:op('Where', { w.c:cast(w:entry(calls, 2), 'bool'), name_of(w, w:entry(calls, 3)), w:entry(calls, 1) })
end
known['torch.where'] = function(w, calls)
   local get = arguments(w, calls)
   return w.c:op('Where', { w.c:cast(get 'condition', 'bool'), name_of(w, get 'x'), name_of(w, get 'z') })
end
known['torch.lerp'] = function(w, calls)
   local get, c = arguments(w, calls), w.c
   local x = get 'x'
   return c:op('Add', { x, c:op('Mul', { c:op('Sub', { get 'z', x }), name_of(w, get 'weight') }) })
end
for name, op in pairs { addcmul = 'Mul', addcdiv = 'Div' } do
   known['torch.' .. name] = function(w, calls)
      local get, c = arguments(w, calls), w.c
      local product = c:op(op, { get 'z1', get 'z2' })
      return c:op('Add', { get 'x', c:op('Mul', { product, name_of(w, get 'value' or 1) }) })
   end
end

-- Numbers are tensors of one element in a file.
for name, op in pairs { add = 'Add', sub = 'Sub', mul = 'Mul', div = 'Div', pow = 'Pow', log = 'Log' } do
   known[name] = function(w, calls)
      local operands = {}
      for k = 1, op == 'Log' and 1 or 2 do
         local entries = {}
         for i, call in ipairs(calls) do entries[i] = call[k] end
         operands[k] = name_of(w, w:either(entries))
      end
      return w.c:op(op, operands)
   end
end

-- ---- products ------------------------------------------------------------------------------------------------------

for _, name in ipairs { 'mm', 'bmm' } do
   known['torch.' .. name] = function(w, calls) return w.c:op('MatMul', { w:entry(calls, 'a'), w:entry(calls, 'b') }) end
end
known['torch.mv'] = function(w, calls) return w.c:op('MatMul', { w:entry(calls, 'a'), w:entry(calls, 'x') }) end
for name, second in pairs { addmm = 'b', baddbmm = 'b', addmv = 'x' } do
   known['torch.' .. name] = function(w, calls)
      local get, c = arguments(w, calls), w.c
      local product, m, beta, alpha = c:op('MatMul', { get 'a', get(second) }), get 'm', get 'beta', get 'alpha'
      if alpha ~= nil and alpha ~= 1 then product = c:op('Mul', { product, name_of(w, alpha) }) end
      local scaled = beta ~= nil and beta ~= 1 and c:op('Mul', { m, name_of(w, beta) }) or m
      return c:op('Add', { scaled, product })
   end
end
known['torch.dot'] = function(w, calls, y)
   local c = w.c
   local product = c:op('Mul', { w:entry(calls, 'a'), w:entry(calls, 'b') })
   return c:reshape_to(c:op('ReduceSum', { product }, { keepdims = 1 }), y.sizes)
end
known['torch.ger'] = function(w, calls)
   return w.c:op('MatMul', { w.c:unsqueeze(w:entry(calls, 'u'), { 1 }), w.c:unsqueeze(w:entry(calls, 'v'), { 0 }) })
end

-- ---- reductions ----------------------------------------------------------------------------------------------------

local function shaped(w, name, from, y)
   -- The reduced dimension is dropped, or stays with size 1: the others keep their order.
   local list, free = {}, 0
   for d = 1, y:dim() do
      list[d] = y.varies[d] and -1 or y.sizes[d]
      free = free + (y.varies[d] and 1 or 0)
   end
   if free > 1 then w.c:need_fixed() end
   return from == y:dim() and free <= 1 and name or w.c:reshape_to(name, list)
end

local function reduction(op)
   return function(w, calls, y)
      local x, dim, c = w:entry(calls, 'x'), w:entry(calls, 'dim'), w.c
      local axes = {}
      for d = 1, x:dim() do if dim == nil or d == dim then axes[#axes + 1] = d - 1 end end
      local name = c:reduce(op, x, axes, true)
      if dim == nil then return c:reshape_to(name, y.sizes) end
      return shaped(w, name, x:dim(), y)
   end
end
for name, op in pairs { sum = 'ReduceSum', mean = 'ReduceMean', max = 'ReduceMax', min = 'ReduceMin' } do
   known['torch.' .. name] = reduction(op)
end
known['torch.norm'] = function(w, calls, y)
   local p = w:entry(calls, 'p')
   if p ~= nil and p ~= 1 and p ~= 2 then w.c:refuse('it calls torch.norm with p = %s, which has no rule', tostring(p)) end
   return reduction(p == 1 and 'ReduceL1' or 'ReduceL2')(w, calls, y)
end

for name, op in pairs { softmax = 'Softmax', logsoftmax = 'LogSoftmax' } do
   known['torch.' .. name] = function(w, calls)
      return w.c:op(op, { w:entry(calls, 'x') }, { axis = w:entry(calls, 'dim') - 1 })
   end
end

-- ---- parts ---------------------------------------------------------------------------------------------------------

local function positions(w, v)
   local index = v.type == 'int64' and v.name or w.c:cast(v, 'int64')
   return w.c:op('Sub', { index, w.c:ints(1) })
end
known['torch.index'] = function(w, calls)
   return w.c:op('Gather', { w:entry(calls, 'x'), positions(w, w:entry(calls, 'index')) }, { axis = w:entry(calls, 'dim') - 1 })
end
known['torch.gather'] = function(w, calls)
   return w.c:op('GatherElements', { w:entry(calls, 'x'), positions(w, w:entry(calls, 'index')) }, { axis = w:entry(calls, 'dim') - 1 })
end
known['torch.embedding'] = function(w, calls)
   return w.c:op('Gather', { w:entry(calls, 'weight'), positions(w, w:entry(calls, 'index')) }, { axis = 0 })
end

-- The value that a view was taken of.
local function source(w, list)
   local inputs = {}
   for i, node in ipairs(list) do inputs[i] = node._inputs[1] end
   return w:node(inputs)
end

-- Number k of the arguments of a view, equal in all runs.
local function number(w, calls, k)
   local first = calls[1][k]
   if calls[2][k] ~= first then w.c:refuse 'it takes a part whose place depends on its input' end
   if calls[3] and calls[3][k] ~= first then w.c:need_fixed() end
   return first
end

known.narrow = function(w, calls, _, list)
   local x, d, first = source(w, list), number(w, calls, 1), number(w, calls, 2)
   if d < 0 then d = x:dim() + d + 1 end
   if x.varies[d] and first == 1 and calls[3] and calls[3][3] == x.u:size(d) and calls[1][3] == x.sizes[d] then return x.name end
   return w.c:slice(x, d - 1, first - 1, first - 1 + number(w, calls, 3))
end
local function select(w, x, d, i)
   if d < 0 then d = x:dim() + d + 1 end
   if i < 0 then i = w.c:fixed(x, d) + i + 1 end
   local part = w.c:slice(x, d - 1, i - 1, i)
   return x:dim() == 1 and part or w.c:squeeze(part, { d - 1 })
end
known.select = function(w, calls, _, list) return select(w, source(w, list), number(w, calls, 1), number(w, calls, 2)) end
known.index = function(w, calls, _, list)
   local k = number(w, calls, 1)
   if type(k) ~= 'number' then w.c:refuse 'it takes a part by a table, which has no rule' end
   return select(w, source(w, list), 1, k)
end

for _, name in ipairs { 'view', 'reshape', 'squeeze', 'unsqueeze', 'viewAs', 'clone', 'contiguous', 'item' } do
   known[name] = function(w, _, y, list)
      local x = source(w, list)
      local same = x:dim() == y:dim()
      for d = 1, same and y:dim() or 0 do same = same and x.sizes[d] == y.sizes[d] and x.varies[d] == y.varies[d] end
      return same and x.name or w.c:reshape(x, y)
   end
end
known.tensor = function(w, _, _, list) return source(w, list).name end
known.type = function(w, _, y, list)
   local x = source(w, list)
   return x.type == y.type and x.name or w.c:cast(x, y.type)
end

known.transpose = function(w, calls, _, list)
   local x, perm = source(w, list), {}
   local a, b = number(w, calls, 1), number(w, calls, 2)
   for d = 1, x:dim() do perm[d] = d - 1 end
   if x:dim() < 2 then return x.name end
   perm[a], perm[b] = perm[b], perm[a]
   return w.c:transpose(x, perm)
end
known.permute = function(w, calls, _, list)
   local x, perm = source(w, list), {}
   for d = 1, x:dim() do perm[d] = number(w, calls, d) - 1 end
   return w.c:transpose(x, perm)
end

-- A size that depends on the batch, from an input of the graph that has it.
local function size_of(w, y, d)
   for _, v in ipairs(w.inputs) do
      for i = 1, v:dim() do
         if v.varies[i] and v.sizes[i] == y.sizes[d] and v.u:size(i) == y.u:size(d) then
            return w.c:slice(w.c:shape(v), 0, i - 1, i)
         end
      end
   end
   w.c:need_fixed()
end

--- x repeated to the sizes of y.
function M.expand(w, x, y)
   local c, sizes, fixed, computed = w.c, {}, {}, false
   local lead = y:dim() - x:dim()
   for d = 1, y:dim() do
      local same = d > lead and x.sizes[d - lead] == y.sizes[d] and x.varies[d - lead] == y.varies[d]
      fixed[d] = same and 1 or y.sizes[d]
      if y.varies[d] and not same then sizes[d], computed = size_of(w, y, d), true end
   end
   if not computed then return c:op('Expand', { x, c:ints(fixed) }) end
   for d = 1, y:dim() do sizes[d] = sizes[d] or c:ints { fixed[d] } end
   return c:op('Expand', { x, c:op('Concat', sizes, { axis = 0 }) })
end
for _, name in ipairs { 'expand', 'expandAs' } do
   known[name] = function(w, _, y, list) return M.expand(w, source(w, list), y) end
end

known.repeatTensor = function(w, calls, y, list)
   local x, times = source(w, list), {}
   for d = 1, y:dim() do times[d] = number(w, calls, d) end
   if type(times[1]) ~= 'number' then w.c:refuse 'it repeats by a storage of sizes, which has no rule' end
   local name, lead = x.name, {}
   for d = 1, y:dim() - x:dim() do lead[d] = d - 1 end
   if #lead > 0 then name = w.c:unsqueeze(name, lead) end
   return w.c:op('Tile', { name, w.c:ints(times) })
end

known['torch.cat'] = function(w, calls, _, _)
   local d, parts = calls[1][2], {}
   for k in ipairs(calls[1][1]) do
      local entries = {}
      for i, call in ipairs(calls) do entries[i] = call[1][k] end
      local v = w:either(entries)
      parts[k] = v
   end
   return w.c:op('Concat', parts, { axis = d - 1 })
end

return M
