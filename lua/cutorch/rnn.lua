-- cutorch.rnn - whole recurrent layers by cuDNN, for nn.RNN and others: one sequence length, no dropout between layers.
local ffi = require 'ffi'
local torch = require 'torch'
local lib = require 'torch.lib'
local G = require 'cutorch.backend'.C

local CELLS = { relu = 0, tanh = 1, lstm = 2, gru = 3 }
local M = {}

local function call(who, f, ...) return lib.call(who, f, ...) end

-- The layer in cuDNN's form; steps and samples are those of its input.
local function shape(m, steps)
   return ffi.new('th_cuda_rnn', CELLS[m.mode], m.directions - 1, m.inputSize, m.hiddenSize, m.numLayers,
      steps.rows / steps.samples, steps.samples, m.batchFirst and 1 or 0)
end

--- Why cuDNN cannot compute m for rows x of these steps; nil if it can.
function M.why(m, x, steps)
   if steps.lengths or steps.sizes then return 'sequences may differ in length' end
   if m.dropout > 0 and m.train and m.numLayers > 1 then return 'it draws its dropout itself' end
   if not m.weight:isContiguous() then return 'weight has gaps' end
   local why = G.th_cuda_rnn_why(shape(m, steps), x)
   return why ~= nil and ffi.string(why) or nil
end

local function packed(t) return t and t:contiguous() end
local function sized(m, name, samples)
   return m:scratch(name):resize(m.numLayers * m.directions, samples, m.hiddenSize)
end

-- A refusal of cuDNN and lack of memory lead to the fallback; other errors are raised.
local function is_reason(e)
   e = tostring(e)
   return e:find('cuDNN has ', 1, true) or e:find('cuDNN does not do this', 1, true) or e:find('out of memory', 1, true)
end

--- Computes the output of m for rows x into y; where m is trained, keeps the data for the gradient. states: those at the start,
-- or nil.
--- Returns the data for the gradient, or nil and the reason why cuDNN cannot compute it.
function M.forward(m, x, y, steps, states, train)
   local kept = { steps = steps, hx = packed(states.hidden), cx = packed(states.cell) }
   if train then kept.reserve = torch.CudaByteTensor() end
   local ok, e = pcall(call, torch.type(m), G.th_cuda_rnn_forward, shape(m, steps), x, m.weight, kept.hx, kept.cx, y,
      sized(m, 'hiddenOutput', steps.samples), m.mode == 'lstm' and sized(m, 'cellOutput', steps.samples) or nil, kept.reserve)
   if not ok and is_reason(e) then return nil, e end
   if not ok then error(e, 0) end
   kept.fresh = train
   return kept
end

--- The gradients by rows x, into gx, and by the states.
function M.backward(m, kept, y, g, gx, gradients)
   local lstm = m.mode == 'lstm'
   call(torch.type(m), G.th_cuda_rnn_backward, shape(m, kept.steps), y, g, m.weight, kept.hx, kept.cx, packed(gradients.hidden),
      packed(gradients.cell), gx, sized(m, 'gradHiddenInput', kept.steps.samples),
      lstm and sized(m, 'gradCellInput', kept.steps.samples) or nil, kept.reserve)
   kept.fresh, kept.ready = false, true
end

--- Adds scale times the gradient by the weight to gradWeight.
function M.weight(m, kept, x, y, scale)
   local gw = scale == 1 and m.gradWeight:isContiguous() and m.gradWeight or m.weight:clone():zero()
   call(torch.type(m), G.th_cuda_rnn_weight, shape(m, kept.steps), x, y, kept.hx, gw, kept.reserve)
   if gw ~= m.gradWeight then m.gradWeight:add(scale, gw) end
end

return M
