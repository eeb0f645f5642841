-- lua/onnx/export/recurrent.lua - rules for recurrent layers over whole sequences.
--
-- The gates of nn are in the order of cuDNN, those of ONNX in another: LSTM has input, output, forget, cell, and GRU update,
-- reset, hidden.
local torch = require 'torch'
local rules = require 'onnx.export.rules'
local Value = require 'onnx.export.value'
local leaf = rules.leaf

local ORDER = { lstm = { 1, 4, 2, 3 }, gru = { 2, 1, 3 }, tanh = { 1 }, relu = { 1 } }
local OPS = { lstm = 'LSTM', gru = 'GRU', tanh = 'RNN', relu = 'RNN' }

-- For one layer: the weights of inputs, of states and the biases, each with a first dimension for the directions.
local function parameters(m, layer)
   local weights, biases = m:weights(), m:biases()
   local w, r, b = {}, {}, {}
   for d = 1, m.directions do
      local i = (layer - 1) * m.directions + d
      local wi, ri, bi, bs = {}, {}, {}, {}
      for k, gate in ipairs(ORDER[m.mode]) do
         wi[k], ri[k] = weights[i][gate], weights[i][m.gates + gate]
         bi[k], bs[k] = biases[i][gate], biases[i][m.gates + gate]
      end
      for _, t in ipairs(bs) do bi[#bi + 1] = t end
      w[d], r[d], b[d] = torch.cat(wi, 1), torch.cat(ri, 1), torch.cat(bi, 1)
   end
   local function stacked(list)
      local size = list[1]:size():totable()
      return torch.cat(list, 1):view(torch.LongStorage { #list, unpack(size) })
   end
   return stacked(w), stacked(r), stacked(b)
end

local HINTS = { 'input', 'recurrent', 'bias' }

-- The names of the initializers for one layer.
local function initializers(c, m, layer)
   local names = {}
   for i, hint in ipairs(HINTS) do
      names[i] = c:weight(m, 'weight', hint .. layer, function(weight)
         return (select(i, parameters(setmetatable({ weight = weight }, { __index = m }), layer)))
      end, hint .. layer)
   end
   return unpack(names)
end

-- The states at the start that a user has set, or nil.
local function start(c, m, field, layer)
   local all = m[field]
   if not torch.isTensor(all) then return nil end
   return c:constant(all:narrow(1, (layer - 1) * m.directions + 1, m.directions):contiguous(), field)
end

local function write(c, m, x)
   if m.rememberStates then c:refuse 'rememberStates keeps states between calls' end
   local lengths
   if not Value.is(x) then
      lengths = x[2]
      x = x[1]
      if x:dim() == 2 then c:refuse 'packed sequences; give it {input, lengths}' end
   end
   local given = m.hiddenInput or m.cellInput
   if given and x:dim() == 3 then c:fixed(x, m.batchFirst and 1 or 2) end
   local name = x.name
   if x:dim() == 2 then name = c:unsqueeze(name, { 1 })
   elseif m.batchFirst then name = c:transpose(name, { 1, 0, 2 }) end
   local counts = lengths and c:cast(lengths, 'int32') or ''
   for layer = 1, m.numLayers do
      local w, r, b = initializers(c, m, layer)
      local inputs = { name, w, r, b, counts,
         start(c, m, 'hiddenInput', layer) or '', m.mode == 'lstm' and start(c, m, 'cellInput', layer) or nil }
      local attributes = { hidden_size = m.hiddenSize, direction = m.directions == 2 and 'bidirectional' or 'forward' }
      if m.mode == 'gru' then attributes.linear_before_reset = 1 end
      if m.mode == 'relu' then
         attributes.activations = m.directions == 2 and { 'Relu', 'Relu' } or { 'Relu' }
      end
      while inputs[#inputs] == '' do inputs[#inputs] = nil end
      local y = c:op(OPS[m.mode], inputs, attributes)          -- steps x directions x samples x hidden
      if m.directions == 1 then name = c:squeeze(y, { 1 })
      else name = c:reshape_to(c:transpose(y, { 0, 2, 1, 3 }), { 0, 0, 2 * m.hiddenSize }) end
   end
   if x:dim() == 2 then return c:squeeze(name, { 1 }) end
   return m.batchFirst and c:transpose(name, { 1, 0, 2 }) or name
end

leaf([[nn.RNN nn.RNNReLU nn.LSTM nn.GRU nn.BRNN nn.BLSTM nn.BGRU cudnn.RNN cudnn.RNNReLU cudnn.RNNTanh cudnn.LSTM cudnn.GRU
   cudnn.BLSTM cudnn.BGRU]], write)
