-- lua/onnx/export/attention.lua - the rule for attention of several heads, by products, masks and softmax.
local torch = require 'torch'
local rules = require 'onnx.export.rules'
local Value = require 'onnx.export.value'

local HIDDEN = -1e30                        -- the score of a hidden step, as in nn

-- A part of the projections of x: samples x heads x steps x features of a head.
local function heads(c, m, x, which, steps_first)
   local function part(field, change)
      return c:weight(m, field, 'part' .. which, function(t)
         return change(t:narrow(1, (which - 1) * m.size + 1, m.size)):contiguous()
      end, field .. which)
   end
   local y = c:op('MatMul', { x, part('weight', torch.t) })
   if m.bias then y = c:op('Add', { y, part('bias', function(b) return b end) }) end
   y = c:reshape_to(y, { 0, 0, m.heads, m.size / m.heads })
   return c:transpose(y, steps_first or { 0, 2, 1, 3 })
end

-- What is added to the scores, for steps that come later: queries x keys.
local function causal(c, queries, keys)
   local mask = torch.DoubleTensor(queries, keys):zero()
   for i = 1, queries do
      for k = i + keys - queries + 1, keys do mask[i][k] = 1 end
   end
   return c:constant(mask:mul(c.float == 'float16' and -6e4 or HIDDEN), 'causal')
end

-- A tensor of bool, samples x 1 x 1 x keys: which steps are padding.
local function hidden_steps(c, hint, keys, samples_first)
   local mask
   if hint.type == 'int64' then
      local numbers = {}
      for k = 1, keys do numbers[k] = k end
      mask = c:op('Greater', { c:ints(numbers), c:unsqueeze(hint, { 1 }) })
   else
      mask = c:cast(hint, 'bool')
      if hint:dim() == 1 then mask = c:unsqueeze(mask, { 0 }) end
   end
   return c:unsqueeze(mask, samples_first or { 1, 2 })
end

rules.leaf('nn.MultiHeadAttention', function(c, m, x)
   local list = Value.is(x) and { x } or x
   local n, hint = #list, nil
   if n > 1 and (list[n].type == 'int64' or list[n].type == 'uint8') then n, hint = n - 1, list[n] end
   local query, key = list[1], list[math.min(n, 2)]
   local dim = query:dim()
   local queries, keys = query.sizes[dim - 1], key.sizes[dim - 1]
   if hint or m.causal then
      c:fixed(query, dim - 1)
      c:fixed(key, dim - 1)
   end
   local names = {}
   for i = 1, 3 do
      local value = list[math.min(i, n)]
      names[i] = dim == 3 and value.name or c:unsqueeze(value, { 0 })
   end
   local q = c:op('Mul', { heads(c, m, names[1], 1), c:number(1 / math.sqrt(m.size / m.heads)) })
   local scores = c:op('MatMul', { q, heads(c, m, names[2], 2, { 0, 2, 3, 1 }) })
   if m.causal and queries > 1 then scores = c:op('Add', { scores, causal(c, queries, keys) }) end
   local mask = hint and hidden_steps(c, hint, keys)
   if mask then scores = c:op('Where', { mask, c:number(c.float == 'float16' and -6e4 or HIDDEN), scores }) end
   local weights = c:op('Softmax', { scores }, { axis = -1 })
   if mask then weights = c:op('Where', { mask, c:number(0), weights }) end      -- of a query that sees no step
   local mixed = c:transpose(c:op('MatMul', { weights, heads(c, m, names[3], 3) }), { 0, 2, 1, 3 })
   local w = c:weight(m, 'outWeight', 'turned', function(t) return t:t():contiguous() end)
   local y = c:op('MatMul', { c:reshape_to(mixed, { 0, 0, m.size }), w })
   if m.outBias then y = c:op('Add', { y, c:weight(m, 'outBias') }) end
   return dim == 3 and y or c:squeeze(y, { 0 })
end)
