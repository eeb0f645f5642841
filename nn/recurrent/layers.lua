-- nn/recurrent/layers.lua - recurrent layers over whole sequences: RNN, RNNReLU, LSTM, GRU, and the bidirectional BRNN, BLSTM, BGRU.
local torch = require 'torch'
local utils = require 'nn.utils'
local whole = require 'nn.support.constants'.whole

--- Layers of plain recurrent units, h = tanh(W x + R h + b), over whole sequences. nn.RNNReLU has relu instead of tanh,
-- nn.LSTM and nn.GRU have gates. nn.BRNN, nn.BLSTM and nn.BGRU are bidirectional: their output has
-- both directions side by side. The names of fields and methods are those of cudnn.torch. Inputs
-- are steps x samples x inputSize, or steps x inputSize of one sample. Sequences of unequal length
-- have two forms. One is {input, lengths}, with a LongTensor of the number of steps of each sample.
-- Steps behind it are not read, and the output there is 0. The other is packed, as the result of
-- packPaddedSequence. hiddenInput and cellInput (layers x samples x hiddenSize, of LSTM) are the
-- states at the start, 0 where nil. hiddenOutput and cellOutput are those at the end. Set
-- gradHiddenOutput and gradCellOutput where a loss uses the latter; the gradients by the former are
-- gradHiddenInput and gradCellInput. A bidirectional layer counts as two.
-- @param numLayers       layers one above the other (default 1)
-- @param batchFirst      true: samples x steps x inputSize
-- @param dropout         the part of each layer's output but the last's that is dropped in training (default 0)
-- @param rememberStates  true: the next sequence starts with the states at the end of the last one; see resetStates
-- nn.RNN(3, 5):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 5}
local RNN, Module = torch.class('nn.RNN', 'nn.Module')
RNN.parameterNames = { 'weight' }
RNN.bufferNames = { '_places', '_layers', '_ones', '_bias', 'hiddenOutput', 'cellOutput', 'gradHiddenInput', 'gradCellInput',
   'noise', '_cudnn', '_unused' }
RNN.mode, RNN.gates, RNN.directions = 'tanh', 1, 1

-- Their positions among the gates and in the bias; a GRU's recurrent bias of the candidate is separate.
local function bias_size(self) return (self.gates + (self.mode == 'gru' and 1 or 0)) * self.hiddenSize end

function RNN:__init(inputSize, hiddenSize, numLayers, batchFirst, dropout, rememberStates)
   Module.__init(self)
   local name = torch.type(self)
   self.inputSize = whole(name, 'inputSize', inputSize)
   self.hiddenSize = whole(name, 'hiddenSize', hiddenSize)
   self.numLayers = whole(name, 'numLayers', numLayers == nil and 1 or numLayers)
   self.batchFirst = batchFirst or false
   self.dropout = dropout or 0
   if type(self.dropout) ~= 'number' or not (self.dropout >= 0 and self.dropout < 1) then
      error(('%s: dropout must lie in 0..1, 1 excluded, got %s'):format(torch.type(self), tostring(dropout)), 3)
   end
   self.rememberStates = rememberStates or false
   self.train = true
   self:parameter('weight', self:weightSize())
   self:reset()
end

--- The number of elements of weight.
function RNN:weightSize()
   local function of(layer) return self.directions * self.gates * self.hiddenSize * (self:inputSizeOf(layer) + self.hiddenSize + 2) end
   return of(1) + (self.numLayers - 1) * of(2)                                     -- all but the first have one size
end

--- The number of input columns of a layer.
function RNN:inputSizeOf(layer) return layer == 1 and self.inputSize or self.directions * self.hiddenSize end

--- Draws the parameters uniformly from [-stdv, stdv], 1 / sqrt(hiddenSize) without an argument. Returns self.
function RNN:reset(stdv)
   stdv = stdv or 1 / math.sqrt(self.hiddenSize)
   self.weight:uniform(-stdv, stdv)
   return self
end

-- The parts of a flat vector like weight: for each layer and direction { input, recurrent, inputBias, recurrentBias }. All
-- matrices come first, then all biases.
local function parts(self, flat)
   local list, at, per, h = {}, 1, self.gates * self.hiddenSize, self.hiddenSize
   local function take(rows, cols)
      local view = flat:narrow(1, at, rows * (cols or 1))
      at = at + rows * (cols or 1)
      return cols and view:view(rows, cols) or view
   end
   for layer = 1, self.numLayers do
      for _ = 1, self.directions do
         list[#list + 1] = { input = take(per, self:inputSizeOf(layer)), recurrent = take(per, h) }
      end
   end
   for _, p in ipairs(list) do p.inputBias, p.recurrentBias = take(per), take(per) end
   return list
end

local function gates_of(self, first, second)
   local list, h = {}, self.hiddenSize
   for _, t in ipairs { first, second } do
      for k = 0, self.gates - 1 do list[#list + 1] = t:narrow(1, k * h + 1, h) end
   end
   return list
end

--- For each layer (and direction) a list of matrices, views of weight: those of the inputs by gate, then those of the states.
-- The gates of nn.LSTM are input, forget, candidate, output; those of nn.GRU reset, update, candidate.
function RNN:weights()
   local list = {}
   for i, p in ipairs(parts(self, self.weight)) do list[i] = gates_of(self, p.input, p.recurrent) end
   return list
end

--- The biases in the order of weights().
function RNN:biases()
   local list = {}
   for i, p in ipairs(parts(self, self.weight)) do list[i] = gates_of(self, p.inputBias, p.recurrentBias) end
   return list
end

--- Drops the states that rememberStates keeps, and those that were set. Returns self.
function RNN:resetStates()
   self.hiddenInput, self.cellInput, self._remembered = nil, nil, nil
   return self
end

-- ---- sequences -------------------------------------------------------------------------------------

--- Packs sequences: input is steps x samples x ..., or samples x steps x ... with batchFirst, lengths a list or LongTensor
-- of falling lengths. Returns { rows, sizes }: the rows of all samples step by step, and how many samples each step has.
function RNN:packPaddedSequence(input, lengths, batchFirst)
   if batchFirst then input = input:transpose(1, 2) end
   local n, rows, sizes = torch.isTensor(lengths) and lengths:nElement() or #lengths, {}, {}
   if n ~= input:size(2) then self:refuse('lengths', ('have one for each of %d samples'):format(input:size(2)), lengths) end
   for b = 1, n do
      if lengths[b] < 1 or lengths[b] > input:size(1) or b > 1 and lengths[b] > lengths[b - 1] then
         self:refuse('lengths', ('fall from sample to sample and lie in 1..%d'):format(input:size(1)), lengths)
      end
   end
   for t = 1, lengths[1] do
      while lengths[n] < t do n = n - 1 end
      rows[t], sizes[t] = input[t]:narrow(1, 1, n), n
   end
   return { torch.cat(rows, 1), torch.LongTensor(sizes) }
end

--- The reverse: returns the tensor, 0 where there is no row, and the lengths as a LongTensor.
function RNN:padPackedSequence(seq, batchFirst)
   local rows, sizes = seq[1], seq[2]
   local size = rows:size():totable()
   local y = rows.new(sizes:size(1), sizes[1], unpack(size, 2)):zero()
   local lengths, at = torch.LongTensor(sizes[1]):zero(), 1
   for t = 1, sizes:size(1) do
      y[t]:narrow(1, 1, sizes[t]):copy(rows:narrow(1, at, sizes[t]))
      lengths:narrow(1, 1, sizes[t]):add(1)
      at = at + sizes[t]
   end
   return batchFirst and y:transpose(1, 2):contiguous() or y, lengths
end

-- The positions of the steps of all samples: indices for the ops, and the rows of each sample's last and first step.
local function steps_of_batch(self, input, lengths)
   local samples, steps = 1, input:size(1)
   if input:dim() == 3 then
      samples, steps = input:size(self.batchFirst and 1 or 2), input:size(self.batchFirst and 2 or 1)
   end
   local n = samples * steps
   if n == 0 then self:refuse('input', 'have steps and samples', input) end
   local all = torch.LongTensor():range(1, n)
   local places = self.batchFirst and all:view(samples, steps):t() or all:view(steps, samples)
   local last, first = places[steps], places[1]
   if lengths then
      if lengths:dim() ~= 1 or lengths:size(1) ~= samples or lengths:min() < 1 or lengths:max() > steps then
         self:refuse('lengths', ('be a LongTensor of %d numbers of 1..%d'):format(samples, steps), lengths)
      end
      last = places:gather(1, lengths:view(1, samples)):view(samples)
      local number = torch.LongTensor():range(1, steps):view(steps, 1):expand(steps, samples)
      places = places:clone():maskedFill(torch.gt(number, lengths:view(1, samples):expand(steps, samples)), 0)
   end
   return { places = places, last = last:contiguous(), first = first:contiguous(), rows = n, samples = samples, lengths = lengths }
end

local function steps_of_packed(self, rows, sizes)
   local steps = sizes:dim() == 1 and sizes:size(1) or 0
   if steps == 0 or sizes:sum() ~= rows:size(1) or sizes:min() < 1 then
      self:refuse('sizes of the steps', ('be numbers of at least 1 with the sum %d'):format(rows:size(1)), sizes)
   end
   local samples, at = sizes[1], 0
   local places, last = torch.LongTensor(steps, samples):zero(), torch.LongTensor(samples)
   for t = 1, steps do
      local n = sizes[t]
      if t > 1 and n > sizes[t - 1] then self:refuse('sizes of the steps', 'not grow', sizes) end
      local row = torch.LongTensor():range(at + 1, at + n)
      places[t]:narrow(1, 1, n):copy(row)
      last:narrow(1, 1, n):copy(row)
      at = at + n
   end
   return { places = places, last = last, first = places[1], rows = at, samples = samples, sizes = sizes }
end

local function equal_or_nil(a, b) return a == b or a ~= nil and b ~= nil and torch.equal(a, b) end

-- Checks the input. Returns its rows, as a matrix, and its steps, which are kept for the next input of the same form.
local function read(self, input)
   local x, extra = input, nil
   if type(input) == 'table' then x, extra = input[1], input[2] end
   if not torch.isTensor(x) or x:type() ~= self._type or x:dim() < 2 or x:dim() > 3 or x:size(x:dim()) ~= self.inputSize
      or type(input) == 'table' and not (torch.isTensor(extra) and extra:type() == utils.longType(extra:type())) then
      self:refuse('input', ('be a %s of steps x samples x %d or steps x %d, or a table of that and a LongTensor')
         :format(self._type, self.inputSize, self.inputSize), input)
   end
   extra = extra and extra:host()                              -- numbers are read one by one
   local kept = self._places
   local form = table.concat(x:size():totable(), 'x')
   local lengths, sizes = x:dim() == 3 and extra or nil, x:dim() == 2 and extra or nil
   if not (kept and kept.form == form and kept.places._device == x._device and equal_or_nil(kept.lengths, lengths)
      and equal_or_nil(kept.sizes, sizes)) then
      kept = sizes and steps_of_packed(self, x, sizes:clone()) or steps_of_batch(self, x, lengths and lengths:clone())
      kept.form = form
      for _, name in ipairs{ 'places', 'last', 'first' } do kept[name] = utils.beside(kept[name], x) end
      self._places = kept
   end
   return x:contiguous():view(kept.rows, self.inputSize), kept
end

-- The state of layer i in `all`, which may be nil.
local function state(self, name, i, samples)
   local all = self[name]
   if not all then return nil end
   local layers = self.numLayers * self.directions
   if all:dim() ~= 3 or all:size(1) ~= layers or all:size(2) ~= samples or all:size(3) ~= self.hiddenSize then
      self:refuse(name, ('be %d x %d x %d'):format(layers, samples, self.hiddenSize), all)
   end
   return all[i]
end

-- ---- forward ---------------------------------------------------------------------------------------

local function buffer(self, layer, name)
   if not layer[name] or layer[name]:type() ~= self._type then layer[name] = torch.Tensor():type(self._type) end
   return layer[name]
end

local function layers(self)
   self._layers = self._layers or {}
   for i = 1, self.numLayers * self.directions do self._layers[i] = self._layers[i] or {} end
   return self._layers
end

-- The sum of both biases, the form that the ops take.
local function bias(self, layer, p)
   local b, per, h = buffer(self, layer, 'bias'), self.gates * self.hiddenSize, self.hiddenSize
   b:resize(bias_size(self))
   torch.add(b:narrow(1, 1, per), p.inputBias, p.recurrentBias)
   if self.mode == 'gru' then
      b:narrow(1, per - h + 1, h):copy(p.inputBias:narrow(1, per - h + 1, h))
      b:narrow(1, per + 1, h):copy(p.recurrentBias:narrow(1, per - h + 1, h))
   end
   return b
end

local function run(self, layer, h, p, steps, h0, c0, reverse)
   local a, b = layer.a, bias(self, layer, p)
   if self.mode == 'lstm' then
      torch.lstm(h, buffer(self, layer, 'c'), a, a, steps.places, p.recurrent, reverse, b, h0, c0)
   elseif self.mode == 'gru' then
      torch.gru(h, buffer(self, layer, 'c'), a, a, steps.places, p.recurrent, reverse, b, h0)
   else
      torch.rnn(h, a, steps.places, p.recurrent, self.mode == 'relu', reverse, b, h0)
   end
end

-- Writes the states after the last step of a direction into row i of self[name].
local function keep_last(self, name, i, from, steps, reverse)
   local all = self:scratch(name)
   all:resize(self.numLayers * self.directions, steps.samples, self.hiddenSize)
   all[i]:copy(from:index(1, reverse and steps.first or steps.last))
end

local function remember(self)
   local kept, h = self._remembered, self.hiddenOutput
   if self.rememberStates and kept and h and h:dim() == 3 and h:size(2) == kept.samples then
      self.hiddenInput = h:clone()
      self.cellInput = self.cellOutput and self.cellOutput:clone()
   end
end

-- Drops a part of y in training; the last layer's output stays as it is.
local function drop(self, y, layer)
   if self.dropout == 0 or not self.train or layer == self.numLayers then return y end
   self.noise = self.noise or {}
   local noise = buffer(self, self.noise, layer)
   noise:resizeAs(y):bernoulli(1 - self.dropout):div(1 - self.dropout)
   return y:cmul(noise)
end

-- Computes with cuDNN where cutorch.rnn supports it: returns the data for its gradient and sets the output; or nil and the
-- reason.
local function forward_by_cudnn(self, x, steps, train)
   local hx, cx = self.hiddenInput, self.mode == 'lstm' and self.cellInput or nil
   for name, all in pairs { hiddenInput = hx, cellInput = cx } do
      state(self, name, 1, steps.samples)
      if all:type() ~= self._type then return nil, ('%s: %s is of another type'):format(tostring(self), name) end
   end
   return require 'cutorch.rnn'.forward(self, x, self.output, steps, { hidden = hx, cell = cx }, train)
end

local function shaped(self, input)
   local size = (type(input) == 'table' and input[1] or input):size()
   size[#size] = self.directions * self.hiddenSize
   self.output:resize(size)
   return self.output
end

function RNN:updateOutput(input)
   local x, steps = read(self, input)
   remember(self)
   self._cudnn = nil
   if x._device > 0 and not require 'cutorch.rnn'.why(self, x, steps) then
      self.output:resize(steps.rows, self.directions * self.hiddenSize)
      self._cudnn = forward_by_cudnn(self, x, steps, self.train ~= false)
      if self._cudnn then
         if self.rememberStates then self._remembered = { samples = steps.samples } end
         return shaped(self, input)
      end
   end
   local hidden, all, n = self.hiddenSize, layers(self), 0
   for i, p in ipairs(parts(self, self.weight)) do
      local depth, reverse = math.ceil(i / self.directions), i % self.directions == 0 and self.directions == 2
      local layer = all[i]
      if not reverse then
         n = depth == self.numLayers and self.output or buffer(self, layer, 'y')
         n:resize(steps.rows, self.directions * hidden)
      end
      torch.mm(buffer(self, layer, 'a'), x, p.input:t())
      local h = n:narrow(2, reverse and hidden + 1 or 1, hidden)
      run(self, layer, h, p, steps, state(self, 'hiddenInput', i, steps.samples),
         self.mode == 'lstm' and state(self, 'cellInput', i, steps.samples) or nil, reverse)
      keep_last(self, 'hiddenOutput', i, h, steps, reverse)
      if self.mode == 'lstm' then keep_last(self, 'cellOutput', i, layer.c, steps, reverse) end
      layer.x, layer.h, layer.reverse = x, h, reverse
      if i % self.directions == 0 then
         if depth < self.numLayers and self.dropout > 0 and self.train then
            x = drop(self, buffer(self, layer, 'dropped'):resizeAs(n):copy(n), depth)      -- the states are not dropped
         else
            x = n
         end
      end
   end
   if self.rememberStates then self._remembered = { samples = steps.samples } end
   return shaped(self, input)
end

-- ---- backward --------------------------------------------------------------------------------------

local function run_back(self, layer, g, p, steps, i)
   local samples = steps.samples
   local gx, hp = buffer(self, layer, 'gx'), buffer(self, layer, 'hp')
   local gh0, h0 = buffer(self, layer, 'gh0'), state(self, 'hiddenInput', i, samples)
   local ghn, places, w = state(self, 'gradHiddenOutput', i, samples), steps.places, p.recurrent
   if self.mode == 'lstm' then
      torch.lstm_grad(gx, hp, gh0, buffer(self, layer, 'gc0'), layer.a, layer.h, layer.c, g, places, w,
         layer.reverse, h0, state(self, 'cellInput', i, samples), ghn, state(self, 'gradCellOutput', i, samples))
   elseif self.mode == 'gru' then
      torch.gru_grad(gx, buffer(self, layer, 'gq'), hp, gh0, layer.a, layer.h, layer.c, g, places, w, layer.reverse, h0, ghn)
   else
      torch.rnn_grad(gx, hp, gh0, layer.h, g, places, w, self.mode == 'relu', layer.reverse, h0, ghn)
   end
end

local function keep_gradient(self, name, i, g)
   local all = self:scratch(name)
   all:resize(self.numLayers * self.directions, g:size(1), g:size(2))
   all[i]:copy(g)
end

-- In training cuDNN's forward stores the data for one gradient. A second gradient needs another forward.
local function backward_by_cudnn(self, input, x, steps, gradOutput)
   local kept = self._cudnn
   if not kept.fresh then
      local why
      kept, why = forward_by_cudnn(self, x, steps, true)
      if not kept then error(why, 0) end
      self._cudnn = kept
   end
   for _, name in ipairs { 'gradHiddenOutput', 'gradCellOutput' } do state(self, name, 1, steps.samples) end
   local gx = torch.isTensor(self.gradInput) and self.gradInput or self:scratch '_unused'
   gx:resize(steps.rows, self.inputSize)
   require 'cutorch.rnn'.backward(self, kept, self.output, gradOutput:contiguous(), gx,
      { hidden = self.gradHiddenOutput, cell = self.mode == 'lstm' and self.gradCellOutput or nil })
   if torch.isTensor(self.gradInput) then self.gradInput:resizeAs(input) end
   return self.gradInput
end

function RNN:updateGradInput(input, gradOutput)
   local x, steps = read(self, input)
   local all, hidden, d = layers(self), self.hiddenSize, self.directions
   local by_cudnn = self._cudnn
   if not (by_cudnn and by_cudnn.steps == steps or not by_cudnn and all[1].h and all[1].a and all[1].x:size(1) == steps.rows) then
      error(tostring(self) .. ': backward needs the forward before it', 3)
   end
   if not torch.isTensor(gradOutput) or not gradOutput:isSameSizeAs(self.output) then
      self:refuse('gradOutput', 'have the shape of the output', gradOutput)
   end
   if by_cudnn then return backward_by_cudnn(self, input, x, steps, gradOutput) end
   local g, weights = gradOutput:contiguous():view(steps.rows, d * hidden), parts(self, self.weight)
   for depth = self.numLayers, 1, -1 do
      local below = depth == 1 and self.gradInput or buffer(self, all[depth * d], 'below')
      for k = 1, d do
         local i = (depth - 1) * d + k
         local layer = all[i]
         run_back(self, layer, g:narrow(2, (k - 1) * hidden + 1, hidden), weights[i], steps, i)
         keep_gradient(self, 'gradHiddenInput', i, layer.gh0)
         if self.mode == 'lstm' then keep_gradient(self, 'gradCellInput', i, layer.gc0) end
      end
      local gx = type(below) == 'table' and below[1] or below
      if gx then
         for k = 1, d do
            local i = (depth - 1) * d + k
            if k == 1 then torch.mm(gx, all[i].gx, weights[i].input) else gx:addmm(1, gx, 1, all[i].gx, weights[i].input) end
         end
         if depth > 1 and self.dropout > 0 and self.train then gx:cmul(self.noise[depth - 1]) end
         g = gx
      end
   end
   if type(input) ~= 'table' then
      if torch.isTensor(self.gradInput) then self.gradInput:resizeAs(input) end
      return self.gradInput
   end
   g:resizeAs(input[1])
   self.gradInput = { g, input[2].new(input[2]:size()):zero() }
   return self.gradInput
end

function RNN:accGradParameters(input, _, scale)
   scale = scale or 1
   if self._cudnn then
      if not self._cudnn.ready then error(tostring(self) .. ': accGradParameters needs updateGradInput before it', 3) end
      return require 'cutorch.rnn'.weight(self, self._cudnn, (read(self, input)), self.output, scale)
   end
   local all, per, h = layers(self), self.gates * self.hiddenSize, self.hiddenSize
   if not all[1].gx then error(tostring(self) .. ': accGradParameters needs updateGradInput before it', 3) end
   local n = all[1].gx:size(1)
   local ones = self:scratch '_ones'
   if ones:nElement() ~= n then ones:resize(n):fill(1) end
   for i, p in ipairs(parts(self, self.gradWeight)) do
      local layer = all[i]
      local gx, b = layer.gx:t(), self:scratch '_bias'
      torch.mv(b, gx, ones)
      p.input:addmm(scale, gx, layer.x)
      p.inputBias:add(scale, b)
      if self.mode == 'gru' then                               -- the part of the state behind the gate r has a separate bias
         local first, gq = per - h, layer.gq:t()
         p.recurrent:narrow(1, 1, first):addmm(scale, gx:narrow(1, 1, first), layer.hp)
         p.recurrent:narrow(1, first + 1, h):addmm(scale, gq, layer.hp)
         b:narrow(1, first + 1, h):addmv(0, 1, gq, ones)
      else
         p.recurrent:addmm(scale, gx, layer.hp)
      end
      p.recurrentBias:add(scale, b)
   end
end

-- updateGradInput reads weight, and the gradients of all layers are computed after it: one step for all.
RNN.accUpdateGradParameters = Module.sharedAccUpdateGradParameters

function RNN:type(kind, cache)
   if kind then self._places, self._cudnn = nil, nil end       -- _places stay LongTensors
   return Module.type(self, kind, cache)
end

function RNN:clearState()
   if type(self.gradInput) == 'table' then self.gradInput = torch.Tensor():type(self._type) end
   if self.rememberStates then remember(self) end
   self._remembered = nil
   return Module.clearState(self)
end

--- Reads a layer from a file. Refuses layers of other packages, which have classes of these names.
function RNN:read(file)
   Module.read(self, file)
   if not (self.inputSize and self.hiddenSize and self.numLayers) then
      utils.fail(('%s: the file holds the layer of another package: require that package before'):format(torch.type(self)))
   end
   for _, name in ipairs { 'inputSize', 'hiddenSize', 'numLayers' } do
      if type(self[name]) ~= 'number' then utils.refuse(self, name .. ' in the file', 'be a number', self[name]) end
   end
end

function RNN:__tostring__()
   return ('%s(%d -> %d%s%s%s)'):format(torch.type(self), self.inputSize, self.directions * self.hiddenSize,
      self.numLayers > 1 and (', %d layers'):format(self.numLayers) or '', self.batchFirst and ', batch first' or '',
      self.dropout > 0 and (', dropout %g'):format(self.dropout) or '')
end

-- The other cells differ only in these numbers.
--- nn.RNNReLU(inputSize, hiddenSize, [numLayers], [batchFirst], [dropout], [rememberStates]): nn.RNN with relu instead of tanh.
-- nn.RNNReLU(3, 5):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 5}
--- nn.LSTM(inputSize, hiddenSize, [numLayers], [batchFirst], [dropout], [rememberStates]): nn.RNN with the cells of Hochreiter
-- and Schmidhuber, "Long short-term memory" (1997), and the forget gates of Gers et al., "Learning to forget" (2000).
-- nn.LSTM(3, 5, 2):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 5}
--- nn.GRU(inputSize, hiddenSize, [numLayers], [batchFirst], [dropout], [rememberStates]): nn.RNN with the cells of Cho et al.,
-- "Learning phrase representations using RNN encoder-decoder" (2014), the reset gate behind the product, as cuDNN has it.
-- nn.GRU(3, 5, 1, true):forward(torch.ones(2, 4, 3)):size() --> {2, 4, 5}
--- nn.BRNN(inputSize, hiddenSize, [numLayers], [batchFirst], [dropout]): nn.RNN in both directions.
-- nn.BRNN(3, 5):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 10}
--- nn.BLSTM(inputSize, hiddenSize, [numLayers], [batchFirst], [dropout]): nn.LSTM in both directions.
-- nn.BLSTM(3, 5):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 10}
--- nn.BGRU(inputSize, hiddenSize, [numLayers], [batchFirst], [dropout]): nn.GRU in both directions.
-- nn.BGRU(3, 5):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 10}
for _, row in ipairs {
   { torch.class('nn.RNNReLU', 'nn.RNN'), 'relu', 1, 1 }, { torch.class('nn.BRNN', 'nn.RNN'), 'tanh', 1, 2 },
   { torch.class('nn.LSTM', 'nn.RNN'), 'lstm', 4, 1 }, { torch.class('nn.BLSTM', 'nn.RNN'), 'lstm', 4, 2 },
   { torch.class('nn.GRU', 'nn.RNN'), 'gru', 3, 1 }, { torch.class('nn.BGRU', 'nn.RNN'), 'gru', 3, 2 },
} do
   local Class = row[1]
   Class.mode, Class.gates, Class.directions = row[2], row[3], row[4]
end

return RNN
