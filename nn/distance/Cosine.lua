-- nn/distance/Cosine.lua - the cosines of the angles to outputSize learned vectors (the rows of weight).
local torch = require 'torch'
local row_wise = require 'nn.distance.row_wise'

local rows, like = row_wise.rows, row_wise.like

--- The cosines of the angles to outputSize learned vectors (the rows of weight).
-- nn.Cosine(4, 3):forward(torch.ones(2, 4)):size() --> {2, 3}
local Cosine, Module = torch.class('nn.Cosine', 'nn.Module')
Cosine.__arguments = 'inputSize:size outputSize:size'
Cosine.bufferNames = {'_input', '_weight', '_output', '_gradOutput', '_sum', '_weightNorm', '_inputNorm'}

function Cosine:__init(inputSize, outputSize)
   Module.__init(self)
   self:parameter('weight', outputSize, inputSize)
   self:reset()
end

function Cosine:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.weight:size(1))
   self.weight:uniform(-a, a)
end

-- Rows, the norms of the rows as a column, the norms of the weights as a row.
local function norms(self, input)
   local x = rows(self, input, self.weight:size(2))
   return x, x:norm(2, 2):add(1e-12), self.weight:norm(2, 2):add(1e-12):t()
end

function Cosine:updateOutput(input)
   local x, xn, wn = norms(self, input)
   local y = torch.mm(x, self.weight:t())
   y:cdiv(xn:expandAs(y)):cdiv(wn:expandAs(y))
   return like(input, y, self.output)
end

-- g / |w| and sum(g y), from which both gradients come.
local function scaled(self, input, gradOutput)
   local x, xn, wn = norms(self, input)
   local g = gradOutput:contiguous():view(x:size(1), -1)
   local y = self.output:contiguous():view(x:size(1), -1)
   return x, xn, wn, g, torch.cmul(g, y)
end

function Cosine:updateGradInput(input, gradOutput)
   if not self.gradInput then return end
   local x, xn, wn, g, gy = scaled(self, input, gradOutput)
   local gx = torch.mm(torch.cdiv(g, wn:expandAs(g)), self.weight)
   gx:cdiv(xn:expandAs(gx))
   gx:add(-1, torch.cmul(x, gy:sum(2):cdiv(xn):cdiv(xn):expandAs(x)))
   return like(input, gx, self.gradInput)
end

function Cosine:accGradParameters(input, gradOutput, scale)
   local x, xn, wn, g, gy = scaled(self, input, gradOutput)
   local gw = torch.mm(torch.cdiv(g, xn:expandAs(g)):t(), x)
   local column = wn:t()
   gw:cdiv(column:expandAs(gw))
   gw:add(-1, torch.cmul(self.weight, gy:sum(1):t():contiguous():cdiv(column):cdiv(column):expandAs(gw)))
   self.gradWeight:add(scale or 1, gw)
end

return Cosine
