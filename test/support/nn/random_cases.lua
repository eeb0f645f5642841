-- test/support/nn/random_cases.lua - cases of modules and criterions whose shapes are drawn: the words in which they are written.
--
-- A case is a constructor and one or more forms of its input, all Lua expressions: 'nn.Linear(I, O)' with the forms '{I}' and
-- '{B, I}'. A name is a number that is drawn once per try, so it has the same value in the constructor and in the forms:
--   B 1..3 samples; C F I O 1..4 planes or features; N M 1..6; K 2..5; S 1..5 a sequence; T H W 5..7 an image or volume;
--   h e i j 1..3; u v real numbers of 0.1..0.9; yes true or false
--   kW dW aW pW jW (and so for T and H) a kernel 1..3, a stride 1..2, a dilation 1..2, a padding 0..kW/2, an adjustment 0..dW-1
--   L falling lengths of B sequences of up to S, total their sum, sizes how many of them each step has
-- In a form, {3, 4} is a DoubleTensor of these sizes, {{3}, {4}} a table of two, and words make what is no such tensor:
--   classes(n, sizes) whole numbers of 1..n, signs(sizes) of -1 and 1, unit(sizes) of 0.1..0.9, padding(B, K) a mask,
--   sparse(size, n) n rows of an index and a value, labels(B, n) a table of labels of 1..n for each sample, clusters(h, e) the
--   places of h * e classes in h clusters; given(x) is x itself
local torch = require 'torch'
local nn = require 'nn'
require 'nn.recurrent'
local check = require 'test.support.gradcheck'

local drawn = {}

--- A gradient of ones for what a module gave.
function drawn.ones(y)
   if torch.isTensor(y) then return y.new(y:size()):fill(1) end
   if type(y) ~= 'table' then return 1 end
   local g = {}
   for k = 1, #y do g[k] = drawn.ones(y[k]) end
   return g
end

local RANGES = {
   B = {1, 3}, C = {1, 4}, F = {1, 4}, I = {1, 4}, O = {1, 4}, N = {1, 6}, M = {1, 6}, K = {2, 5}, S = {1, 5}, T = {5, 7},
   H = {5, 7}, W = {5, 7}, h = {1, 3}, e = {1, 3}, i = {1, 3}, j = {1, 3},
}

-- A number of [0, 1) that depends on nothing but the seed and the name.
local function hash(seed, name)
   local h = seed * 7919 + 17
   for k = 1, #name do h = (h * 31 + name:byte(k)) % 2 ^ 31 end
   for _ = 1, 4 do h = (h * 48271 + 11) % 2147483647 end
   return h / 2147483647
end

local function long(sizes, f)
   local t = torch.LongTensor():resize(torch.LongStorage(sizes))
   local flat = t:view(-1)
   for k = 1, flat:size(1) do flat[k] = f() end
   return t
end

local words = {}                                     -- word -> a function of the environment that makes its meaning
function words.classes() return function(n, sizes) return long(sizes, function() return torch.random(n) end) end end
function words.signs()
   return function(sizes) return long(sizes, function() return 2 * torch.random(0, 1) - 1 end):double() end
end
function words.unit() return function(sizes) return check.tensor(sizes, 0.1, 0.9) end end
function words.long() return function(...) return torch.LongTensor{...} end end
function words.sparse()
   return function(size, n)                          -- n rows (index, value), the indices of 1..size
      local pairs = torch.DoubleTensor(n, 2)
      pairs:narrow(2, 1, 1):copy(long({n, 1}, function() return torch.random(size) end))
      pairs:narrow(2, 2, 1):copy(check.tensor{n, 1})
      return pairs
   end
end
function words.labels()
   return function(samples, n)                       -- up to 2 labels of 1..n for each sample
      local list = {}
      for b = 1, samples do
         list[b] = {}
         for k = 1, torch.random(0, 2) do list[b][k] = torch.random(n) end
      end
      return list
   end
end
function words.given() return function(x) return {given = x} end end
function words.clusters()
   return function(count, each)                      -- each class its {cluster, number}
      local pairs = {}
      for k = 0, count * each - 1 do pairs[k + 1] = {k % count + 1, math.floor(k / count) + 1} end
      return pairs
   end
end
function words.padding()
   return function(rows, columns)                    -- the last of each row is padding
      local mask = torch.ByteTensor(rows, columns):zero()
      mask:select(2, columns):fill(1)
      return mask
   end
end
function words.L(env)
   local lengths, longest = {}, env.S
   for k = 1, env.B do lengths[k] = k == 1 and longest or 1 + math.floor(hash(env.seed, 'L' .. k) * longest) end
   table.sort(lengths, function(a, b) return a > b end)
   return torch.LongTensor(lengths)
end
function words.sizes(env)
   local sizes = {}
   for t = 1, env.S do sizes[t] = env.L:ge(t):sum() end
   return torch.LongTensor(sizes)
end
function words.total(env) return tonumber(env.L:sum()) end
function words.yes(env) return hash(env.seed, 'yes') < 0.5 end
function words.u(env) return 0.1 + 0.8 * hash(env.seed, 'u') end
function words.v(env) return 0.1 + 0.8 * hash(env.seed, 'v') end

local function number(env, name)
   local range = RANGES[name]
   local kind, which = name:match '^([kdapj])([THW])$'
   if kind == 'k' then range = {1, 3} end
   if kind == 'd' or kind == 'a' then range = {1, 2} end
   if kind == 'p' then range = {0, math.floor(env['k' .. which] / 2)} end
   if kind == 'j' then range = {0, env['d' .. which] - 1} end
   return range and range[1] + math.floor(hash(env.seed, name) * (range[2] - range[1] + 1))
end

-- The words of one try; `from` stands for nn.
local function environment(seed, from)
   return setmetatable({seed = seed, nn = from or nn, torch = torch, math = math}, {__index = function(env, name)
      local value
      if words[name] then value = words[name](env) else value = number(env, name) end
      if value == nil then error(('there is no word "%s"'):format(name), 2) end
      rawset(env, name, value)
      return value
   end})
end

local function tensors(x, case)
   if type(x) ~= 'table' or torch.typename(x) then return x end
   if x.given then return x.given end
   if type(x[1]) == 'number' then return check.tensor(x, case.lo, case.hi) end
   local t = {}
   for i, v in ipairs(x) do t[i] = tensors(v, case) end
   return t
end

local function compiled(text)
   local chunk, why = loadstring('return ' .. text, text)
   return assert(chunk, why)
end

--- Collects cases: add(list) returns a function add 'nn.X(I)' {'{I}', '{B, I}', option = value, ...}.
-- Options: name (the class, where the constructor does not begin with it), lo, hi (range of the input), tol, and what the
-- specs make of the rest.
function drawn.add(list)
   return function(new)
      return function(case)
         case.new, case.name = new, case.name or new:match 'nn%.(%w+)'
         list[#list + 1] = case
      end
   end
end

--- The module or criterion of a case with the shapes of a seed, and a list of inputs, one for each form; a form of two
-- values is {input, target, n = 2}.
function drawn.make(case, seed, from)
   local env = environment(seed or 1, from)
   case.makes = case.makes or compiled(case.new)
   torch.manualSeed(5 + (seed or 1))
   local m = setfenv(case.makes, env)()
   local inputs = {}
   case.forms = case.forms or {}
   for k = 1, #case do
      case.forms[k] = case.forms[k] or compiled('{' .. case[k] .. '}')
      local values = setfenv(case.forms[k], env)()
      for i = 1, #values do values[i] = tensors(values[i], case) end
      inputs[k] = values
   end
   return m, inputs
end

--- The names of the classes which have a case.
function drawn.named(list)
   local names = {}
   for _, case in ipairs(list) do names[case.name] = true end
   return names
end

return drawn
