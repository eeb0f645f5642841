-- lua/distributed/layers/base.lua - the base classes of layers in parts on several ranks.
--
-- All ranks call a pass of such a layer together, and an error in it on one of them is an error on
-- all. First each rank computes with its part; then they agree that all succeeded; then they
-- exchange tensors.
local torch = require 'torch'
require 'nn'
local dist = require 'distributed.core'
local agree = require 'distributed.collective_check'
local partition = require 'distributed.layers.partition'

--- The base class of layers in parts on several ranks: dist.ColumnLinear, dist.RowLinear,
-- dist.RowLookupTable and dist.ColumnLookupTable.
local InParts, Container = torch.class('dist.InParts', 'nn.Container')
InParts.bufferNames = { '_whole' }

local M = { InParts = InParts }

-- Each class has a table `kind`: `names` of parameters; `dim`, the dimension of the weight that is
-- divided; `items`, its name, and `pieces`, the name of a part's share of the weight; text(layer),
-- the sizes in words; plain(layer, like), the whole layer with the options of a part and arbitrary
-- values; drawn(layer, stdv), the whole layer with new random values.

-- Begins with the whole layer of the first rank; `make` returns that of this rank, `options` and
-- `flags` are as of split.options. Returns the layer of this rank and copies of the first one's
-- parameters.
function InParts:__init(make, options, flags)
   local who = torch.type(self)
   if not self.kind then error(who .. ': this is a base class: dist.ColumnLinear and others make layers', 4) end
   local number, values = partition.options(who, options, flags, 5)
   local whole, copies = partition.whole(who, number, make, self.kind.names)
   Container.__init(self)
   self.number = number
   for name in pairs(flags) do self[name] = values[name] end
   self.sizes, self.first = partition.parts(who, self.kind.items, tonumber(copies.weight:size(self.kind.dim)), number)
   return whole, copies
end

local function put(to, from) to:resize(from:size()):copy(from) end

-- Copies this rank's part of whole parameters; a bias that all ranks have is in the second module.
local function take(self, copies)
   local part, dim = self.modules[1], self.kind.dim
   local function own(p, d) return p:narrow(d, self.first, self.sizes[agree.group(self.number).at + 1]) end
   put(part.weight, own(copies.weight, dim))
   if copies.bias and dim == 1 then put(part.bias, own(copies.bias, 1))
   elseif copies.bias then put(self.modules[2].bias, copies.bias) end
end

--- The same for a new part, whose tensors have no size yet; gradients become zero.
function M.fill(self, copies)
   take(self, copies)
   local parameters, grads = self:parameters()
   for i, g in ipairs(grads) do g:resizeAs(parameters[i]):zero() end
end

--- Draws the values of the whole layer anew, as on the first rank. All ranks call it. Returns self.
-- dist.init(); dist.ColumnLinear(3, 2):reset(0.5):get(1) --> nn.Linear(3 -> 2)
function InParts:reset(stdv)
   local _, copies = partition.whole(torch.type(self), self.number, function()
      return self.kind.drawn(self, stdv)
   end, self.kind.names)
   take(self, copies)
   return self
end

--- The whole layer, an nn.Linear or an nn.LookupTable, on all ranks. All call it.
-- dist.init(); dist.ColumnLinear(3, 2):collect() --> nn.Linear(3 -> 2)
function InParts:collect()
   local part, whole, dim = self.modules[1], self.kind.plain(self, self.modules[1]), self.kind.dim
   whole.weight:copy(partition.join(self, part.weight, dim))
   if whole.bias then whole.bias:copy(dim == 1 and partition.join(self, part.bias, 1) or self.modules[2].bias) end
   return whole
end

--- Calls f(self, ...), this rank's share of a pass. An error in it is an error on all ranks, with
-- the rank's name.
function M.together(self, f, ...)
   if agree.group(self.number).n == 1 then return f(self, ...) end
   local ok, result = pcall(f, self, ...)
   agree.well(torch.type(self), self.number, ok, result)
   return result
end

--- Whether `ok` is true on all ranks that have parts; all call it. A surrounding nn.MixedPrecision
-- does, to repeat a pass on all of them or on none.
-- @param asked  a table of the groups that were asked before
function InParts:everywhere(ok, asked)
   if asked[self.number] then return ok end
   asked[self.number] = true
   for _, value in ipairs(agree.well(torch.type(self), self.number, true, nil, ok and 1 or 0)) do ok = ok and value == 1 end
   return ok
end

local function sum(self, x) return x and dist.allreduce(x, 'sum', agree.options(self.number)) end

--- The columns of x that belong to this rank; `what`: its name in errors.
function M.columns(self, what, x)
   local n = 0
   for _, size in ipairs(self.sizes) do n = n + size end
   if not torch.isTensor(x) or x:dim() == 0 or x:size(x:dim()) ~= n then self:refuse(what, ('have %d columns'):format(n), x) end
   return x:narrow(x:dim(), self.first, self.sizes[agree.group(self.number).at + 1])
end

-- A step that keeps no gradients: the parameters replace their gradients while accGradParameters
-- runs.
function InParts:accUpdateGradParameters(input, gradOutput, lr)
   local kept = {}
   for i, part in ipairs(self.modules) do
      kept[i] = { part.gradWeight, part.gradBias }
      part.gradWeight, part.gradBias = part.weight, part.bias
   end
   local ok, why = pcall(self.accGradParameters, self, input, gradOutput, -lr)
   for i, part in ipairs(self.modules) do part.gradWeight, part.gradBias = unpack(kept[i], 1, 2) end
   if not ok then error(why, 0) end
end

InParts.sharedAccUpdateGradParameters = InParts.accUpdateGradParameters

-- A file must hold whole layers. Copies within the process work as for other modules.
function InParts:write(file)
   if not file._carry then
      error(torch.type(self) .. ': a part of a layer cannot be saved: save what dist.collect(model) returns', 0)
   end
   Container.write(self, file)
end

require 'nn'.utils.keepsFields(InParts)

function InParts:__tostring__()
   local group = agree.group(self.number)
   return ('%s(%s, %s %d of %d)%s'):format(torch.type(self), self.kind.text(self), self.kind.pieces, group.at + 1, group.n,
      self.bias == false and ' without bias' or '')
end

-- ---- outputs divided
-- -----------------------------------------------------------------------------------------------------

--- Layers in parts whose outputs are divided: dist.ColumnLinear and dist.ColumnLookupTable.
local OutputsInParts = torch.class('dist.OutputsInParts', 'dist.InParts')

-- This rank's columns of the gradient. A table needs them contiguous.
local function own(self, gradOutput)
   if not self.gather then return gradOutput end
   local g = M.columns(self, 'gradOutput', gradOutput)
   return self.kind.differentiable and g or g:contiguous()
end

local function forward(self, input) return self:rethrowErrors(self.modules[1], 1, 'updateOutput', input) end
local function back(self, input, g) return self:rethrowErrors(self.modules[1], 1, 'updateGradInput', input, own(self, g)) end
local function learn(self, input, g, scale)
   self:rethrowErrors(self.modules[1], 1, 'accGradParameters', input, own(self, g), scale)
end

function OutputsInParts:updateOutput(input)
   local part = M.together(self, forward, input)
   self.output = self.gather and partition.gather(self, self:scratch '_whole', part)() or part
   return self.output
end

function OutputsInParts:updateGradInput(input, gradOutput)
   self.gradInput = M.together(self, back, input, gradOutput)
   if self.kind.differentiable then sum(self, self.gradInput) end
   return self.gradInput
end

function OutputsInParts:accGradParameters(input, gradOutput, scale) M.together(self, learn, input, gradOutput, scale) end

-- gradInput is reduced while the gradient of the parameters is computed.
function OutputsInParts:backward(input, gradOutput, scale)
   self.gradInput = M.together(self, back, input, gradOutput)
   local handle = self.gradInput and self.kind.differentiable
      and dist.allreduce(self.gradInput, 'sum', agree.options(self.number, true))
   local ok, why = pcall(M.together, self, learn, input, gradOutput, scale)
   if handle then handle:wait() end
   if not ok then error(why, 0) end
   return self.gradInput
end

-- ---- inputs divided
-- ------------------------------------------------------------------------------------------------------

--- Layers in parts whose output is a sum over the ranks: dist.RowLinear and dist.RowLookupTable.
local SumOfParts = torch.class('dist.SumOfParts', 'dist.InParts')

-- The output is the sum of kind.share(layer, input) over all ranks, plus the bias;
-- kind.learn(layer, input, gradOutput, scale) is accGradParameters of a part.
function SumOfParts:updateOutput(input)
   self.output = sum(self, M.together(self, self.kind.share, input))
   if self.bias then self.output:add(self.modules[2].bias) end
   return self.output
end

function SumOfParts:accGradParameters(input, gradOutput, scale)
   M.together(self, self.kind.learn, input, gradOutput, scale)
end

return M
