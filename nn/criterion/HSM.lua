-- nn/criterion/HSM.lua - hierarchical softmax: first the cluster of a class, then the class among those of its cluster.
local torch = require 'torch'
local nn = require 'nn'
local describe = require 'torch.arg'.describe
local utils = require 'nn.utils'

--- A criterion with parameters, for many classes, which lie in clusters. The probability of a class
-- is that of its cluster, times that of the class among those of its cluster. Both are softmaxes of
-- linear maps of the input. A step computes the scores of all clusters, and those of the classes in
-- the clusters of its targets only. Goodman, "Classes for fast maximum entropy training" (2001). As
-- fbnn's.
--
-- forward(input, target) gives the sum of -log p over the samples (a number; not the mean) and how many samples count. input is
-- samples x inputSize, or a vector; target the numbers of classes. backward(input, target, [scale]) gives the gradient by the
-- input and adds those of the parameters; updateGradInput and accGradParameters are its parts. parameters, getParameters,
-- zeroGradParameters, updateParameters and accUpdateGradParameters are those of modules. The last changes the clusters of the
-- targets only; zeroGradParameters writes to all.
-- @param mapping    for each class {cluster, number in the cluster}, both from 1: a table of pairs or a tensor of classes x 2
-- @param inputSize  features of the input
-- @param unkIndex   a class whose samples do not count
-- (nn.HSM({{1, 1}, {1, 2}, {2, 1}}, 4):forward(torch.zeros(2, 4), torch.LongTensor{3, 1})) < 10 --> true
local HSM, Criterion = torch.class('nn.HSM', 'nn.Criterion')
HSM.__arguments = 'mapping inputSize:count unkIndex:count?'
HSM.results = 2                                      -- of forward

local function refuse(text, ...) error(('nn.HSM: ' .. text):format(...), 3) end

-- The mapping as a LongTensor, and how many classes each cluster has.
local function read_mapping(mapping)
   local wish = 'mapping must be a table of pairs {cluster, number}, or a tensor of classes x 2, got %s'
   if type(mapping) == 'table' then
      for i, pair in ipairs(mapping) do
         if type(pair) ~= 'table' or #pair ~= 2 or type(pair[1]) ~= 'number' or type(pair[2]) ~= 'number' then
            error(('nn.HSM: mapping[%d] must be a pair {cluster, number}, got %s'):format(i, describe(pair)), 3)
         end
      end
      if #mapping == 0 then refuse(wish, describe(mapping)) end
      mapping = torch.DoubleTensor(mapping)
   end
   if not torch.isTensor(mapping) or mapping:dim() ~= 2 or mapping:size(2) ~= 2 then
      refuse(wish, torch.isTensor(mapping) and utils.shape(mapping) or describe(mapping))
   end
   local n, long = tonumber(mapping:size(1)), mapping:long()
   if not torch.eq(long:double(), mapping:double()):all() or long:min() < 1 or long:max() > n then
      refuse('mapping must hold whole numbers of 1..%d', n)
   end
   local count, seen = {}, {}
   for i, pair in ipairs(long:totable()) do
      local key = pair[1] * (n + 1) + pair[2]
      if seen[key] then
         refuse('mapping must name each place once, got {%d, %d} for classes %d and %d', pair[1], pair[2], seen[key], i)
      end
      seen[key] = i
      count[pair[1]] = (count[pair[1]] or 0) + 1
   end
   for cluster = 1, long:select(2, 1):max() do
      if not count[cluster] then refuse('mapping must give cluster %d a class', cluster) end
      for k = 1, count[cluster] do
         if not seen[cluster * (n + 1) + k] then
            refuse('mapping must number the %d classes of cluster %d from 1, got none with %d', count[cluster], cluster, k)
         end
      end
   end
   return long, count
end

function HSM:__init(mapping, inputSize, unkIndex)
   Criterion.__init(self)
   self.mapping, self.n_class_in_cluster = read_mapping(mapping)
   self.n_class, self.n_clusters, self.input_size = tonumber(self.mapping:size(1)), #self.n_class_in_cluster, inputSize
   if unkIndex and unkIndex > self.n_class then refuse('unkIndex must lie in 1..%d, got %s', self.n_class, tostring(unkIndex)) end
   self.unk_index = unkIndex or 0
   self.first = {}                                   -- the row of class_weight before those of a cluster
   local row = 0
   for cluster, n in ipairs(self.n_class_in_cluster) do self.first[cluster], row = row, row + n end
   self.cluster_weight, self.cluster_bias = torch.Tensor(self.n_clusters, inputSize), torch.Tensor(self.n_clusters)
   self.class_weight, self.class_bias = torch.Tensor(self.n_class, inputSize), torch.Tensor(self.n_class)
   for _, name in ipairs { 'cluster_weight', 'cluster_bias', 'class_weight', 'class_bias' } do
      self['grad_' .. name] = self[name].new(self[name]:size()):zero()
   end
   self:reset()
end

--- Draws the parameters from a uniform distribution: of width stdv * sqrt(3), or 1 / sqrt(inputSize) without stdv.
function HSM:reset(stdv)
   stdv = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.input_size)
   for _, p in ipairs((self:parameters())) do p:uniform(-stdv, stdv) end
   return self
end

--- Two tables: the weights and biases of clusters and classes, and their gradients.
function HSM:parameters()
   return { self.cluster_weight, self.cluster_bias, self.class_weight, self.class_bias },
      { self.grad_cluster_weight, self.grad_cluster_bias, self.grad_class_weight, self.grad_class_bias }
end

for _, name in ipairs { 'getParameters', 'zeroGradParameters', 'updateParameters' } do HSM[name] = nn.Module[name] end

function HSM:type(kind, cache)
   local mapping = self.mapping
   self.mapping = nil
   local result = Criterion.type(self, kind, cache)
   self.mapping = mapping                            -- stays a LongTensor
   return result
end

-- ---- samples ordered by cluster ----------------------------------------------------------------------

local function rows_of(self, input)
   local n = torch.isTensor(input) and input:dim()
   if (n ~= 1 and n ~= 2) or input:size(n) ~= self.input_size then
      self:refuse('input', ('be a vector of %d elements, or samples x %d'):format(self.input_size, self.input_size), input)
   end
   return n == 2 and input or torch.unsqueeze(input, 1)
end

local function classes_of(self, target, samples)
   local classes = self:classNumbers(target, '_target')
   if classes:nElement() ~= samples or classes:dim() ~= 1 then
      self:refuse('target', ('be a class for each of %d samples'):format(samples), target)
   end
   local list = classes:totable()
   for i = 1, samples do
      if list[i] < 1 or list[i] > self.n_class then
         self:refuse('target', ('lie in 1..%d'):format(self.n_class), ('%d (sample %d)'):format(list[i], i))
      end
   end
   return classes, list
end

-- The samples that count, sorted by cluster: groups of {cluster, first, count}; order holds the sample at each position,
-- cluster and number its class.
local function arrange(self, classes, list)
   local pairs_of, members, clusters = self.mapping:index(1, classes):totable(), {}, {}
   for i = 1, #list do
      if list[i] ~= self.unk_index then
         local c = pairs_of[i][1]
         if not members[c] then
            members[c] = {}
            clusters[#clusters + 1] = c
         end
         table.insert(members[c], i)
      end
   end
   table.sort(clusters)
   local order, cluster, number, groups = {}, {}, {}, {}
   for _, c in ipairs(clusters) do
      groups[#groups + 1] = { cluster = c, first = #order + 1, count = #members[c] }
      for _, i in ipairs(members[c]) do
         order[#order + 1] = i
         cluster[#order], number[#order] = c, pairs_of[i][2]
      end
   end
   if #order == 0 then return { n = 0 } end
   return { n = #order, groups = groups, order = torch.LongTensor(order),
            cluster = torch.LongTensor(cluster):view(-1, 1), number = torch.LongTensor(number):view(-1, 1) }
end

-- A part of the flat buffer `flat` as n x m, and the position after it.
local function piece(flat, at, n, m) return flat:narrow(1, at, n * m):view(n, m), at + n * m end

-- The total number of scores of classes.
local function scores_in(self, plan)
   local total = 0
   for _, group in ipairs(plan.groups) do total = total + group.count * self.n_class_in_cluster[group.cluster] end
   return total
end

-- The parameters of the classes of a cluster.
local function of_cluster(self, cluster, weight, bias)
   local first, n = self.first[cluster] + 1, self.n_class_in_cluster[cluster]
   return weight:narrow(1, first, n), bias:narrow(1, first, n)
end

-- Writes the log-probabilities of the rows of a linear map into y.
local function logarithms(y, x, weight, bias)
   torch.mm(y, x, weight:t())
   y:add(bias:view(1, -1):expandAs(y))
   return torch.logsoftmax(y, y, 2)
end

local function fail(self, text) utils.fail(tostring(self) .. ': ' .. text) end

function HSM:updateOutput(input, target)
   local x = rows_of(self, input)
   local plan = arrange(self, classes_of(self, target, tonumber(x:size(1))))
   for _, name in ipairs{ 'order', 'cluster', 'number' } do plan[name] = plan[name] and utils.beside(plan[name], x) end
   local kind = x:type()
   local loss = 0
   if plan.n > 0 then
      local sorted = torch.index(self:scratch('_sorted', kind), x, 1, plan.order)
      local picked = self:scratch('_picked', kind)
      local clusters = self:scratch('_clusters', kind):resize(plan.n, self.n_clusters)
      loss = -torch.gather(picked, logarithms(clusters, sorted, self.cluster_weight, self.cluster_bias), 2, plan.cluster):sum()
      local flat, at = self:scratch('_classes', kind):resize(scores_in(self, plan)), 1
      for _, group in ipairs(plan.groups) do
         local y
         y, at = piece(flat, at, group.count, self.n_class_in_cluster[group.cluster])
         local weight, bias = of_cluster(self, group.cluster, self.class_weight, self.class_bias)
         logarithms(y, sorted:narrow(1, group.first, group.count), weight, bias)
         loss = loss - torch.gather(picked, y, 2, plan.number:narrow(1, group.first, group.count)):sum()
      end
   end
   self._plan, self._done = plan, nil
   self:scratch('_kept', 'torch.LongTensor'):resize(x:size(1)):copy(self:classNumbers(target, '_target'))
   self.output, self.n_valid = loss, plan.n
   return loss, plan.n
end

HSM.forward = HSM.updateOutput

-- ---- gradients ----------------------------------------------------------------------------------------

-- exp(log-probabilities) minus 1 for the right class: the gradient of the scores.
local function of_scores(g, logs, right)
   torch.exp(g, logs)
   g:scatter(2, right, g:gather(2, right):add(-1))
   return g
end

local function planned(self, input, target)
   local x = rows_of(self, input)
   local classes = classes_of(self, target, tonumber(x:size(1)))
   local plan = self._plan
   if not plan or not torch.equal(classes, self._kept) or (plan.n > 0 and self._sorted:type() ~= x:type()) then
      fail(self, 'backward needs the forward of the same input and target before it')
   end
   return plan, x:type()
end

function HSM:updateGradInput(input, target)
   local plan, kind = planned(self, input, target)
   self:scratch('gradInput', kind):resize(input:size()):zero()
   if plan.n > 0 then
      local gc = of_scores(self:scratch('_gradClusters', kind):resizeAs(self._clusters), self._clusters, plan.cluster)
      local g = torch.mm(self:scratch('_gradSorted', kind), gc, self.cluster_weight)
      local flat, at, to = self._classes, 1, self:scratch('_gradClasses', kind):resizeAs(self._classes)
      for _, group in ipairs(plan.groups) do
         local m = self.n_class_in_cluster[group.cluster]
         local d = of_scores(piece(to, at, group.count, m), piece(flat, at, group.count, m),
            plan.number:narrow(1, group.first, group.count))
         g:narrow(1, group.first, group.count):addmm(1, d, (of_cluster(self, group.cluster, self.class_weight, self.class_bias)))
         at = at + group.count * m
      end
      rows_of(self, self.gradInput):indexCopy(1, plan.order, g)
   end
   self._done = true
   return self.gradInput
end

-- Adds scale times the gradients to these tensors.
local function accumulate(self, plan, scale, weights, biases, classWeights, classBiases)
   if plan.n == 0 then return end
   local function add(weight, bias, g, x)
      weight:addmm(scale, g:t(), x)
      bias:add(scale, g:sum(1):view(-1))
   end
   add(weights, biases, self._gradClusters, self._sorted)
   local at = 1
   for _, group in ipairs(plan.groups) do
      local d
      d, at = piece(self._gradClasses, at, group.count, self.n_class_in_cluster[group.cluster])
      local weight, bias = of_cluster(self, group.cluster, classWeights, classBiases)
      add(weight, bias, d, self._sorted:narrow(1, group.first, group.count))
   end
end

local function ready(self, input, target, what)
   local plan = planned(self, input, target)
   if not self._done then fail(self, what .. ' needs updateGradInput before it') end
   return plan
end

--- Adds scale (default 1) times the gradients by the parameters to grad_cluster_weight and the others; after updateGradInput.
function HSM:accGradParameters(input, target, scale)
   local plan = ready(self, input, target, 'accGradParameters')
   local _, g = self:parameters()
   accumulate(self, plan, scale or 1, unpack(g))
end

--- parameters -= lr * gradient, for the clusters of the targets only; after updateGradInput. Stores no gradients.
function HSM:accUpdateGradParameters(input, target, lr)
   local plan = ready(self, input, target, 'accUpdateGradParameters')
   accumulate(self, plan, -lr, unpack((self:parameters())))
end

function HSM:backward(input, target, scale)
   self:updateGradInput(input, target)
   self:accGradParameters(input, target, scale)
   return self.gradInput
end

--- The log-probabilities of all classes, of an input or of each row: all clusters are computed.
function HSM:logProbabilities(input)
   local x = rows_of(self, input)
   local clusters = logarithms(x.new(x:size(1), self.n_clusters), x, self.cluster_weight, self.cluster_bias)
   local sorted = x.new(x:size(1), self.n_class)
   for c, n in ipairs(self.n_class_in_cluster) do
      local weight, bias = of_cluster(self, c, self.class_weight, self.class_bias)
      local y = sorted:narrow(2, self.first[c] + 1, n):copy(logarithms(x.new(x:size(1), n), x, weight, bias))
      y:add(clusters:narrow(2, c, 1):expandAs(y))
   end
   local at = torch.LongTensor(self.n_class)
   for class, pair in ipairs(self.mapping:totable()) do at[class] = self.first[pair[1]] + pair[2] end
   local all = sorted:index(2, at)
   return input:dim() == 1 and all:view(-1) or all
end

--- Empties the buffers: a cleared criterion is small in a file and computes as before.
function HSM:clearState()
   for _, name in ipairs { '_sorted', '_picked', '_clusters', '_classes', '_gradClusters', '_gradSorted', '_gradClasses', '_kept',
      '_target', '_plan', '_done' } do
      self[name] = nil
   end
   self.gradInput = self.gradInput.new()
   return self
end

function HSM:__tostring__()
   return ('%s(%d -> %d in %d clusters)'):format(torch.type(self), self.input_size, self.n_class, self.n_clusters)
end

return HSM
