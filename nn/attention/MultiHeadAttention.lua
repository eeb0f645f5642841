-- nn/attention/MultiHeadAttention.lua - attention of several heads: self or cross, causal, with padding left out.
local torch = require 'torch'
local affine = require 'nn.support.affine'
local utils = require 'nn.utils'
local whole = require 'nn.support.constants'.whole

--- Attention of several heads: each step of the queries gets a mean of the values, weighted by
-- softmax(q k' / sqrt(d)). Each head has a part of d = size / heads features. Vaswani et al.,
-- "Attention is all you need" (2017). Inputs are samples x steps x size, or steps x size of one
-- sample:
--   x self attention. {query, memory} keys and values of memory, which may have another number of
--   steps. {query, key, value} three separate inputs.
-- A last entry of a table marks steps of the keys as padding, which no query sees. It is a
-- LongTensor with the number of true steps of each sample, or a ByteTensor of samples x steps with
-- 1 for padding. A query that sees no step gets zeros, before the last map. The output has the form
-- of the query; weights() gives the weights. torch.attention computes the means without a matrix of
-- all weights, so memory grows with the number of steps and not with its square. Dropout needs no
-- matrix: a seed says which weights are dropped. For heads of more than 256 features the matrix of
-- weights exists. Parameters: weight (3 size x size: rows for queries, keys, values), bias,
-- outWeight (size x size), outBias.
-- @param size     features of the inputs and of the output
-- @param heads    divides size
-- @param dropout  the part of the weights that is dropped in training, after softmax (default 0)
-- @param causal   true: a step sees no later ones; with fewer queries than keys, the queries are the last steps
-- @param bias     false leaves the biases out
-- nn.MultiHeadAttention(6, 2):forward(torch.ones(4, 5, 6)):size() --> {4, 5, 6}
-- nn.MultiHeadAttention(6, 2):forward{torch.ones(3, 6), torch.ones(5, 6)}:size() --> {3, 6}
-- nn.MultiHeadAttention(6, 2, 0, true):forward{torch.ones(2, 5, 6), torch.LongTensor{5, 3}}:size() --> {2, 5, 6}
local Attention, Module = torch.class('nn.MultiHeadAttention', 'nn.Module')
Attention.parameterNames = {'weight', 'bias', 'outWeight', 'outBias'}
Attention.bufferNames = {'attention', 'noise', 'lse', '_buffers', '_causal', '_padding', '_seed'}

local HIDDEN = -1e30                                 -- the score of a hidden step: exp gives 0, and no row is nan
local MOST = 256                                     -- features of a head that torch.attention takes

function Attention:__init(size, heads, dropout, causal, bias)
   Module.__init(self)
   self.size = whole('nn.MultiHeadAttention', 'size', size)
   self.heads = whole('nn.MultiHeadAttention', 'heads', heads)
   if size % heads ~= 0 then
      error(('nn.MultiHeadAttention: heads must divide size, got %d and %d'):format(heads, size), 3)
   end
   self.dropout = dropout or 0
   if type(self.dropout) ~= 'number' or not (self.dropout >= 0 and self.dropout < 1) then
      error(('nn.MultiHeadAttention: dropout must lie in 0..1, 1 excluded, got %s'):format(tostring(dropout)), 3)
   end
   self.causal = causal or false
   self.train = true
   self:parameter('weight', 3 * size, size)
   self:parameter('outWeight', size, size)
   if bias ~= false then
      self:parameter('bias', 3 * size)
      self:parameter('outBias', size)
   end
   self:reset()
end

--- Draws the weights uniformly from [-a, a], a = stdv * sqrt(3), or sqrt(3 / size) without an argument (Glorot and Bengio,
-- 2010); the biases are 0. Returns self.
function Attention:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or math.sqrt(3 / self.size)
   self.weight:uniform(-a, a)
   self.outWeight:uniform(-a, a)
   if self.bias then
      self.bias:zero()
      self.outBias:zero()
   end
   return self
end

local function buffer(self, name)
   local all = self._buffers
   if not all then
      all = {}
      self._buffers = all
   end
   if not all[name] or all[name]:type() ~= self._type then all[name] = torch.Tensor():type(self._type) end
   return all[name]
end

-- ---- inputs ----------------------------------------------------------------------------------------

local function is_mask(x)
   local kind = torch.isTensor(x) and x:type()
   return kind and (kind == utils.longType(kind) or kind == 'torch.ByteTensor' or kind == 'torch.CudaByteTensor')
end

-- The parts of an input: which rows of weight are for which of its tensors, as { x (as a matrix), first row, rows, steps },
-- the samples, the steps of queries and keys, and the padding.
local function read(self, input)
   local list = type(input) == 'table' and not torch.isTensor(input) and input or {input}
   local n, hint = #list, nil
   if n > 1 and is_mask(list[n]) then n, hint = n - 1, list[n] end
   if n < 1 or n > 3 then self:refuse('input', 'be 1 to 3 tensors', ('a table of %d'):format(n)) end
   local dim, groups = torch.isTensor(list[1]) and list[1]:dim(), {}
   local samples = dim == 3 and list[1]:size(1) or 1
   for i = 1, n do
      local x = list[i]
      if not torch.isTensor(x) or x:type() ~= self._type or (dim ~= 2 and dim ~= 3) or x:dim() ~= dim
         or x:size(dim) ~= self.size or x:nElement() == 0 or dim == 3 and x:size(1) ~= samples then
         self:refuse(n == 1 and 'input' or 'input ' .. i, ('be a %s of samples x steps x %d or steps x %d%s'):format(self._type,
            self.size, self.size, i > 1 and ', as the first' or ''), torch.isTensor(x) and x:dim() == dim
            and x:type() ~= self._type and 'a ' .. x:type() or x)
      end
      groups[i] = {x = x:contiguous():view(-1, self.size), first = (i - 1) * self.size + 1, rows = self.size,
         steps = tonumber(x:size(dim - 1))}
   end
   groups[n].rows = (4 - n) * self.size
   local keys = groups[math.min(n, 2)].steps
   if groups[n].steps ~= keys then self:refuse('input 3', ('have %d steps'):format(keys), list[3]) end
   if self.causal and groups[1].steps > keys then
      self:refuse('input 1', ('have at most %d steps, as the keys'):format(keys), list[1])
   end
   return groups, tonumber(samples), groups[1].steps, keys, hint
end

-- The padding as a ByteTensor of samples x keys, 1 for hidden steps.
local function padding(self, hint, samples, keys)
   if not hint then return nil end
   hint = hint:host()
   if hint:type() == 'torch.ByteTensor' then
      local one = hint:dim() == 1 and samples == 1
      if not (one and hint:size(1) == keys or hint:dim() == 2 and hint:size(1) == samples and hint:size(2) == keys) then
         self:refuse('padding', ('be a ByteTensor of %d x %d'):format(samples, keys), hint)
      end
      return hint:contiguous():view(samples, keys)
   end
   if hint:dim() ~= 1 or hint:size(1) ~= samples or hint:min() < 0 or hint:max() > keys then
      self:refuse('lengths', ('be a LongTensor of %d numbers of 0..%d'):format(samples, keys), hint)
   end
   local number = torch.LongTensor():range(1, keys):view(1, keys):expand(samples, keys)
   return torch.gt(number, hint:contiguous():view(samples, 1):expand(samples, keys))
end

-- A ByteTensor of queries x keys, 1 for the steps after the query's.
local function later(self, scores, queries, keys)
   local kept = self._causal
   if not kept or kept._device ~= scores._device or kept:dim() ~= 2 or kept:size(1) ~= queries or kept:size(2) ~= keys then
      kept = utils.beside(torch.ByteTensor(queries, keys):fill(1):triu(keys - queries + 1), scores)
      self._causal = kept
   end
   return kept
end

-- ---- heads -----------------------------------------------------------------------------------------

-- Columns first + 1 .. first + size of a matrix of samples * steps rows, as samples x heads x steps x size / heads.
local function heads_of(self, m, first, steps)
   return m:narrow(2, first + 1, self.size):unfold(2, self.size / self.heads, self.size / self.heads)
      :unfold(1, steps, steps):permute(1, 2, 4, 3)
end

-- Queries, keys or values (`which` is 1 to 3) of the matrices of a name, as samples x heads x steps x size / heads: a view.
local function side(self, name, pass, which)
   local i = math.min(which, pass.groups)
   return heads_of(self, buffer(self, name .. i), (which - i) * self.size, which == 1 and pass.queries or pass.keys)
end

-- The same as a contiguous copy, a batch of matrices.
local function gather(self, name, from)
   local samples, heads, steps, d = unpack(from:size():totable())
   local to = buffer(self, name):resize(samples, heads, steps, d)
   to:copy(from)
   return to:view(samples * heads, steps, d)
end

-- ---- with a matrix of weights ----------------------------------------------------------------------

local function hide(self, scores, pass, value)
   local all = scores:view(pass.samples, self.heads, pass.queries, pass.keys)
   if self.causal and pass.queries > 1 then
      all:maskedFill(later(self, scores, pass.queries, pass.keys):view(1, 1, pass.queries, pass.keys):expandAs(all), value)
   end
   if self._padding then
      all:maskedFill(self._padding:view(pass.samples, 1, 1, pass.keys):expandAs(all), value)
   end
end

-- The weights, as a batch of matrices.
local function weigh(self, pass)
   local q, k = gather(self, 'q', side(self, 'projected', pass, 1)), gather(self, 'k', side(self, 'projected', pass, 2))
   q:mul(1 / math.sqrt(self.size / self.heads))
   local scores = torch.bmm(buffer(self, 'scores'), q, k:transpose(2, 3))
   hide(self, scores, pass, HIDDEN)
   local p = torch.softmax(self:scratch 'attention', scores, 3)
   if self._padding then hide(self, p, pass, 0) end               -- of a query that sees no step
   return p
end

local function mix_by_matrix(self, pass, context)
   local p = weigh(self, pass)
   local v = gather(self, 'v', side(self, 'projected', pass, 3))
   self._used = p
   if pass.drops then
      local noise = self:scratch 'noise'
      noise:resize(p:size()):bernoulli(1 - self.dropout):div(1 - self.dropout)
      self._used = torch.cmul(buffer(self, 'dropped'), p, noise)
   end
   local mixed = torch.bmm(buffer(self, 'mixed'), self._used, v)
   context:copy(mixed:viewAs(context))
end

local function back_by_matrix(self, pass, g)
   local b, d = pass.samples * self.heads, self.size / self.heads
   local q, k, v = buffer(self, 'q'):view(b, -1, d), buffer(self, 'k'):view(b, -1, d), buffer(self, 'v'):view(b, -1, d)
   local p, used = self.attention:view(b, pass.queries, pass.keys), self._used:view(b, pass.queries, pass.keys)
   local gm = gather(self, 'gmixed', g)
   local gv = torch.bmm(buffer(self, 'gv'), used:transpose(2, 3), gm)
   local gp = torch.bmm(buffer(self, 'gp'), gm, v:transpose(2, 3))
   if pass.drops then gp:cmul(self.noise) end
   local gs = torch.softmax_grad(buffer(self, 'scores'), p, gp, 3)
   local gq = torch.bmm(buffer(self, 'gq'), gs, k):mul(1 / math.sqrt(d))       -- k and q as in the product: q has the scale
   local gk = torch.bmm(buffer(self, 'gk'), gs:transpose(2, 3), q)
   for which, from in ipairs{gq, gk, gv} do
      local to = side(self, 'gprojected', pass, which)
      to:copy(from:viewAs(to))
   end
end

-- ---- forward ---------------------------------------------------------------------------------------

-- The type of the logarithms of sums: floats for halves.
local function kind_of_sums(self)
   return (self._type:gsub('BFloat16', 'Float'):gsub('Half', 'Float'):gsub('CudaFloat', 'Cuda'))
end

function Attention:updateOutput(input)
   local groups, samples, queries, keys, hint = read(self, input)
   local drops = self.dropout > 0 and self.train
   local pass = {groups = #groups, samples = samples, queries = queries, keys = keys, drops = drops,
      dropout = drops and self.dropout or 0, matrix = self.size / self.heads > MOST}
   local pad = padding(self, hint, samples, keys)
   self._padding = pad and utils.beside(pad, groups[1].x)
   for i, group in ipairs(groups) do
      local weight = self.weight:narrow(1, group.first, group.rows)
      local bias = self.bias and self.bias:narrow(1, group.first, group.rows)
      affine(buffer(self, 'projected' .. i), group.x, weight, bias)
   end
   local context = buffer(self, 'context'):resize(samples * queries, self.size)
   local y = heads_of(self, context, 0, queries)
   self._pass = pass
   if pass.matrix then
      mix_by_matrix(self, pass, y)
   else
      local function from(which) return side(self, 'projected', pass, which) end
      local lse = self:scratch('lse', kind_of_sums(self))
      local seed = drops and self:scratch('_seed', 'torch.LongTensor'):resize(2):random() or nil
      torch.attention(y, lse, from(1), from(2), from(3), 0, not not self.causal, self._padding,
         pass.dropout, seed)
   end
   affine(self.output, context, self.outWeight, self.outBias)
   return self.output:resize((type(input) == 'table' and input[1] or input):size())
end

local function need_forward(self, what)
   if not self._pass then error(('%s: %s needs the forward before it'):format(tostring(self), what), 4) end
   return self._pass
end

--- The weights of the last forward, samples x heads x query steps x key steps. They are how much of
-- the value of each key a query took, before dropout. They are computed by this call, except for
-- heads of more than 256 features.
function Attention:weights()
   local pass = need_forward(self, 'weights')
   local p = pass.matrix and self.attention or weigh(self, pass)
   return p:view(pass.samples, self.heads, pass.queries, pass.keys)
end

-- ---- backward --------------------------------------------------------------------------------------

local function grad_rows(self, gradOutput)
   need_forward(self, 'backward')
   if not torch.isTensor(gradOutput) or not gradOutput:isSameSizeAs(self.output) then
      self:refuse('gradOutput', 'have the shape of the output', gradOutput)
   end
   return gradOutput:contiguous():view(-1, self.size)
end

-- The gradient by the projections of every group, from the gradient by the context.
local function projections_back(self, groups, g, pass)
   for i, group in ipairs(groups) do buffer(self, 'gprojected' .. i):resize(group.x:size(1), group.rows) end
   g = heads_of(self, g, 0, pass.queries)
   if pass.matrix then return back_by_matrix(self, pass, g) end
   local function to(which) return side(self, 'gprojected', pass, which) end
   local function from(which) return side(self, 'projected', pass, which) end
   torch.attention_grad(to(1), to(2), to(3), from(1), from(2), from(3), heads_of(self, buffer(self, 'context'), 0, pass.queries),
      self.lse, g, 0, not not self.causal, self._padding, pass.dropout,
      pass.drops and self._seed or nil)
end

function Attention:updateGradInput(input, gradOutput)
   local groups, samples, queries, keys, hint = read(self, input)
   local g = grad_rows(self, gradOutput)
   local pass = self._pass
   if pass.samples ~= samples or pass.queries ~= queries or pass.keys ~= keys or pass.groups ~= #groups then
      error(tostring(self) .. ': backward needs the forward of the same input before it', 3)
   end
   projections_back(self, groups, torch.mm(buffer(self, 'gcontext'), g, self.outWeight), pass)
   local tabled, grads = type(input) == 'table' and not torch.isTensor(input), {}
   if tabled and type(self.gradInput) ~= 'table' then self.gradInput = {} end
   if not tabled and not torch.isTensor(self.gradInput) then self.gradInput = torch.Tensor():type(self._type) end
   for i, group in ipairs(groups) do
      local to = not tabled and self.gradInput or self.gradInput[i]
      if not torch.isTensor(to) or to:type() ~= self._type then to = torch.Tensor():type(self._type) end
      torch.mm(to, buffer(self, 'gprojected' .. i), self.weight:narrow(1, group.first, group.rows))
      grads[i] = to:resize((tabled and input[i] or input):size())
   end
   if not tabled then return self.gradInput end
   if hint then grads[#grads + 1] = hint.new(hint:size()):zero() end
   self.gradInput = grads
   return grads
end

-- Adds scale times the sum of the rows of g to the gradient of a bias. On a device one kernel does
-- both.
local function add_rows(self, to, scale, g)
   local rows = g:size(1)
   if g._device == 0 then return to:add(scale, torch.sum(buffer(self, 'sums'), g, 1):view(-1)) end
   local ones = buffer(self, 'ones')
   if ones:nElement() ~= rows then ones:resize(rows):fill(1) end
   to:addmv(scale, g:t(), ones)
end

function Attention:accGradParameters(input, gradOutput, scale)
   scale = scale or 1
   local groups = read(self, input)
   local g = grad_rows(self, gradOutput)
   if buffer(self, 'gprojected1'):nElement() == 0 then
      error(tostring(self) .. ': accGradParameters needs updateGradInput before it', 3)
   end
   self.gradOutWeight:addmm(scale, g:t(), buffer(self, 'context'))
   if self.outBias then add_rows(self, self.gradOutBias, scale, g) end
   for i, group in ipairs(groups) do
      local gm = buffer(self, 'gprojected' .. i)
      self.gradWeight:narrow(1, group.first, group.rows):addmm(scale, gm:t(), group.x)
      if self.bias then
         add_rows(self, self.gradBias:narrow(1, group.first, group.rows), scale, gm)
      end
   end
end

function Attention:type(kind, cache)
   if kind then                              -- their types do not follow that of the module
      self._causal, self._padding, self._seed, self._pass = nil, nil, nil, nil
   end
   return Module.type(self, kind, cache)
end

function Attention:clearState()
   if type(self.gradInput) == 'table' then self.gradInput = torch.Tensor():type(self._type) end
   self._used, self._pass = nil, nil
   return Module.clearState(self)
end

function Attention:__tostring__()
   return ('%s(%d, %d heads%s%s)%s'):format(torch.type(self), self.size, self.heads, self.causal and ', causal' or '',
      self.dropout > 0 and (', dropout %g'):format(self.dropout) or '', self.bias and '' or ' without bias')
end

return Attention
