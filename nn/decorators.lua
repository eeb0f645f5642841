-- nn/decorators.lua - modules around modules: NaN, Profile, DontCast; and L1Penalty, Copy, CReLU, Maxout,
-- LayerNormalization, which are made of others or hand their input on.
local torch = require 'torch'
local nn = require 'nn'
local utils = require 'nn.utils'

local numbered = 0

--- Raises an error when a NaN comes out of a module, forward or backward.
--- @param id  shown in the error; default: a running number
local NaN, Decorator = torch.class('nn.NaN', 'nn.Decorator')

function NaN:__init(module, id)
   Decorator.__init(self, module)
   self.id = id or self:newId()
end

function NaN:newId()
   numbered = numbered + 1
   return numbered
end

--- Whether a tensor, or a nested table of them, holds a NaN.
function NaN:recursiveIsNaN(x)
   if torch.isTensor(x) then return x:nElement() > 0 and x:ne(x):max() > 0 end
   for _, v in pairs(type(x) == 'table' and x or {}) do
      if self:recursiveIsNaN(v) then return true end
   end
   return type(x) == 'number' and x ~= x
end

local function refuse(self, what, input, gradOutput)
   local cause = ''
   if self:recursiveIsNaN(input) then cause = cause .. '; its input has one too' end
   if gradOutput and self:recursiveIsNaN(gradOutput) then cause = cause .. '; so has its gradOutput' end
   error(('%s: there is a NaN in %s%s'):format(tostring(self), what, cause), 3)
end

function NaN:updateOutput(input)
   Decorator.updateOutput(self, input)
   if self:recursiveIsNaN(self.output) then refuse(self, 'the output', input) end
   return self.output
end

function NaN:updateGradInput(input, gradOutput)
   Decorator.updateGradInput(self, input, gradOutput)
   if self:recursiveIsNaN(self.gradInput) then refuse(self, 'gradInput', input, gradOutput) end
   return self.gradInput
end

function NaN:accGradParameters(input, gradOutput, scale)
   Decorator.accGradParameters(self, input, gradOutput, scale)
   local _, grads = self:parameters()
   if self:recursiveIsNaN(grads) then refuse(self, 'the gradient of the parameters', input, gradOutput) end
end

function NaN:__tostring__() return ('%s(%s) @ %s'):format(torch.type(self), self.id, tostring(self.modules[1])) end

--- Prints how long a module takes.
--- @param print_interval  after how many calls it prints; default 100
--- @param name            default: the module's type
local Profile = torch.class('nn.Profile', 'nn.Decorator')

function Profile:__init(module, print_interval, name)
   Decorator.__init(self, module)
   self.print_interval = print_interval or 100
   self.name = name or torch.type(module)
   self.module = module
   self.numFwds, self.numBwds = 0, 0
   self.summedFwdTime, self.summedBwdTime = 0, 0
   self.timer = torch.Timer()
end

local function timed(self, way, start, count, sum)
   self[sum] = self[sum] + self.timer:time().real - start
   self[count] = self[count] + 1
   if self[count] % self.print_interval == 0 then
      print(('%s took %.3f seconds for %d %s passes'):format(self.name, self[sum], self.print_interval, way))
      self[sum] = 0
   end
end

function Profile:updateOutput(input)
   local start = self.timer:time().real
   Decorator.updateOutput(self, input)
   timed(self, 'forward', start, 'numFwds', 'summedFwdTime')
   return self.output
end

function Profile:updateGradInput(input, gradOutput)
   local start = self.timer:time().real
   Decorator.updateGradInput(self, input, gradOutput)
   timed(self, 'backward', start, 'numBwds', 'summedBwdTime')
   return self.gradInput
end

--- Keeps the type of a module when the network around it is converted.
--- @param castin,castout  whether inputs and outputs are converted; castout defaults to castin
--- @param moduleType      default: the module's type
local DontCast = torch.class('nn.DontCast', 'nn.Decorator')

function DontCast:__init(module, castin, castout, moduleType)
   Decorator.__init(self, module)
   self.castin = castin
   self.castout = castout
   if castout == nil then self.castout = castin end
   self.moduleType = moduleType or module:type()
   module:type(self.moduleType)
end

-- A copy of x in the given type.
local function as(kind, x)
   return utils.map(x, function(t) return t:type() == kind and t or t:type(kind) end)
end

function DontCast:updateOutput(input)
   if self.castin then input = as(self.moduleType, input) end
   local y = self.modules[1]:updateOutput(input)
   self.output = self.castout and as(self._type, y) or y
   return self.output
end

function DontCast:updateGradInput(input, gradOutput)
   local outer = torch.isTensor(input) and input:type() or self._type
   if self.castin then input = as(self.moduleType, input) end
   if self.castout then gradOutput = as(self.moduleType, gradOutput) end
   local g = self.modules[1]:updateGradInput(input, gradOutput)
   self.gradInput = self.castin and as(outer, g) or g
   return self.gradInput
end

function DontCast:accGradParameters(input, gradOutput, scale)
   if self.castin then input = as(self.moduleType, input) end
   if self.castout then gradOutput = as(self.moduleType, gradOutput) end
   self.modules[1]:accGradParameters(input, gradOutput, scale)
end

function DontCast:accUpdateGradParameters(input, gradOutput, lr)
   if self.castin then input = as(self.moduleType, input) end
   if self.castout then gradOutput = as(self.moduleType, gradOutput) end
   self.modules[1]:accUpdateGradParameters(input, gradOutput, lr)
end

function DontCast:type(kind, cache)
   if not kind then return self._type end
   local kept = self.modules
   self.modules = nil
   Decorator.type(self, kind, cache)
   self.modules = kept
   return self
end

--- Returns its input; the gradient of l1weight * |x|_1 is added on the way back. The penalty itself is self.loss.
--- @param sizeAverage    true: divided by the number of elements
--- @param provideOutput  false: gradOutput is not passed on
local L1Penalty, Module = torch.class('nn.L1Penalty', 'nn.Module')

function L1Penalty:__init(l1weight, sizeAverage, provideOutput)
   Module.__init(self)
   self.l1weight = l1weight
   self.sizeAverage = sizeAverage or false
   self.provideOutput = provideOutput == nil or provideOutput
end

local function weight(self, input) return self.sizeAverage and self.l1weight / input:nElement() or self.l1weight end

function L1Penalty:updateOutput(input)
   self:needTensor(input)
   self.loss = weight(self, input) * input:norm(1)
   self.output = input
   return input
end

function L1Penalty:updateGradInput(input, gradOutput)
   torch.sign(self.gradInput, input):mul(weight(self, input))
   return self.provideOutput and self.gradInput:add(gradOutput) or self.gradInput
end

L1Penalty.clearState = nn.Identity.clearState

--- Copies its input into another type.
--- @param intype,outtype  default: the default type
--- @param forceCopy       true: copies even between equal types
--- @param dontCast        true: keeps its types when the network is converted
local Copy = torch.class('nn.Copy', 'nn.Module')

function Copy:__init(intype, outtype, forceCopy, dontCast)
   Module.__init(self)
   self.intype = intype or torch.getdefaulttensortype()
   self.outtype = outtype or torch.getdefaulttensortype()
   self.forceCopy, self.dontCast = forceCopy, dontCast
   self.gradInput = torch.Tensor():type(self.intype)
   self.output = torch.Tensor():type(self.outtype)
end

local function copied(self, to, kind, x)
   if x:type() == kind and not self.forceCopy then
      return to:set(x)
   end
   return to:resize(x:size()):copy(x)
end

function Copy:updateOutput(input)
   self:needTensor(input)
   return copied(self, self.output, self.outtype, input)
end

function Copy:updateGradInput(_, gradOutput) return copied(self, self.gradInput, self.intype, gradOutput) end

function Copy:type(kind, cache)
   if kind and self.dontCast then return self end
   if kind then
      local intype, outtype = self.intype, self.outtype
      Module.type(self, kind, cache)
      if intype == outtype then self.intype, self.outtype = kind, kind end
      self.gradInput = torch.Tensor():type(self.intype)
      self.output = torch.Tensor():type(self.outtype)
      return self
   end
   return self._type
end

--- {max(x, 0), max(-x, 0)} along the planes. Shang et al., "Understanding and improving convolutional neural networks
--- via concatenated rectified linear units" (2016).
--- @param nInputDims  dimensions of one sample
local CReLU, Sequential = torch.class('nn.CReLU', 'nn.Sequential')

function CReLU:__init(nInputDims, inplace)
   Sequential.__init(self)
   self.nInputDims = nInputDims
   self.inplace = inplace or false
   self:add(nn.ConcatTable():add(nn.Identity()):add(nn.MulConstant(-1)))
   self:add(nn.JoinTable(1, nInputDims))
   self:add(nn.ReLU(self.inplace))
end

function CReLU:__tostring__() return 'CReLU()' end

--- The largest of maxoutNumber affine maps. Goodfellow et al., "Maxout networks" (2013).
--- @param preprocess  a module in front
local Maxout = torch.class('nn.Maxout', 'nn.Sequential')

function Maxout:__init(inputSize, outputSize, maxoutNumber, preprocess)
   Sequential.__init(self)
   if preprocess then self:add(preprocess) end
   self:add(nn.Linear(inputSize, outputSize * maxoutNumber))
   self:add(nn.View(maxoutNumber, outputSize):setNumInputDims(1))
   self:add(nn.Max(1, 2))
end

--- Each row with mean 0 and variance 1, then a learned factor and summand for each element. Ba et al., "Layer
--- normalization" (2016).
--- @param bias    the summand at the start, default 0
--- @param eps     default 1e-10
--- @param affine  false: without factor and summand
local LayerNormalization = torch.class('nn.LayerNormalization', 'nn.Sequential')

function LayerNormalization:__init(nOutput, bias, eps, affine)
   Sequential.__init(self)
   self:add(nn.ConcatTable():add(nn.Identity())
      :add(nn.Sequential():add(nn.Mean(-1)):add(nn.Replicate(nOutput, -1))))
   self:add(nn.CSubTable())
   self:add(nn.Normalize(2, eps or 1e-10))
   self:add(nn.MulConstant(math.sqrt(nOutput)))
   if affine ~= false then
      local factor = nn.CMul(nOutput)
      factor.weight:fill(1)
      local summand = nn.Add(nOutput)
      summand.bias:fill(bias or 0)
      self:add(factor)
      self:add(summand)
   end
end
