-- nn/table/MixtureTable.lua - a weighted sum of experts.
local torch = require 'torch'

--- {gater, experts} to the sum of experts weighted by the gater: a vector of weights, or a row of them for each sample.
-- Experts are a table of tensors, or a tensor with one slice for each.
-- @param dim  the dimension of the slices in a tensor; default: the first, of a batch the second
-- nn.MixtureTable():forward{torch.Tensor{0.5, 0.5}, {torch.Tensor{1, 2}, torch.Tensor{3, 4}}} --> {2, 3}
local MixtureTable, Module = torch.class('nn.MixtureTable', 'nn.Module')
MixtureTable.__arguments = 'dim:place?'
MixtureTable.bufferNames = {'_part'}

function MixtureTable:__init(dim)
   Module.__init(self)
   self.dim = dim
   self.gradInput = {}
end

-- gater, number of experts, function i -> expert i of x, function i -> weights of expert i stretched over it
local function parts(self, input)
   local gater, experts
   if type(input) == 'table' then gater, experts = input[1], input[2] end
   if not torch.isTensor(gater) or gater:dim() > 2 or not experts then
      self:refuse('input', 'be a vector or matrix of weights, and experts', input)
   end
   local batch = gater:dim() == 2
   local n = tonumber(gater:size(gater:dim()))
   local dim = self.dim or (batch and 2 or 1)
   local count = torch.isTensor(experts) and tonumber(experts:size(dim)) or #experts
   if count ~= n then
      self:refuse('input', ('have an expert for each of %d weights'):format(n), ('%d'):format(count))
   end
   local function expert(x, i)
      if torch.isTensor(x) then return x:select(dim, i) end
      return x[i]
   end
   local function share(i, like)
      if not batch then return gater:narrow(1, i, 1):view(torch.LongStorage(like:dim()):fill(1)):expandAs(like) end
      local size = torch.LongStorage(like:dim()):fill(1)
      size[1] = gater:size(1)
      return gater:select(2, i):contiguous():view(size):expandAs(like)
   end
   return gater, experts, n, expert, share, batch
end

function MixtureTable:updateOutput(input)
   local _, experts, n, expert, share = parts(self, input)
   local first = expert(experts, 1)
   for i = 2, n do
      local x = expert(experts, i)
      if not torch.isTensor(x) or x:type() ~= self.output:type() or not x:isSameSizeAs(first) then
         self:refuse(('expert %d'):format(i), 'have the shape of the first and the type of the output', x)
      end
   end
   for i = 1, n do
      local x = expert(experts, i)
      local product = torch.cmul(self:scratch('_part', x:type()), x, share(i, x))
      if i == 1 then self.output:resizeAs(x):copy(product) else self.output:add(product) end
   end
   return self.output
end

function MixtureTable:updateGradInput(input, gradOutput)
   local gater, experts, n, expert, share, batch = parts(self, input)
   if type(self.gradInput) ~= 'table' then self.gradInput = {} end
   local byGater = torch.isTensor(self.gradInput[1]) and self.gradInput[1] or gater.new()
   byGater:resizeAs(gater)
   local byExpert = self.gradInput[2]
   if torch.isTensor(experts) then
      byExpert = (torch.isTensor(byExpert) and byExpert or experts.new()):resize(experts:size())
   elseif type(byExpert) ~= 'table' or torch.isTensor(byExpert) then
      byExpert = {}
   end
   for i = 1, n do
      local x = expert(experts, i)
      local product = torch.cmul(self:scratch('_part', x:type()), x, gradOutput)
      if batch then
         byGater:select(2, i):copy(product:view(product:size(1), -1):sum(2))
      else
         byGater[i] = product:sum()
      end
      if not torch.isTensor(experts) then
         byExpert[i] = (torch.isTensor(byExpert[i]) and byExpert[i] or x.new()):resize(x:size())
      end
      expert(byExpert, i):copy(gradOutput):cmul(share(i, x))
   end
   self.gradInput[1], self.gradInput[2] = byGater, byExpert
   return self.gradInput
end

return MixtureTable
