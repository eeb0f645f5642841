-- nn/more_convolutions.lua - convolutions with other connections: plane by plane, by table, and with filters that differ
-- from place to place.
local torch = require 'torch'
local images = require 'nn.images'
local windows = require 'nn.windows'

--- Every input plane has nOutputPlane filters of its own; plane (i - 1) * nOutputPlane + o is filter o of input plane i.
--- @param dW,dH,padW,padH  as of nn.SpatialConvolution
local DepthWise = torch.class('nn.SpatialDepthWiseConvolution', 'nn.SpatialConvolution')

-- Torch7 makes matrices, and shapes them at the first use.
function DepthWise:makeParameters()
   self:parameter('weight', self.nOutputPlane, self.nInputPlane * self.kH * self.kW)
   self:parameter('bias', self.nOutputPlane, self.nInputPlane)
end

local function shape(self)
   for _, w in ipairs{self.weight, self.gradWeight} do
      if w:dim() == 2 then w:resize(self.nOutputPlane, self.nInputPlane, self.kH, self.kW) end
   end
end

-- Filters and bias in the order of the output planes.
local function ordered(t)
   t = t:transpose(1, 2):contiguous()
   if t:dim() == 2 then return t:view(-1) end
   return t:view(t:size(1) * t:size(2), 1, t:size(3), t:size(4))
end

local function numbers(self)
   return self.dH, self.dW, self.padH, self.padW, 1, 1, self.nInputPlane
end

local function bias(self, input)
   if self.bias then return ordered(self.bias) end
   return input.new(self.nInputPlane * self.nOutputPlane):zero()
end

function DepthWise:updateOutput(input)
   images.check(self, input, self.nInputPlane)
   images.fits(self, input, self.kH, self.kW, self.padH, self.padW)
   shape(self)
   return torch.conv2d(self.output, input, ordered(self.weight), bias(self, input), numbers(self))
end

function DepthWise:updateGradInput(input, gradOutput)
   return torch.conv2d_grad_input(self.gradInput, input, gradOutput, ordered(self.weight), numbers(self))
end

function DepthWise:accGradParameters(input, gradOutput, scale)
   shape(self)
   local gw = ordered(self.gradWeight:clone():zero())
   local gb = self.gradBias and ordered(self.gradBias:clone():zero())
   torch.conv2d_grad_weight(gw, gb, input, gradOutput, scale or 1, numbers(self))
   self.gradWeight:add(gw:view(self.nInputPlane, self.nOutputPlane, self.kH, self.kW):transpose(1, 2))
   if gb then self.gradBias:add(gb:view(self.nInputPlane, self.nOutputPlane):t()) end
end

-- A convolution whose weights are kept for each connection of a table of (from, to) rows.
local function mapped(name, parent)
   local Class = torch.class('nn.' .. name, 'nn.Module')
   Class.bufferNames = {'_zeros'}

   --- @param conMatrix  a matrix with a row (input plane, output plane) for every filter
   --- @param dW,dH      steps, default 1
   function Class:__init(conMatrix, kW, kH, dW, dH)
      torch.getmetatable 'nn.Module'.__init(self)
      if not torch.isTensor(conMatrix) or conMatrix:dim() ~= 2 or conMatrix:size(2) ~= 2 then
         error(('nn.%s: conMatrix must be a matrix of two columns, got %s'):format(name,
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

   -- Without stdv each output plane has its own range: by how many filters it has.
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
         return torch.conv2d(self.gradInput, gradOutput, full(self), zeros(self, self.nInputPlane), self.dH, self.dW)
      end
   else
      function Class:updateOutput(input)
         images.check(self, input, self.nInputPlane)
         images.fits(self, input, self.kH, self.kW, 0, 0)
         return torch.conv2d(self.output, input, full(self), self.bias, self.dH, self.dW)
      end

      function Class:updateGradInput(input, gradOutput)
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

mapped('SpatialConvolutionMap')
mapped('SpatialFullConvolutionMap', 'full')

local nn = require 'nn'
nn.tables = {}

--- All connections between nin and nout planes.
function nn.tables.full(nin, nout)
   local t = torch.Tensor(nin * nout, 2)
   local k = 0
   for o = 1, nout do
      for i = 1, nin do
         k = k + 1
         t[k][1], t[k][2] = i, o
      end
   end
   return t
end

--- Plane i to plane i.
function nn.tables.oneToOne(nfeat)
   local t = torch.Tensor(nfeat, 2)
   for i = 1, nfeat do t[i][1], t[i][2] = i, i end
   return t
end

--- nto random input planes for every output plane, each input as often as any other.
function nn.tables.random(nin, nout, nto)
   local t = torch.Tensor(nto * nout, 2)
   local order, at = torch.randperm(nin), 0
   for k = 1, nto * nout do
      at = at + 1
      if at > nin then order, at = torch.randperm(nin), 1 end
      t[k][1], t[k][2] = order[at], math.floor((k - 1) / nto) + 1
   end
   return t
end

--- Filters that differ from place to place, for images of one size.
--- @param iW,iH  the size of the images
--- @param dW,dH,padW,padH  as of nn.SpatialConvolution
local Local = torch.class('nn.SpatialConvolutionLocal', 'nn.Module')
Local.bufferNames = {'finput', 'fgradInput', '_input', '_gradOutput'}

function Local:__init(nInputPlane, nOutputPlane, iW, iH, kW, kH, dW, dH, padW, padH)
   torch.getmetatable 'nn.Module'.__init(self)
   self.nInputPlane, self.nOutputPlane = nInputPlane, nOutputPlane
   self.kW, self.kH, self.iW, self.iH = kW, kH, iW, iH
   self.dW, self.dH = dW or 1, dH or 1
   self.padW = padW or 0
   self.padH = padH or self.padW
   self.oW = math.floor((2 * self.padW + iW - kW) / self.dW) + 1
   self.oH = math.floor((2 * self.padH + iH - kH) / self.dH) + 1
   if self.oW < 1 or self.oH < 1 then
      error(('nn.SpatialConvolutionLocal: images of %dx%d are too small for filters of %dx%d'):format(iW, iH, kW, kH), 3)
   end
   self:parameter('weight', self.oH, self.oW, nOutputPlane, nInputPlane, kH, kW)
   self:parameter('bias', nOutputPlane, self.oH, self.oW)
   self:reset()
end

function Local:reset(stdv)
   local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self.kW * self.kH * self.nInputPlane)
   self.weight:uniform(-a, a)
   self.bias:uniform(-a, a)
end

-- The input as a padded batch.
local function padded(self, input)
   images.check(self, input, self.nInputPlane)
   local n = input:dim()
   if input:size(n - 1) ~= self.iH or input:size(n) ~= self.iW then
      self:refuse('input', ('have images of %dx%d'):format(self.iH, self.iW), input)
   end
   local x = n == 4 and input or input:contiguous():view(1, input:size(1), input:size(2), input:size(3))
   return windows.pad(windows.pad(x, 3, self.padH, self.padH), 4, self.padW, self.padW)
end

-- places x (planes * kH * kW) x samples
local function patches(self, x)
   local all = x:unfold(3, self.kH, self.dH):unfold(4, self.kW, self.dW)      -- n, c, oH, oW, kH, kW
   return all:permute(3, 4, 2, 5, 6, 1):contiguous():view(self.oH * self.oW, -1, x:size(1))
end

-- samples x planes x oH x oW as places x planes x samples
local function byPlace(self, g)
   g = g:contiguous():view(-1, self.nOutputPlane, self.oH * self.oW)
   return g:permute(3, 2, 1):contiguous()
end

local function filters(self, w) return w:view(self.oH * self.oW, self.nOutputPlane, -1) end

function Local:updateOutput(input)
   local x = padded(self, input)
   local y = torch.bmm(filters(self, self.weight), patches(self, x))           -- places x planes x samples
   y = y:permute(3, 2, 1):contiguous():view(x:size(1), self.nOutputPlane, self.oH, self.oW)
   y:add(self.bias:view(1, self.nOutputPlane, self.oH, self.oW):expandAs(y))
   self.output:resize(y:size()):copy(y)
   if input:dim() == 3 then self.output:resize(self.nOutputPlane, self.oH, self.oW) end
   return self.output
end

function Local:updateGradInput(input, gradOutput)
   local x = padded(self, input)
   local g = torch.bmm(filters(self, self.weight):transpose(2, 3), byPlace(self, gradOutput))
   g = g:view(self.oH, self.oW, self.nInputPlane, self.kH, self.kW, x:size(1)):permute(6, 3, 1, 2, 4, 5)
   local all = x.new(x:size()):zero()
   local view = all:unfold(3, self.kH, self.dH):unfold(4, self.kW, self.dW)
   for h = 1, self.kH do                            -- within one place of the filters nothing overlaps
      for w = 1, self.kW do view:select(6, w):select(5, h):add(g:select(6, w):select(5, h)) end
   end
   all = windows.unpad(windows.unpad(all, 3, self.padH, self.padH), 4, self.padW, self.padW)
   return self.gradInput:resize(input:size()):copy(all)
end

function Local:accGradParameters(input, gradOutput, scale)
   local x = padded(self, input)
   local g = torch.bmm(byPlace(self, gradOutput), patches(self, x):transpose(2, 3))
   self.gradWeight:add(scale or 1, g:viewAs(self.gradWeight))
   self.gradBias:add(scale or 1, gradOutput:contiguous():view(-1, self.nOutputPlane, self.oH, self.oW):sum(1)
      :viewAs(self.gradBias))
end

function Local:__tostring__()
   return ('%s(%d -> %d, %dx%d, %dx%d%s)'):format(torch.type(self), self.nInputPlane, self.nOutputPlane, self.iW,
      self.iH, self.kW, self.kH, images.steps(self.dW, self.dH, self.padW, self.padH))
end
