-- test/support/gradcheck.lua - compares gradients with central differences, for modules and criterions, in double.
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'

local gradcheck = {}

local H = 1e-5                                       -- the step of the differences

-- f(tensor) for each tensor of a nested table.
local function each(x, f)
   if torch.isTensor(x) then
      f(x)
   elseif type(x) == 'table' then
      for k = 1, #x do each(x[k], f) end
   end
end

local function copy(x)
   if torch.isTensor(x) then return x:clone() end
   if type(x) ~= 'table' then return x end
   local y = {}
   for k, v in pairs(x) do y[k] = copy(v) end
   return y
end

-- The sum of products of two nested tables of tensors.
local function dot(a, b)
   if torch.isTensor(a) then
      if a:nElement() == 0 then return 0 end
      return a:contiguous():view(-1):dot(b:contiguous():view(-1))
   end
   if type(a) == 'number' then return a * b end
   local sum = 0
   for k = 1, #a do sum = sum + dot(a[k], b[k]) end
   return sum
end

-- Like x, with numbers of [-1, 1] that stay the same from run to run.
local function direction(x)
   if torch.isTensor(x) then return x.new(x:size()):uniform(-1, 1) end
   if type(x) == 'number' then return torch.uniform(-1, 1) end
   local y = {}
   for k = 1, #x do y[k] = direction(x[k]) end
   return y
end

-- The position in its storage of element k (from 0) of a tensor in the order of its indices.
local function place(t, sizes, k)
   local at = t:storageOffset()
   for d = #sizes, 1, -1 do
      at = at + (k % sizes[d]) * t:stride(d)
      k = math.floor(k / sizes[d])
   end
   return at
end

-- Largest error of each of `analytics` against the differences of f() while the elements of `x` move, relative to the
-- largest derivative. Only floating point tensors move. Of a tensor with more than `most` elements that many move one by
-- one, evenly spread, and then all of them together in one direction.
local function compare(x, analytics, f, most)
   local worst, scale = 0, 1e-3
   local function slope(step)
      step(1)
      local up = f()
      step(-2)
      local down = f()
      step(1)
      return (up - down) / (2 * H)
   end
   local function met(numeric, gradients)
      for i = 1, #gradients do
         local off = math.abs(numeric - gradients[i])
         if off ~= off then
            worst = math.huge
         else
            worst, scale = math.max(worst, off), math.max(scale, math.abs(numeric), math.abs(gradients[i]))
         end
      end
   end
   local function one(t, gs)
      local flat, sizes, n = t:storage(), t:size():totable(), t:nElement()
      local flats = {}
      for i, g in ipairs(gs) do
         assert(torch.isTensor(g) and g:isSameSizeAs(t), 'a gradient has another shape than what it belongs to')
         flats[i] = g:contiguous():view(-1)
      end
      local stride = math.ceil(n / (most or n))
      for k = 0, n - 1, math.max(stride, 1) do
         local at = place(t, sizes, k)
         local kept = flat[at]
         local now = kept
         local numeric = slope(function(by)
            now = now + by * H
            flat[at] = now
         end)
         flat[at] = kept
         local at_k = {}
         for i = 1, #flats do at_k[i] = flats[i][k + 1] end
         met(numeric, at_k)
      end
      if stride > 1 then
         local kept, way = t:clone(), direction(t)
         way:div(way:norm())
         local along = {}
         for i = 1, #flats do along[i] = flats[i]:dot(way:view(-1)) end
         met(slope(function(by) t:add(by * H, way) end), along)
         t:copy(kept)
      end
   end
   local function walk(a, gs)
      if torch.isTensor(a) then
         if a:type() == 'torch.DoubleTensor' then one(a, gs) end
      elseif type(a) == 'table' then
         for k = 1, #a do
            local inner = {}
            for i = 1, #gs do inner[i] = gs[i][k] end
            walk(a[k], inner)
         end
      end
   end
   walk(x, analytics)
   return worst / scale
end

-- The same numbers with other strides: the last dimension is the slowest, and there are gaps.
local function strided(x)
   if type(x) == 'table' then
      local y = {}
      for k, v in pairs(x) do y[k] = strided(v) end
      return y
   end
   if not torch.isTensor(x) or x:dim() == 0 then return x end
   local n = x:dim()
   local sizes = {}
   for d = 1, n do sizes[d] = x:size(n + 1 - d) end
   sizes[n + 1] = 2
   local big = x.new():resize(torch.LongStorage(sizes)):fill(77):select(n + 1, 1)
   for d = 1, math.floor(n / 2) do big = big:transpose(d, n + 1 - d) end
   return big:copy(x)
end

local OPTIONS = {seed = 7}

--- The largest relative errors of gradInput and of the gradients of the parameters.
-- @param options  seed: given to torch.manualSeed before each forward, for modules that draw numbers;
--   most: how many elements of a tensor move one by one (default all);
--   still: true leaves the input out, the parameters alone are checked;
--   strided: true checks the gradients that come from a strided input and gradOutput as well, and that output
function gradcheck.module(module, input, options)
   options = options or OPTIONS
   local function forward(x)
      torch.manualSeed(options.seed or 7)
      return module:forward(x or input)
   end
   torch.manualSeed(3)
   local r = direction(copy(forward()))
   local function f() return dot(forward(), r) end
   local given = copy(input)
   local byInput, byParameters = {}, {}
   local function pass(x, gradOutput)
      module:zeroGradParameters()
      local y = dot(forward(x), r)
      byInput[#byInput + 1] = copy(module:backward(x, gradOutput))
      local _, grads = module:parameters()
      byParameters[#byParameters + 1] = copy(grads or {})
      return y
   end
   local y = pass(input, copy(r))
   if options.strided then
      local off = math.abs(pass(strided(input), strided(r)) - y)
      assert(off <= 1e-10 * (1 + math.abs(y)), ('the output of a strided input is off by %g'):format(off))
   end
   local worstByInput = options.still and 0 or compare(input, byInput, f, options.most)
   local worstByParameters = compare(module:parameters() or {}, byParameters, f, options.most)
   assert(dot(given, given) == dot(input, input), 'the input was changed')
   return worstByInput, worstByParameters
end

--- The largest relative error of a criterion's gradients, by its parameters too if it has any; options: most, strided.
function gradcheck.criterion(criterion, input, target, options)
   options = options or OPTIONS
   local function f() return (criterion:forward(input, target)) end
   local y = f()
   local gradients, ofParameters, parameters = {}, {}, nil
   local function pass(x, t)
      if criterion.parameters then criterion:zeroGradParameters() end
      gradients[#gradients + 1] = copy(criterion:backward(x, t))
      if not criterion.parameters then return end
      local grads
      parameters, grads = criterion:parameters()
      ofParameters[#gradients] = copy(grads)
   end
   pass(input, target)
   if options.strided then
      local x, t = strided(input), strided(target)
      local off = math.abs(criterion:forward(x, t) - y)
      assert(off <= 1e-10 * (1 + math.abs(y)), ('the loss of a strided input is off by %g'):format(off))
      pass(x, t)
   end
   return math.max(compare(input, gradients, f, options.most), compare(parameters or {}, ofParameters, f, options.most))
end

--- A tensor of these sizes: numbers of [lo, hi] (default -1, 1), no two nearer than the step of the differences.
function gradcheck.tensor(sizes, lo, hi)
   lo, hi = lo or -1, hi or 1
   local x = torch.DoubleTensor(torch.LongStorage(sizes))
   local n = x:nElement()
   local order = torch.randperm(n)
   x:view(-1):copy(order):add(-0.5):mul((hi - lo) / n):add(lo + torch.uniform(0.02, 0.3) / n)
   return x
end

gradcheck.each, gradcheck.copy, gradcheck.dot, gradcheck.strided = each, copy, dot, strided

--- The names of all modules or criterions of the package nn: those which derive from `base`.
function gradcheck.classes(base)
   local names = {}
   for name, constructor in pairs(nn) do
      local class = type(constructor) == 'table' and torch.getmetatable('nn.' .. name)
      local up = class
      while up and up ~= torch.getmetatable(base) do up = getmetatable(up) end
      if class and up then names[#names + 1] = name end
   end
   table.sort(names)
   return names
end

return gradcheck
