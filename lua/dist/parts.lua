-- lua/dist/parts.lua - the base classes of layers that lie in parts on several ranks: what such layers do whatever they compute.
--
-- All ranks call a pass of such a layer together, and an error in it on one of them is one on all: first each computes with its
-- part, then they agree that all went well, and then tensors travel.
local torch = require 'torch'
require 'nn'
local dist = require 'dist'
local agree = require 'dist.agree'
local split = require 'dist.split'

--- The base class of layers that lie in parts on several ranks: dist.ColumnLinear, dist.RowLinear, dist.RowLookupTable and
-- dist.ColumnLookupTable.
local InParts, Container = torch.class('dist.InParts', 'nn.Container')
InParts.bufferNames = { '_whole' }

local M = { InParts = InParts }

-- Each class has a table `kind`: `names` of parameters; `dim`, the dimension of the weight that is shared out; `items`, what is,
-- and `pieces`, what a part has of the weight, in words; text(layer), more words; plain(layer, like), the whole layer with the
-- options of a part and any numbers; drawn(layer, stdv), the whole layer with numbers drawn anew.

-- Begins with the whole layer of the first rank; `make` gives that of this rank, `options` and `flags` are as of split.options.
-- Returns the layer of this rank and copies of the first one's parameters.
function InParts:__init(make, options, flags)
   local who = torch.type(self)
   if not self.kind then error(who .. ': this is a base class: dist.ColumnLinear and others make layers', 4) end
   local number, values = split.options(who, options, flags, 5)
   local whole, copies = split.whole(who, number, make, self.kind.names)
   Container.__init(self)
   self.number = number
   for name in pairs(flags) do self[name] = values[name] end
   self.sizes, self.first = split.parts(who, self.kind.items, tonumber(copies.weight:size(self.kind.dim)), number)
   return whole, copies
end

local function put(to, from) to:resize(from:size()):copy(from) end

-- Takes this rank's part of whole parameters; a bias of all ranks lies in the second module.
local function take(self, copies)
   local part, dim = self.modules[1], self.kind.dim
   local function own(p, d) return p:narrow(d, self.first, self.sizes[agree.group(self.number).at + 1]) end
   put(part.weight, own(copies.weight, dim))
   if copies.bias and dim == 1 then put(part.bias, own(copies.bias, 1))
   elseif copies.bias then put(self.modules[2].bias, copies.bias) end
end

--- The same for a part that is as large as nothing yet: gradients become zero.
function M.fill(self, copies)
   take(self, copies)
   local parameters, grads = self:parameters()
   for i, g in ipairs(grads) do g:resizeAs(parameters[i]):zero() end
end

--- Draws the numbers of the whole layer anew, as the first rank does. All ranks call it. Returns self.
-- dist.init(); dist.ColumnLinear(3, 2):reset(0.5):get(1) --> nn.Linear(3 -> 2)
function InParts:reset(stdv)
   local _, copies = split.whole(torch.type(self), self.number, function()
      return self.kind.drawn(self, stdv)
   end, self.kind.names)
   take(self, copies)
   return self
end

--- The whole layer, an nn.Linear or an nn.LookupTable, on all ranks. All call it.
-- dist.init(); dist.ColumnLinear(3, 2):collect() --> nn.Linear(3 -> 2)
function InParts:collect()
   local part, whole, dim = self.modules[1], self.kind.plain(self, self.modules[1]), self.kind.dim
   whole.weight:copy(split.join(self, part.weight, dim))
   if whole.bias then whole.bias:copy(dim == 1 and split.join(self, part.bias, 1) or self.modules[2].bias) end
   return whole
end

--- f(self, ...), this rank's share of a pass: an error in it is one on all ranks, which names the rank.
function M.together(self, f, ...)
   if agree.group(self.number).n == 1 then return f(self, ...) end
   local ok, result = pcall(f, self, ...)
   agree.well(torch.type(self), self.number, ok, result)
   return result
end

--- Whether something is so on all ranks that have parts: all call it. nn.MixedPrecision around the layer does, to repeat a pass
-- on all of them or on none.
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

-- A step without gradients kept: the parameters take the place of their gradients while accGradParameters runs.
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

-- A file holds whole layers: copies within the process are made as of other modules.
function InParts:write(file)
   if not file._carry then
      error(torch.type(self) .. ': a file holds whole layers: save what dist.collect(model) gives', 0)
   end
   Container.write(self, file)
end

require 'nn'.utils.keepsFields(InParts)

function InParts:__tostring__()
   local group = agree.group(self.number)
   return ('%s(%s, %s %d of %d)%s'):format(torch.type(self), self.kind.text(self), self.kind.pieces, group.at + 1, group.n,
      self.bias == false and ' without bias' or '')
end

-- ---- outputs shared out ------------------------------------------------------------------------------------------------------

--- Layers in parts whose outputs are shared out: dist.ColumnLinear and dist.ColumnLookupTable.
local OutputsInParts = torch.class('dist.OutputsInParts', 'dist.InParts')

-- This rank's columns of the gradient. A table wants them packed.
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
   self.output = self.gather and split.gather(self, self:scratch '_whole', part)() or part
   return self.output
end

function OutputsInParts:updateGradInput(input, gradOutput)
   self.gradInput = M.together(self, back, input, gradOutput)
   if self.kind.differentiable then sum(self, self.gradInput) end
   return self.gradInput
end

function OutputsInParts:accGradParameters(input, gradOutput, scale) M.together(self, learn, input, gradOutput, scale) end

-- gradInput travels while the gradient of the parameters is computed.
function OutputsInParts:backward(input, gradOutput, scale)
   self.gradInput = M.together(self, back, input, gradOutput)
   local handle = self.gradInput and self.kind.differentiable
      and dist.allreduce(self.gradInput, 'sum', agree.options(self.number, true))
   local ok, why = pcall(M.together, self, learn, input, gradOutput, scale)
   if handle then handle:wait() end
   if not ok then error(why, 0) end
   return self.gradInput
end

-- ---- inputs shared out -------------------------------------------------------------------------------------------------------

--- Layers in parts whose output is a sum over the ranks: dist.RowLinear and dist.RowLookupTable.
local SumOfParts = torch.class('dist.SumOfParts', 'dist.InParts')

-- The output is the sum of what kind.share(layer, input) gives on all ranks, and of the bias; kind.learn(layer, input,
-- gradOutput, scale) is accGradParameters of a part.
function SumOfParts:updateOutput(input)
   self.output = sum(self, M.together(self, self.kind.share, input))
   if self.bias then self.output:add(self.modules[2].bias) end
   return self.output
end

function SumOfParts:accGradParameters(input, gradOutput, scale)
   M.together(self, self.kind.learn, input, gradOutput, scale)
end

return M
