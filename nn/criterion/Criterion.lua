-- nn/criterion/Criterion.lua - the base class of criterions: a loss, and its gradient by the input.
local torch = require 'torch'
local utils = require 'nn.utils'
local recording = require 'torch.recording'

--- The base class of criterions: `updateOutput(input, target)` returns the loss (a number, kept in self.output) and
-- `updateGradInput(input, target)` its gradient (kept in self.gradInput). While a CUDA graph is recorded (cutorch.graph) the loss
-- of nn.ClassNLLCriterion, CrossEntropy-, MSE-, Abs- and SmoothL1Criterion is a tensor of one element; others refuse.
-- torch.isTypeOf(nn.MSECriterion(), 'nn.Criterion') --> true
local Criterion = torch.class('nn.Criterion')

function Criterion:__init()
   self.gradInput = torch.Tensor()
   self.output = 0
end

--- The loss of updateOutput(input, target), a number. Each criterion defines it; forward calls it.
function Criterion:updateOutput() end

--- The gradient of the loss by the input, from updateGradInput(input, target). Each criterion defines it; backward calls it.
function Criterion:updateGradInput() end

--- The loss of `input` against `target`.
function Criterion:forward(input, target) return self:updateOutput(input, target) end

--- The gradient of the loss with respect to `input`.
function Criterion:backward(input, target) return self:updateGradInput(input, target) end

--- A copy with separate memory.
function Criterion:clone() return utils.copy(self) end

--- Without an argument the type of gradInput; with one, converts all tensors to it.
function Criterion:type(kind, cache)
   if not kind then
      return torch.isTensor(self.gradInput) and self.gradInput:type() or torch.getdefaulttensortype()
   end
   kind = utils.needTensors(self, kind, cache ~= nil)
   cache = cache or {}
   if cache[self] then return self end
   cache[self] = true
   for key, value in pairs(self) do self[key] = utils.recursiveType(value, kind, cache) end
   return self
end

--- nn.Criterion:float(), nn.Criterion:double(), nn.Criterion:half(), nn.Criterion:cuda(): The criterion with its tensors converted to a type. Returns self.

--- nn.Criterion:cudaHalf(), nn.Criterion:cudaDouble(): The same for the half and double types of a GPU.
function Criterion:float() return self:type('torch.FloatTensor') end
function Criterion:double() return self:type('torch.DoubleTensor') end
function Criterion:half() return self:type('torch.HalfTensor') end
function Criterion:cuda() return self:type('torch.CudaTensor') end
function Criterion:cudaHalf() return self:type('torch.CudaHalfTensor') end
function Criterion:cudaDouble() return self:type('torch.CudaDoubleTensor') end

function Criterion:__call__(input, target)
   self.output = self:forward(input, target)
   self.gradInput = self:backward(input, target)
   return self.output, self.gradInput
end

function Criterion:__tostring__() return torch.type(self) end

--- Raises "<self>: <what> must <wish>, got <shape>".
function Criterion:refuse(what, wish, got) utils.refuse(self, what, wish, got) end

--- Refuses an input that is no tensor; and a target, when the caller asks for it.
function Criterion:needTensor(input, target, both)
   if not torch.isTensor(input) then self:refuse('input', 'be a tensor', utils.shape(input)) end
   if both and not torch.isTensor(target) then self:refuse('target', 'be a tensor', utils.shape(target)) end
end

--- The shapes of two tensors, for messages.
function Criterion.shapes(a, b) return utils.shape(a) .. ' and ' .. utils.shape(b) end

--- The tensor self[name] of a type, made when it is missing.
function Criterion:scratch(name, kind)
   local buffer = self[name]
   if not buffer or buffer:type() ~= kind then
      buffer = torch.Tensor():type(kind)
      self[name] = buffer
   end
   return buffer
end

--- The number in a tensor of one element. While a CUDA graph is recorded: the tensor, because a copy to the host is impossible.
function Criterion.number(t) return recording.recorder and t or t[1] end

--- The target as a LongTensor, on the device of the input (default: on the CPU). Class numbers may be a number
-- or any tensor. The copy is kept.
function Criterion:classNumbers(target, name, input)
   local kind = utils.longType(input and input:type())
   if type(target) == 'number' then
      local classes = self:scratch(name or 'target', kind):resize(1)
      classes[1] = target
      return input and utils.beside(classes, input) or classes
   end
   if not torch.isTensor(target) then self:refuse('target', 'be a number or a tensor of class numbers', torch.type(target)) end
   local classes = target
   if target:type() ~= kind then classes = self:scratch(name or 'target', kind):resize(target:size()):copy(target) end
   return input and utils.beside(classes, input) or classes
end

return Criterion
