-- nn/distance/Kmeans.lua - online k-means: centroids move towards their nearest samples.
local torch = require 'torch'

--- The output is the number of the nearest centroid for each row of the input. accGradParameters
-- moves the centroids (the rows of weight) by `scale`. self.loss is the sum of squared distances.
-- There is no gradient by the input.
-- @param k,dim  how many centroids, of how many numbers
-- @param scale  of the gradient of the centroids, default 1
-- nn.Kmeans(3, 2):forward(torch.ones(6, 2)):nElement() --> 6
local Kmeans, Module = torch.class('nn.Kmeans', 'nn.Module')
Kmeans.__arguments = 'k:count dim:count scale:number?'


function Kmeans:__init(k, dim, scale)
   Module.__init(self)
   if type(k) ~= 'number' or k < 1 or type(dim) ~= 'number' or dim < 1 then
      error(('nn.Kmeans: expected numbers of centroids and dimensions, got %s and %s'):format(tostring(k), tostring(dim)), 3)
   end
   self.k, self.dim = k, dim
   self.scale = scale or 1
   self:parameter('weight', k, dim)
   self:reset()
end

--- Centroids from a normal distribution with deviation stdv (default 1).
function Kmeans:reset(stdv) self.weight:normal(0, stdv or 1) end

local function rows(self, input)
   local dim = torch.isTensor(input) and input:dim()
   if (dim ~= 1 and dim ~= 2) or input:size(dim) ~= self.dim then
      self:refuse('input', ('be a matrix with %d columns or a vector of %d'):format(self.dim, self.dim), input)
   end
   return dim == 2 and input or input:contiguous():view(1, -1)
end

-- Squared distances, samples x centroids.
local function distances(self, x)
   local n = x:size(1)
   local d = x:contiguous():view(n, 1, self.dim):expand(n, self.k, self.dim):clone()
   d:add(-1, self.weight:view(1, self.k, self.dim):expand(n, self.k, self.dim))
   return d:cmul(d):sum(3):select(3, 1)
end

--- Sets the centroids to samples that are drawn at random.
function Kmeans:initRandom(input)
   local x = rows(self, input)
   if x:size(1) < self.k then self:refuse('input', ('have at least %d rows'):format(self.k), input) end
   local order = torch.randperm(x:size(1))
   for c = 1, self.k do self.weight[c]:copy(x[order[c]]) end
end

--- Sets the centroids to samples far from each other. Arthur and Vassilvitskii, "k-means++" (2007).
-- @param p  the share of the samples to examine, default 1
function Kmeans:initKmeansPlus(input, p)
   local x = rows(self, input)
   local n = math.max(self.k, math.floor(tonumber(x:size(1)) * (p or 1)))
   if x:size(1) < n then self:refuse('input', ('have at least %d rows'):format(self.k), input) end
   local order = torch.randperm(x:size(1))
   self.weight[1]:copy(x[order[1]])
   for c = 2, self.k do
      local nearest, total = {}, 0
      for i = 1, n do
         local best = math.huge
         for j = 1, c - 1 do best = math.min(best, self.weight[j]:dist(x[order[i]]) ^ 2) end
         nearest[i], total = best, total + best
      end
      local at, drawn = 1, torch.uniform(0, total)
      while at < n and drawn >= nearest[at] do
         drawn = drawn - nearest[at]
         at = at + 1
      end
      self.weight[c]:copy(x[order[at]])
   end
end

function Kmeans:updateOutput(input)
   local x = rows(self, input)
   local nearest, at = distances(self, x):min(2)
   self.loss = nearest:sum()
   self.output:resize(x:size(1)):copy(at)
   return self.output
end

function Kmeans:updateGradInput(input)
   return self.gradInput:resizeAs(input):zero()
end

-- The step of a centroid is the mean of its samples minus the centroid.
function Kmeans:accGradParameters(input, _, scale)
   self:needType(input)
   local x = rows(self, input)
   scale = (scale or 1) * self.scale
   local count, sum = {}, {}
   for i = 1, x:size(1) do
      local c = self.output[i]
      count[c] = (count[c] or 0) + 1
      sum[c] = (sum[c] or x.new(self.dim):zero()):add(x[i])
   end
   for c, n in pairs(count) do
      self.gradWeight[c]:add(scale, self.weight[c]):add(-scale / n, sum[c])
   end
end

function Kmeans:clearState()
   self.loss = nil
   return Module.clearState(self)
end

return Kmeans
