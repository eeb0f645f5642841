-- torch.near - finds the names that a misspelt one may mean: "did you mean".
local complete = require 'torch.complete'
local packages = require 'torch.packages'

local M = {}

local MOST = 3                              -- names in a hint

-- Names of NumPy and PyTorch, and what has their place here.
local elsewhere = {
   arange = 'torch.range(first, last)', randint = 'x:random(first, last)', matmul = 'torch.mm, torch.bmm, or a * b',
   concatenate = 'torch.cat', concat = 'torch.cat', stack = 'torch.cat of views with one more dimension',
   astype = "x:type 'torch.FloatTensor'", dtype = 'x:type()', ndim = 'x:dim()', unsqueeze = 'x:view with one more size',
   detach = 'x:clone()', to = 'x:float() or x:cuda()', cpu = 'x:float() or x:double()', numpy = 'x:totable()',
   tolist = 'x:totable()', flatten = 'x:view(-1)', empty = 'torch.Tensor(sizes...)', array = 'torch.Tensor{...}',
   relu = 'nn.ReLU()', parameters_count = 'x:getParameters()', state_dict = 'm:parameters()', eval = 'm:evaluate()',
   train = 'm:training()', zero_grad = 'm:zeroGradParameters()', Conv2d = 'nn.SpatialConvolution',
   MaxPool2d = 'nn.SpatialMaxPooling', BatchNorm2d = 'nn.SpatialBatchNormalization', BatchNorm1d = 'nn.BatchNormalization',
   Embedding = 'nn.LookupTable', CrossEntropyLoss = 'nn.CrossEntropyCriterion', MSELoss = 'nn.MSECriterion',
   NLLLoss = 'nn.ClassNLLCriterion', Flatten = 'nn.View(-1):setNumInputDims(3)', permute_dims = 'x:permute',
   manual_seed = 'torch.manualSeed', argmax = 'x:max(dim), whose second result has the positions',
   argmin = 'x:min(dim), whose second result has the positions', multiply = 'torch.cmul', divide = 'torch.cdiv',
   where = 'x[mask], maskedSelect or maskedFill', len = '#x, or x:nElement()', append = "table.insert(t, v)", add_ = 'x:add',
   mul_ = 'x:mul', zero_ = 'x:zero()', fill_ = 'x:fill', copy_ = 'x:copy', repeat_ = 'x:repeatTensor',
}

--- How many letters must be changed, added, left out or exchanged with their neighbour to make b from a.
function M.distance(a, b)
   local before, row, after = {}, {}, {}
   for j = 0, #b do row[j] = j end
   for i = 1, #a do
      after[0] = i
      for j = 1, #b do
         local change = row[j - 1] + (a:byte(i) == b:byte(j) and 0 or 1)
         local d = math.min(change, row[j] + 1, after[j - 1] + 1)
         local exchanged = i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j)
         if exchanged then d = math.min(d, before[j - 2] + 1) end
         after[j] = d
      end
      before, row, after = row, after, before
   end
   return row[#b]
end

--- The most changes that still count as a slip of the keyboard.
function M.tolerance(name) return #name < 3 and 0 or #name < 6 and 1 or 2 end

--- The nearest of the names (a set), at most three, the nearest first.
function M.of(name, names)
   local most, found = M.tolerance(name), {}
   local small = name:lower()
   for other in pairs(names) do
      if type(other) == 'string' and other ~= name and math.abs(#other - #name) <= math.max(most, 1) then
         local d = M.distance(small, other:lower())
         if d <= most then found[#found + 1] = { other, d } end
      end
   end
   table.sort(found, function(a, b)
      if a[2] ~= b[2] then return a[2] < b[2] end
      return a[1] < b[1]
   end)
   local list = {}
   for i, it in ipairs(found) do
      if i > MOST or it[2] > found[1][2] then break end
      list[i] = it[1]
   end
   return list
end

--- The names of an object's fields and methods that are near: a list.
-- @param only  'function': methods only
function M.fields(object, name, only)
   local list = {}
   for _, other in ipairs(M.of(name, complete.names_of(object))) do
      if only ~= 'function' or type(complete.field(object, other)) == 'function' then list[#list + 1] = other end
   end
   return list
end

--- The names of globals that are near, the program's before those that th offers.
function M.globals(name)
   local names = {}
   for k in next, _G do if type(k) == 'string' then names[k] = true end end
   for _, package_name in ipairs(packages.names) do names[package_name] = true end
   return M.of(name, names)
end

--- What has the place of a name of NumPy or PyTorch here, or nil.
function M.elsewhere(name) return rawget(elsewhere, name) end

--- 'did you mean torch.ones?', 'did you mean x:sum or x:cumsum?', or nil without names. `front`: 'torch.', 'x:'.
function M.question(front, list)
   if #list == 0 then return nil end
   local words = {}
   for i, name in ipairs(list) do words[i] = front .. name end
   local last = table.remove(words)
   return ('did you mean %s?'):format(#words == 0 and last or table.concat(words, ', ') .. ' or ' .. last)
end

return M
