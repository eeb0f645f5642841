-- nn/convolution/map.lua - SpatialConvolutionMap and SpatialFullConvolutionMap: filters for the rows of a table of
-- connections.
local torch = require 'torch'
local images = require 'nn.support.images'

--- nn.SpatialConvolutionMap(conMatrix, kW, kH, [dW], [dH]): A convolution with a filter for each row of a table of connections,
-- (input plane, output plane), such as nn.tables makes.
-- nn.SpatialConvolutionMap(nn.tables.oneToOne(2), 2, 2):forward(torch.ones(2, 3, 3)):size() --> {2, 2, 2}

--- nn.SpatialFullConvolutionMap(conMatrix, kW, kH, [dW], [dH]): The transposed convolution with such a table.
-- nn.SpatialFullConvolutionMap(nn.tables.full(2, 3), 2, 2):forward(torch.ones(2, 3, 3)):size() --> {3, 4, 4}
-- A convolution whose weights are stored for each connection of a table of (from, to) rows.
local function mapped(Class, parent)
   Class.__arguments = 'conMatrix:tensor kW:count kH:count dW:count? dH:count?'
   Class.bufferNames = {'_zeros'}

   --- @param conMatrix  a matrix with a row (input plane, output plane) for every filter
   -- @param dW,dH      steps, default 1
   function Class:__init(conMatrix, kW, kH, dW, dH)
      torch.getmetatable 'nn.Module'.__init(self)
      if not torch.isTensor(conMatrix) or conMatrix:dim() ~= 2 or conMatrix:size(2) ~= 2 then
         error(('%s: conMatrix must be a matrix of two columns, got %s'):format(Class.__typename,
            require 'nn.utils'.shape(conMatrix)), 3)
      end
      self.kW, self.kH, self.dW, self.dH = kW, kH, dW or 1, dH or 1
      self.connTable = conMatrix
      self.nInputPlane = conMatrix:select(2, 1):max()
      self.nOutputPlane = conMatrix:select(2, 2):max()
      self:parameter('weight', conMatrix:size(1), kH, kW)
      self:parameter('bias', self.nOutputPlane)
      self:reset()
   end

   -- Without stdv the range depends on the number of filters of each output plane.
   function Class:reset(stdv)
      if stdv then
         stdv = stdv * math.sqrt(3)
         self.weight:uniform(-stdv, stdv)
         self.bias:uniform(-stdv, stdv)
         return
      end
      local fan = {}
      for k = 1, self.connTable:size(1) do
         local to = self.connTable[k][2]
         fan[to] = (fan[to] or 0) + 1
      end
      local function draw(t, to)
         local a = 1 / math.sqrt(self.kW * self.kH * (fan[to] or 1))
         t:uniform(-a, a)
      end
      for k = 1, self.connTable:size(1) do draw(self.weight[k], self.connTable[k][2]) end
      for o = 1, self.nOutputPlane do draw(self.bias:narrow(1, o, 1), o) end
   end

   -- Calls f(filter of connection k, filter of the full weight) for each; the full one is out x in or in x out.
   local function each(self, filters, full, f)
      for k = 1, self.connTable:size(1) do
         local from, to = self.connTable[k][1], self.connTable[k][2]
         f(filters[k], parent == 'full' and full[from][to] or full[to][from])
      end
   end

   local function full(self)
      local rows, columns = self.nOutputPlane, self.nInputPlane
      if parent == 'full' then rows, columns = columns, rows end
      local w = self.weight.new(rows, columns, self.kH, self.kW):zero()
      each(self, self.weight, w, function(filter, place) place:add(filter) end)
      return w
   end

   local function zeros(self, n) return self:scratch '_zeros':resize(n):zero() end

   if parent == 'full' then
      function Class:updateOutput(input)
         images.check(self, input, self.nInputPlane)
         local n, size = input:dim(), input:size()
         size[n - 2] = self.nOutputPlane
         size[n - 1] = (input:size(n - 1) - 1) * self.dH + self.kH
         size[n] = (input:size(n) - 1) * self.dW + self.kW
         torch.conv2d_grad_input(self.output, zeros(self, 1):expand(size), input, full(self), self.dH, self.dW)
         return self.output:add(self.bias:view(-1, 1, 1):expandAs(self.output))
      end

      function Class:updateGradInput(_, gradOutput)
         if not self.gradInput then return end
         return torch.conv2d(self.gradInput, gradOutput, full(self), zeros(self, self.nInputPlane), self.dH, self.dW)
      end
   else
      function Class:updateOutput(input)
         images.check(self, input, self.nInputPlane)
         images.fits(self, input, self.kH, self.kW, 0, 0)
         return torch.conv2d(self.output, input, full(self), self.bias, self.dH, self.dW)
      end

      function Class:updateGradInput(input, gradOutput)
         if not self.gradInput then return end
         return torch.conv2d_grad_input(self.gradInput, input, gradOutput, full(self), self.dH, self.dW)
      end
   end

   function Class:accGradParameters(input, gradOutput, scale)
      scale = scale or 1
      local g = full(self):zero()
      local x, y = input, gradOutput
      if parent == 'full' then x, y = y, x end
      torch.conv2d_grad_weight(g, nil, x, y, scale, self.dH, self.dW)
      each(self, self.gradWeight, g, function(filter, place) filter:add(place) end)
      local n = gradOutput:dim()
      local sum = gradOutput:sum(n):sum(n - 1)
      self.gradBias:add(scale, (n == 4 and sum:sum(1) or sum):contiguous():view(-1))
   end

   --- Subtracts decay * parameters from the parameters.
   function Class:decayParameters(decay)
      self.weight:add(-decay, self.weight)
      self.bias:add(-decay, self.bias)
   end
end

mapped((torch.class('nn.SpatialConvolutionMap', 'nn.Module')))
mapped((torch.class('nn.SpatialFullConvolutionMap', 'nn.Module')), 'full')
