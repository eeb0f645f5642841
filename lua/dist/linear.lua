-- lua/dist/linear.lua - nn.Linear in parts on several ranks: its outputs shared out, or its inputs.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local dist = require 'dist'
local agree = require 'dist.agree'
local split = require 'dist.split'

-- (inputSize, outputSize, bias, options) or (nn.Linear, options): what makes the whole layer, and the options.
local function arguments(who, inputSize, outputSize, bias, options)
   if not torch.isTypeOf(inputSize, 'nn.Module') then
      return function()
         for name, v in pairs { inputSize = inputSize or false, outputSize = outputSize or false } do
            if type(v) ~= 'number' or v % 1 ~= 0 or v < 1 then
               arg.refuse(who, name, 'a whole number from 1', v or nil, -1)
            end
         end
         if bias ~= nil and type(bias) ~= 'boolean' then arg.refuse(who, 'bias', 'true or false', bias, -1) end
         return nn.Linear(inputSize, outputSize, bias)
      end, options
   end
   return function()
      if torch.type(inputSize) ~= 'nn.Linear' then arg.refuse(who, 'argument 1', 'an nn.Linear or a size', inputSize, -1) end
      return inputSize
   end, outputSize
end

local names = { 'weight', 'bias' }

local function plain(inputSize, outputSize, bias, ty)
   return split.quietly(function() return nn.Linear(inputSize, outputSize, bias):type(ty) end)
end

-- The part of this rank: its rows of a ColumnLinear, its columns of a RowLinear.
local function part_of(self, copies)
   local dim = torch.isTypeOf(self, 'dist.ColumnLinear') and 1 or 2
   local n = copies.weight:size(dim)
   local sizes, first, size = split.parts(torch.type(self), dim == 1 and 'outputs' or 'inputs', tonumber(n), self.number)
   self.sizes, self.first = sizes, first
   self.inputSize, self.outputSize = tonumber(copies.weight:size(2)), tonumber(copies.weight:size(1))
   return copies.weight:narrow(dim, first, size), dim == 1 and copies.bias and copies.bias:narrow(1, first, size)
end

local function fill(self, layer, copies)
   local weight, bias = part_of(self, copies)
   layer.weight:resize(weight:size()):copy(weight)
   layer.gradWeight:resize(weight:size()):zero()
   if bias then
      layer.bias:resize(bias:size()):copy(bias)
      layer.gradBias:resize(bias:size()):zero()
   end
end

-- An nn.Linear of these sizes with numbers drawn anew, as those of the first rank; the parts take them over.
local function reset(self, stdv)
   local _, copies = split.whole(torch.type(self), self.number, function()
      return nn.Linear(self.inputSize, self.outputSize, self.bias):type(self._type):reset(stdv)
   end, names)
   local weight, bias = part_of(self, copies)
   self.modules[1].weight:copy(weight)
   if bias then self.modules[1].bias:copy(bias) end
   if self.modules[2] then self.modules[2].bias:copy(copies.bias) end
   return self
end

local function text_of(self, what)
   return ('%s(%d -> %d, %s %d of %d)%s'):format(torch.type(self), self.inputSize, self.outputSize, what,
      agree.group(self.number).at + 1, agree.group(self.number).n, self.bias and '' or ' without bias')
end

-- ---- outputs shared out ------------------------------------------------------------------------------------------------------

--- nn.Linear with its outputs shared out over the ranks: each has some rows of the weight. All ranks call it, and give the same
-- input; each gets the whole output, or with `gather = false` the columns of its own rows, which a dist.RowLinear with `split =
-- false` takes. gradInput is the sum over all ranks. Shoeybi et al., "Megatron-LM" (2019). The part, an nn.Linear, is get(1).
-- Sizes need not be multiples of the number of ranks: the first ones have one more.
-- @param inputSize   or an nn.Linear, whose parameters (those of the first rank) it takes; the options follow then
-- @param bias        false leaves it out
-- @param options     a table: `gather` (default true), `group` of ranks
-- dist.init(); dist.ColumnLinear(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size() --> {4, 2}
local ColumnLinear, Container = torch.class('dist.ColumnLinear', 'nn.Container')
ColumnLinear.bufferNames = { '_whole' }

function ColumnLinear:__init(inputSize, outputSize, bias, options)
   local who = 'dist.ColumnLinear'
   local make, more = arguments(who, inputSize, outputSize, bias, options)
   local number, flags = split.options(who, more, { gather = true }, 4)
   local whole, copies = split.whole(who, number, make, names)
   Container.__init(self)
   self.number, self.gather, self.bias = number, flags.gather, copies.bias ~= nil
   local layer = plain(1, 1, self.bias, whole._type)
   fill(self, layer, copies)
   self:add(layer)
   self:type(whole._type)
end

function ColumnLinear:updateOutput(input)
   local part = self:rethrowErrors(self.modules[1], 1, 'updateOutput', input)
   self.output = self.gather and split.gather(self, self:scratch '_whole', part)() or part
   return self.output
end

-- This rank's columns of the gradient.
local function own(self, gradOutput)
   if not self.gather then return gradOutput end
   split.need_columns(self, 'gradOutput', gradOutput, self.outputSize)
   return split.mine(self, gradOutput)
end

function ColumnLinear:updateGradInput(input, gradOutput)
   self.gradInput = self:rethrowErrors(self.modules[1], 1, 'updateGradInput', input, own(self, gradOutput))
   if self.gradInput then dist.allreduce(self.gradInput, 'sum', agree.options(self.number)) end
   return self.gradInput
end

function ColumnLinear:accGradParameters(input, gradOutput, scale)
   self:rethrowErrors(self.modules[1], 1, 'accGradParameters', input, own(self, gradOutput), scale)
end

-- gradInput travels while the gradient of the weight is computed.
function ColumnLinear:backward(input, gradOutput, scale)
   local g = own(self, gradOutput)
   self.gradInput = self:rethrowErrors(self.modules[1], 1, 'updateGradInput', input, g)
   local handle = self.gradInput and dist.allreduce(self.gradInput, 'sum', agree.options(self.number, true))
   local ok, why = pcall(self.rethrowErrors, self, self.modules[1], 1, 'accGradParameters', input, g, scale)
   if handle then handle:wait() end
   if not ok then error(why, 0) end
   return self.gradInput
end

ColumnLinear.reset = reset
ColumnLinear.accUpdateGradParameters = split.accUpdate
ColumnLinear.sharedAccUpdateGradParameters = split.accUpdate
ColumnLinear.write = split.write

--- The whole layer, an nn.Linear, on all ranks. All call it.
-- dist.init(); dist.ColumnLinear(3, 2):collect() --> nn.Linear(3 -> 2)
function ColumnLinear:collect()
   local part, whole = self.modules[1], plain(self.inputSize, self.outputSize, self.bias, self._type)
   whole.weight:copy(split.join(self, part.weight, 1))
   if self.bias then whole.bias:copy(split.join(self, part.bias, 1)) end
   return whole
end

function ColumnLinear:__tostring__() return text_of(self, 'rows') end

-- ---- inputs shared out -------------------------------------------------------------------------------------------------------

--- nn.Linear with its inputs shared out over the ranks: each has some columns of the weight. All ranks call it; each takes its
-- columns of the same input, or with `split = false` is given them, as dist.ColumnLinear with `gather = false` does. All get the
-- sum as output, to which the bias, which all have, is added once. The layer without bias, an nn.Linear of the part, is get(1),
-- the bias get(2).
-- @param inputSize   or an nn.Linear, whose parameters (those of the first rank) it takes; the options follow then
-- @param bias        false leaves it out
-- @param options     a table: `split` (default true), `group` of ranks
-- dist.init(); dist.RowLinear(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size() --> {4, 2}
local RowLinear = torch.class('dist.RowLinear', 'nn.Container')
RowLinear.bufferNames = { '_whole' }

function RowLinear:__init(inputSize, outputSize, bias, options)
   local who = 'dist.RowLinear'
   local make, more = arguments(who, inputSize, outputSize, bias, options)
   local number, flags = split.options(who, more, { split = true }, 4)
   local whole, copies = split.whole(who, number, make, names)
   Container.__init(self)
   self.number, self.split, self.bias = number, flags.split, copies.bias ~= nil
   local layer = plain(1, 1, false, whole._type)
   fill(self, layer, copies)
   self:add(layer)
   if self.bias then
      local add = split.quietly(function() return nn.Add(self.outputSize):type(whole._type) end)
      add.bias:copy(copies.bias)
      self:add(add)
   end
   self:type(whole._type)
end

-- This rank's columns of the input.
local function taken(self, input)
   if not self.split then return input end
   split.need_columns(self, 'input', input, self.inputSize)
   return split.mine(self, input)
end

function RowLinear:updateOutput(input)
   self.output = self:rethrowErrors(self.modules[1], 1, 'updateOutput', taken(self, input))
   dist.allreduce(self.output, 'sum', agree.options(self.number))
   if self.bias then self.output:add(self.modules[2].bias) end
   return self.output
end

-- What makes gradInput of this rank's part.
local function come_together(self, part)
   if part and self.split then return split.gather(self, self:scratch '_whole', part) end
   return function() return part end
end

function RowLinear:updateGradInput(input, gradOutput)
   local part = self:rethrowErrors(self.modules[1], 1, 'updateGradInput', taken(self, input), gradOutput)
   self.gradInput = come_together(self, part)()
   return self.gradInput
end

function RowLinear:accGradParameters(input, gradOutput, scale)
   self:rethrowErrors(self.modules[1], 1, 'accGradParameters', taken(self, input), gradOutput, scale)
   if self.bias then self:rethrowErrors(self.modules[2], 2, 'accGradParameters', gradOutput, gradOutput, scale) end
end

function RowLinear:backward(input, gradOutput, scale)
   local part = self:rethrowErrors(self.modules[1], 1, 'updateGradInput', taken(self, input), gradOutput)
   local finish = come_together(self, part)
   local ok, why = pcall(self.accGradParameters, self, input, gradOutput, scale)
   self.gradInput = finish()
   if not ok then error(why, 0) end
   return self.gradInput
end

RowLinear.reset = reset
RowLinear.accUpdateGradParameters = split.accUpdate
RowLinear.sharedAccUpdateGradParameters = split.accUpdate
RowLinear.write = split.write

--- The whole layer, an nn.Linear, on all ranks. All call it.
-- dist.init(); dist.RowLinear(3, 2):collect() --> nn.Linear(3 -> 2)
function RowLinear:collect()
   local whole = plain(self.inputSize, self.outputSize, self.bias, self._type)
   whole.weight:copy(split.join(self, self.modules[1].weight, 2))
   if self.bias then whole.bias:copy(self.modules[2].bias) end
   return whole
end

function RowLinear:__tostring__() return text_of(self, 'columns') end

return { ColumnLinear = ColumnLinear, RowLinear = RowLinear }
