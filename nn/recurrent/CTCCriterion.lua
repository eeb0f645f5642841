-- nn/recurrent/CTCCriterion.lua - connectionist temporal classification: sequences of labels that are not aligned with the steps.
local torch = require 'torch'
local describe = require 'torch.arg'.describe
local utils = require 'nn.utils'
local paths = require 'nn.recurrent.ctc_paths'

--- The loss of scores for each step against sequences of labels, which are not aligned with the
-- steps. A network learns to read or to transcribe whole lines. Graves et al., "Connectionist
-- temporal classification: labelling unsegmented sequence data with recurrent neural networks"
-- (2006). The criterion takes the softmax itself, as warp-ctc does: give it the output of a Linear
-- layer (log-probabilities give the same loss). There is one class more than labels, the blank: the
-- first class, so label k is class k + 1.
--
-- forward(input, target, [sizes]) and backward(input, target, [sizes]): input is steps x samples x
-- classes, or with batchFirst samples x steps x classes. For one sample it is steps x classes.
-- target is a table with a table of labels for each sample, {{1, 3}, {2}}. Or it is a tensor of
-- samples x labels with zeros behind the last. For one sample it is a table or a vector of labels.
-- A sequence may be empty. sizes, a tensor or a table, is how many steps of each sample count: all,
-- if absent; backward uses those of forward. The loss is the sum over the samples; c.losses holds
-- that of each one. A sample whose labels do not fit into its steps has infinite loss, and its
-- gradient is 0. Each label takes a step, and a blank comes between equal ones.
-- @param batchFirst   true: samples are the first dimension of batches, steps the second
-- @param sizeAverage  true: the mean over the samples instead of the sum
-- @param blank        the class of the blank (default 1); labels number the others in order
-- nn.CTCCriterion(true):forward(torch.Tensor{{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}}, {{1, 3}}, {2}) --> 4.9038
local CTC, Criterion = torch.class('nn.CTCCriterion', 'nn.Criterion')
CTC.__arguments = 'batchFirst sizeAverage blank:count?'

function CTC:__init(batchFirst, sizeAverage, blank)
   Criterion.__init(self)
   self.batchFirst = batchFirst and true or false
   self.sizeAverage = sizeAverage and true or false
   self.blank = blank or 1
   self.losses = torch.Tensor()
end

-- The input as a batch, and whether samples come first in it.
local function batch(self, input)
   local n = torch.isTensor(input) and input:dim()
   if n ~= 2 and n ~= 3 then
      local form = self.batchFirst and 'samples x steps x classes' or 'steps x samples x classes'
      self:refuse('input', ('be %s, or steps x classes'):format(form), input)
   end
   if n == 3 then return input, self.batchFirst end
   return torch.unsqueeze(input, 2), false
end

local function whole(self, what, v)
   if type(v) ~= 'number' or v % 1 ~= 0 or math.abs(v) > 2 ^ 53 then self:refuse(what, 'be whole numbers', describe(v)) end
   return v
end

-- A tensor of whole numbers as a LongTensor.
local function numbers(self, what, t, name)
   if t:type() == 'torch.LongTensor' then return t:contiguous() end
   local long = self:scratch(name, 'torch.LongTensor'):resize(t:size()):copy(t)
   if t:nElement() > 0 and not torch.eq(long:type(t:type()), t):all() then self:refuse(what, 'be whole numbers', t) end
   return long
end

-- The labels of all samples as a LongTensor of samples x most labels.
local function labels(self, target, samples, single)
   if torch.isTensor(target) then
      local long = numbers(self, 'target', target, '_target')
      if long:nElement() == 0 then return self:scratch('_labels', 'torch.LongTensor'):resize(samples, 1):zero() end
      return long:dim() == 1 and single and long:view(1, -1) or long
   end
   if type(target) ~= 'table' then
      self:refuse('target', 'be a table of labels for each sample, or a tensor', describe(target))
   end
   if single and type(target[1]) ~= 'table' and not torch.isTensor(target[1]) then target = {target} end
   if #target ~= samples then
      self:refuse('target', ('have labels for each of %d samples'):format(samples), ('those of %d'):format(#target))
   end
   local rows, most = {}, 1
   for b = 1, samples do
      local row = target[b]
      if torch.isTensor(row) then row = row:nElement() == 0 and {} or row:contiguous():view(-1):totable() end
      if type(row) ~= 'table' then self:refuse(('target[%d]'):format(b), 'be a table of labels', describe(row)) end
      rows[b], most = row, math.max(most, #row)
   end
   local long = self:scratch('_labels', 'torch.LongTensor'):resize(samples, most):zero()
   local data = long:data()
   for b, row in ipairs(rows) do
      local name = ('target[%d]'):format(b)
      for i = 1, #row do
         if row[i] == 0 then self:refuse(name, 'hold labels from 1', '0') end
         data[(b - 1) * most + i - 1] = whole(self, name, row[i])
      end
   end
   return long
end

-- The numbers of steps that count, as a LongTensor; nil for all.
local function lengths(self, sizes, samples)
   if sizes == nil then return nil end
   if type(sizes) == 'number' then sizes = {sizes} end
   if torch.isTensor(sizes) then return numbers(self, 'sizes', sizes, '_sizes'):view(-1) end
   if type(sizes) ~= 'table' then
      self:refuse('sizes', ('be a tensor or a table of %d steps'):format(samples), describe(sizes))
   end
   local long = self:scratch('_sizes', 'torch.LongTensor'):resize(math.max(#sizes, 1))
   for b = 1, #sizes do long[b] = whole(self, 'sizes', sizes[b]) end
   return long
end

local function read(self, input, target, sizes)
   local x, first = batch(self, input)
   local samples = tonumber(x:size(first and 1 or 2))
   return x, labels(self, target, samples, input:dim() == 2), lengths(self, sizes, samples), first
end

-- Copied into self[name], or nil.
local function keep(self, name, t)
   if not t then
      self[name] = nil
   else
      self:scratch(name, 'torch.LongTensor'):resize(t:size()):copy(t)
   end
end

function CTC:forward(input, target, sizes) return self:updateOutput(input, target, sizes) end

function CTC:backward(input, target, sizes) return self:updateGradInput(input, target, sizes) end

-- A buffer for the gradient, in double on the device of x; and a tensor or nil, moved there.
local function alpha_of(self, x)
   return self:scratch('_alpha', x._device == 0 and 'torch.DoubleTensor' or 'torch.CudaDoubleTensor')
end
local function beside(t, x) return t and utils.beside(t, x) end

function CTC:updateOutput(input, target, sizes)
   local x, y, n, first = read(self, input, target, sizes)
   torch.ctc_loss(self:scratch('losses', x:type()), alpha_of(self, x), x, beside(y, x), self.blank, beside(n, x), first)
   keep(self, '_keptLabels', y)
   keep(self, '_keptSizes', n)
   self.output = self.losses:sum() / (self.sizeAverage and self.losses:nElement() or 1)
   return self.output
end

local function same(a, b) return a == b or (a and b and torch.equal(a, b)) end

function CTC:updateGradInput(input, target, sizes)
   local x, y, n, first = read(self, input, target, sizes)
   local alpha = alpha_of(self, x)
   if not self._keptLabels or not same(self._keptLabels, y) or (n and not same(self._keptSizes, n))
      or self.losses:type() ~= x:type() or alpha:dim() ~= 3 or alpha:size(2) ~= x:size(first and 2 or 1) then
      utils.fail 'nn.CTCCriterion: backward needs the forward of the same input, target and sizes before it'
   end
   local g = self:scratch('_each', x:type()):resize(y:size(1)):fill(1 / (self.sizeAverage and y:size(1) or 1))
   torch.ctc_loss_grad(self:scratch('gradInput', x:type()), x, beside(y, x), alpha, g, self.blank, beside(self._keptSizes, x),
      first)
   return self.gradInput:resize(input:size())
end

--- Decodes the scores of `input` into labels: a table of tables, or one table for a single sample.
-- The second result is the log-probability of each sequence, a table (a number). Without beamWidth
-- the labels of the best path, with the best class of each step; the number is that of the path.
-- With beamWidth a beam search over prefixes, which adds up the paths for one sequence. Graves,
-- "Supervised sequence labelling with recurrent neural networks" (2012), chapter 7.5. Hannun et
-- al., "First-pass large vocabulary continuous speech recognition using bi-directional recurrent
-- DNNs" (2014).
-- @param sizes      as of forward
-- @param beamWidth  how many prefixes each step keeps
-- (nn.CTCCriterion():decode(torch.Tensor{{0, 9, 0}, {0, 9, 0}, {9, 0, 0}, {0, 9, 0}, {0, 0, 9}})) --> {1, 1, 2}
function CTC:decode(input, sizes, beamWidth)
   local x, first = batch(self, input)
   if type(beamWidth) ~= 'nil' and (type(beamWidth) ~= 'number' or beamWidth < 1 or beamWidth % 1 ~= 0) then
      self:refuse('beamWidth', 'be a whole number of at least 1', tostring(beamWidth))
   end
   if first then x = x:transpose(1, 2) end
   local steps, samples, classes = tonumber(x:size(1)), tonumber(x:size(2)), tonumber(x:size(3))
   if self.blank > classes then self:refuse('input', ('have the class of the blank, %d'):format(self.blank), input) end
   local n = lengths(self, sizes, samples)
   if n and n:nElement() ~= samples then
      self:refuse('sizes', ('have %d numbers'):format(samples), ('%d'):format(n:nElement()))
   end
   local words, scores = {}, {}
   for b = 1, samples do
      local length = n and tonumber(n[b]) or steps
      if length < 0 or length > steps then self:refuse('sizes', ('lie in 0..%d'):format(steps), tostring(length)) end
      local rows = {}
      if length > 0 then
         local logs = torch.logsoftmax(x:select(2, b):narrow(1, 1, length):double(), 2)
         if not torch.eq(logs, logs):all() then self:refuse('input', 'hold numbers', ('nan (sample %d)'):format(b)) end
         rows = logs:totable()
      end
      words[b], scores[b] = paths[beamWidth and 'beam' or 'best'](rows, self.blank, beamWidth)
   end
   if input:dim() == 2 then return words[1], scores[1] end
   return words, scores
end

--- Reads a criterion from a file. Refuses criterions of other packages that have a class of this name.
function CTC:read(file)
   utils.restore(self, file:readObject())
   if not (self.blank and self.losses) then
      utils.fail 'nn.CTCCriterion: the file holds the criterion of another package: require that package before'
   end
end

return CTC
