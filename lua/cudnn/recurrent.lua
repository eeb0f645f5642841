-- cudnn.recurrent - recurrent layers under cudnn's names, with weights in cuDNN's order: all matrices, then all biases.
local torch, class = require 'torch', require 'torch.class'
local accepted = require 'cudnn.accepted'

-- In a file `mode` is cuDNN's word for the cells, which follows from the class; descriptors and handles were never saved.
local STALE = { 'mode', 'bidirectional', 'numDirections', 'inputMode', 'datatype', 'reserve', 'weightsDesc' }

--- cudnn.RNNReLU(inputSize, hiddenSize, numLayers, batchFirst, dropout, rememberStates): nn.RNNReLU under cudnn's name.
-- cudnn.RNNReLU(3, 5):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 5}

--- cudnn.RNNTanh(inputSize, hiddenSize, numLayers, batchFirst, dropout, rememberStates): nn.RNN under cudnn's name.
-- cudnn.RNNTanh(3, 5):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 5}

--- cudnn.RNN(inputSize, hiddenSize, numLayers, batchFirst, dropout, rememberStates): nn.RNN under cudnn's name.
-- cudnn.RNN(3, 5):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 5}

--- cudnn.LSTM(inputSize, hiddenSize, numLayers, batchFirst, dropout, rememberStates): nn.LSTM under cudnn's name.
-- cudnn.LSTM(3, 5, 2):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 5}

--- cudnn.GRU(inputSize, hiddenSize, numLayers, batchFirst, dropout, rememberStates): nn.GRU under cudnn's name.
-- cudnn.GRU(3, 5, 1, true):forward(torch.ones(2, 4, 3)):size() --> {2, 4, 5}

--- cudnn.BLSTM(inputSize, hiddenSize, numLayers, batchFirst, dropout): nn.BLSTM under cudnn's name.
-- cudnn.BLSTM(3, 5):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 10}

--- cudnn.BGRU(inputSize, hiddenSize, numLayers, batchFirst, dropout): nn.BGRU under cudnn's name.
-- cudnn.BGRU(3, 5):forward(torch.ones(4, 2, 3)):size() --> {4, 2, 10}
for _, row in ipairs { { 'RNN', 'RNN' }, { 'RNNReLU', 'RNNReLU' }, { 'RNNTanh', 'RNN' }, { 'LSTM', 'LSTM' }, { 'GRU', 'GRU' },
   { 'BLSTM', 'BLSTM' }, { 'BGRU', 'BGRU' } } do
   local Class, parent = class.derive('cudnn.' .. row[1], class.ours('nn.' .. row[2]))
   Class.clearDesc = accepted.clearDesc

   --- Accepted for old scripts, without effect: work goes to the stream of the thread.
   function Class:setSync(sync) self.sync = sync end

   function Class:read(file)
      parent.read(self, file)
      for _, name in ipairs(STALE) do self[name] = nil end
      self.dropout, self.rememberStates = self.dropout or 0, self.rememberStates or false
      local n = self:weightSize()
      if not torch.isTensor(self.weight) or self.weight:nElement() ~= n then
         self:refuse('weight in the file', ('have %d numbers'):format(n), self.weight)
      end
      self.weight = self.weight:view(n)
      if not torch.isTensor(self.gradWeight) or self.gradWeight:nElement() ~= n then self.gradWeight = self.weight:clone():zero() end
      self.gradWeight = self.gradWeight:view(n)
   end
   require 'nn'.utils.keepsFields(Class)
end
