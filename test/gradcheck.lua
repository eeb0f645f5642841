-- test/gradcheck.lua - compares gradients with central differences, for modules and criterions, in double.
local torch = require 'torch'
local nn = require 'nn'

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

-- Largest error of `analytic` against the differences of f() while the elements of `x` move, relative to the largest
-- derivative. Only floating point tensors move.
local function compare(x, analytic, f)
   local worst, scale = 0, 1e-3
   local function one(t, g)
      local flat = t:storage()
      local sizes, n = t:size():totable(), t:nElement()
      local gflat = g:contiguous():view(-1)
      for k = 1, n do
         local rest, at = k - 1, t:storageOffset()
         for d = #sizes, 1, -1 do
            at = at + (rest % sizes[d]) * t:stride(d)
            rest = math.floor(rest / sizes[d])
         end
         local kept = flat[at]
         flat[at] = kept + H
         local up = f()
         flat[at] = kept - H
         local down = f()
         flat[at] = kept
         local numeric = (up - down) / (2 * H)
         worst = math.max(worst, math.abs(numeric - gflat[k]))
         scale = math.max(scale, math.abs(numeric), math.abs(gflat[k]))
      end
   end
   local function walk(a, g)
      if torch.isTensor(a) then
         if a:type() == 'torch.DoubleTensor' then one(a, g) end
      elseif type(a) == 'table' then
         for k = 1, #a do walk(a[k], g[k]) end
      end
   end
   walk(x, analytic)
   return worst / scale
end

--- The largest relative errors of gradInput and of the gradients of the parameters.
-- @param seed  given to torch.manualSeed before each forward, for modules that draw numbers
function gradcheck.module(module, input, seed)
   local function forward()
      torch.manualSeed(seed or 7)
      return module:forward(input)
   end
   torch.manualSeed(3)
   local r = direction(copy(forward()))
   local function f() return dot(forward(), r) end
   module:zeroGradParameters()
   local given = copy(input)
   forward()
   local gradInput = copy(module:backward(input, copy(r)))
   local parameters, grads = module:parameters()
   parameters, grads = parameters or {}, copy(grads or {})
   local byInput = compare(input, gradInput, f)
   local byParameters = compare(parameters, grads, f)
   assert(dot(given, given) == dot(input, input), 'the input was changed')
   return byInput, byParameters
end

--- The largest relative error of a criterion's gradient.
function gradcheck.criterion(criterion, input, target)
   criterion:forward(input, target)
   local g = copy(criterion:backward(input, target))
   return compare(input, g, function() return criterion:forward(input, target) end)
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

--- The same numbers with other strides: the last dimension is the slowest, and there are gaps.
function gradcheck.strided(x)
   if type(x) == 'table' then
      local y = {}
      for k, v in pairs(x) do y[k] = gradcheck.strided(v) end
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

gradcheck.each, gradcheck.copy, gradcheck.dot = each, copy, dot

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
