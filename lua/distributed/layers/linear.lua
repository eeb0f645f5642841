-- lua/distributed/layers/linear.lua - nn.Linear in parts on several ranks: its outputs or its inputs are divided.
local torch = require 'torch'
local nn = require 'nn'
local arg = require 'torch.arg'
local partition = require 'distributed.layers.partition'
local base = require 'distributed.layers.base'

-- (inputSize, outputSize, bias, options) or (nn.Linear, options): returns a function that makes the
-- whole layer, and the options.
local function arguments(who, inputSize, outputSize, bias, options)
   if not torch.isTypeOf(inputSize, 'nn.Module') then
      return function()
         for name, v in pairs { inputSize = inputSize or false, outputSize = outputSize or false } do
            if type(v) ~= 'number' or v % 1 ~= 0 or v < 1 then
               arg.refuse(who, name, 'a whole number from 1', v or nil, -1)
            end
         end
         if type(bias) ~= 'nil' and type(bias) ~= 'boolean' then arg.refuse(who, 'bias', 'true or false', bias, -1) end
         return nn.Linear(inputSize, outputSize, bias)
      end, options
   end
   return function()
      if torch.type(inputSize) ~= 'nn.Linear' then arg.refuse(who, 'argument 1', 'an nn.Linear or a size', inputSize, -1) end
      return inputSize
   end, outputSize
end

local function plain(inputSize, outputSize, bias, ty)
   return partition.quietly(function() return nn.Linear(inputSize, outputSize, bias):type(ty) end)
end

-- The rest of __init, for both classes.
local function begin(self, whole, copies)
   self.inputSize, self.outputSize = tonumber(copies.weight:size(2)), tonumber(copies.weight:size(1))
   self.bias = copies.bias ~= nil
   self:add(plain(1, 1, self.bias and self.kind.dim == 1, whole._type))
   if self.bias and self.kind.dim == 2 then
      self:add(partition.quietly(function() return nn.Add(self.outputSize):type(whole._type) end))
   end
   base.fill(self, copies)
   self:type(whole._type)
end

local function text(self) return ('%d -> %d'):format(self.inputSize, self.outputSize) end
local function plain_of(self) return plain(self.inputSize, self.outputSize, self.bias, self._type) end
local function drawn(self, stdv) return nn.Linear(self.inputSize, self.outputSize, self.bias):type(self._type):reset(stdv) end

-- ---- outputs divided
-- -----------------------------------------------------------------------------------------------------

--- nn.Linear with its outputs divided among the ranks: each has some rows of the weight. All ranks call it with the same input.
-- Each gets the whole output, or with `gather = false` the columns of its rows, which a dist.RowLinear with `split = false`
-- takes. gradInput is the sum over all ranks. Shoeybi et al., "Megatron-LM" (2019). The part, an nn.Linear, is get(1). Sizes
-- need not be multiples of the number of ranks: the first ranks have one more. An error in it on one rank is one on all.
-- @param inputSize   or an nn.Linear, whose parameters (those of the first rank) it takes; then the options follow
-- @param bias        false: no bias
-- @param options     a table: `gather` (default true), `group` of ranks
-- dist.init(); dist.ColumnLinear(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size() --> {4, 2}
local ColumnLinear = torch.class('dist.ColumnLinear', 'dist.OutputsInParts')
ColumnLinear.kind = { names = { 'weight', 'bias' }, dim = 1, items = 'outputs', pieces = 'rows', differentiable = true,
                      text = text, plain = plain_of, drawn = drawn }

function ColumnLinear:__init(inputSize, outputSize, bias, options)
   local make, more = arguments('dist.ColumnLinear', inputSize, outputSize, bias, options)
   begin(self, base.InParts.__init(self, make, more, { gather = true }))
end

-- ---- inputs divided
-- ------------------------------------------------------------------------------------------------------

--- nn.Linear with its inputs divided among the ranks: each has some columns of the weight. All ranks call it. Each takes its
-- columns of the same input, or with `split = false` gets only them, as dist.ColumnLinear with `gather = false` returns them. All
-- get the sum as output, to which the bias, which all have, is added once. The layer without bias, an nn.Linear of the part,
-- is get(1), the bias get(2). An error in it on one rank is one on all.
-- @param inputSize   or an nn.Linear, whose parameters (those of the first rank) it takes; then the options follow
-- @param bias        false: no bias
-- @param options     a table: `split` (default true), `group` of ranks
-- dist.init(); dist.RowLinear(nn.Linear(3, 2)):forward(torch.ones(4, 3)):size() --> {4, 2}
local RowLinear = torch.class('dist.RowLinear', 'dist.SumOfParts')
local kind = { names = { 'weight', 'bias' }, dim = 2, items = 'inputs', pieces = 'columns', text = text, plain = plain_of,
               drawn = drawn }
RowLinear.kind = kind

function RowLinear:__init(inputSize, outputSize, bias, options)
   local make, more = arguments('dist.RowLinear', inputSize, outputSize, bias, options)
   begin(self, base.InParts.__init(self, make, more, { split = true }))
end

-- This rank's columns of the input.
local function taken(self, input) return self.split and base.columns(self, 'input', input) or input end

function kind.share(self, input) return self:rethrowErrors(self.modules[1], 1, 'updateOutput', taken(self, input)) end

local function back(self, input, gradOutput)
   return self:rethrowErrors(self.modules[1], 1, 'updateGradInput', taken(self, input), gradOutput)
end

function kind.learn(self, input, gradOutput, scale)
   self:rethrowErrors(self.modules[1], 1, 'accGradParameters', taken(self, input), gradOutput, scale)
   if self.bias then self:rethrowErrors(self.modules[2], 2, 'accGradParameters', gradOutput, gradOutput, scale) end
end

-- Starts to build gradInput from this rank's part; returns a function that ends it.
local function come_together(self, part)
   if part and self.split then return partition.gather(self, self:scratch '_whole', part) end
   return function() return part end
end

function RowLinear:updateGradInput(input, gradOutput)
   self.gradInput = come_together(self, base.together(self, back, input, gradOutput))()
   return self.gradInput
end

-- gradInput is exchanged while the gradient of the parameters is computed.
function RowLinear:backward(input, gradOutput, scale)
   local finish = come_together(self, base.together(self, back, input, gradOutput))
   local ok, why = pcall(self.accGradParameters, self, input, gradOutput, scale)
   self.gradInput = finish()
   if not ok then error(why, 0) end
   return self.gradInput
end

return { ColumnLinear = ColumnLinear, RowLinear = RowLinear }
