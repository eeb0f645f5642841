-- nn/pooling/fractional.lua - max pooling over windows at random positions, for images and volumes.
local torch = require 'torch'

--- nn.SpatialFractionalMaxPooling(kW, kH, outW, outH), nn.VolumetricFractionalMaxPooling(kT, kW, kH, outT, outW, outH): Max
-- pooling over windows of fixed size at random positions, drawn at each forward. Graham, "Fractional max-pooling" (2014).
-- @param outW,outH,outT  sizes of the output; those below 1 are ratios to the input
-- nn.SpatialFractionalMaxPooling(2, 2, 3, 4):forward(torch.ones(1, 7, 8)):size() --> {1, 4, 3}

-- sides: the letters of the dimensions, in the order of the arguments; order: from the
-- outermost dimension of an image in; pool, pool_grad: the ops.
local function fractional(Class, sides, order, pool, pool_grad)
   local dims = #sides
   local Module = getmetatable(Class)
   Class.bufferNames = {'indices'}

   function Class:__init(...)
      Module.__init(self)
      local args = {...}
      for i, side in ipairs(sides) do
         local pool, size = tonumber(args[i]), tonumber(args[dims + i])
         if not (pool and pool >= 2 and pool < 2 ^ 31) then
            error(('%s: windows must have sizes of at least 2, got %s'):format(Class.__typename, tostring(args[i])), 3)
         end
         if not (size and size > 0 and size < 2 ^ 31) then
            error(('%s: expected a size or a ratio for each dimension, got %s'):format(Class.__typename,
               tostring(args[dims + i])), 3)
         end
         self['poolSize' .. side] = math.floor(pool)
         if size >= 1 then self['out' .. side] = math.floor(size) else self['ratio' .. side] = size end
      end
   end

   --- Draws the positions once more at the next forward, and then keeps them. Returns self.
   function Class:fixPoolingRegions()
      self.randomSamples = nil
      self.fixed = true
      return self
   end

   -- The sizes of the output, outermost first.
   function Class:getOutputSizes_(input)
      local sizes = {}
      for i, side in ipairs(order) do
         local n = tonumber(input:size(input:dim() - dims + i))
         sizes[i] = self['out' .. side] or math.floor(n * self['ratio' .. side])
         if sizes[i] < 1 or sizes[i] + self['poolSize' .. side] - 1 > n then
            self:refuse('input', ('have at least %d places in dimension %d'):format(
               math.max(1, sizes[i]) + self['poolSize' .. side] - 1, input:dim() - dims + i), input)
         end
      end
      return sizes
   end

   -- How many samples and planes need random numbers.
   function Class:getBufferSize_(input)
      local n = input:dim()
      if n ~= dims + 1 and n ~= dims + 2 then
         self:refuse('input', ('have %d or %d dimensions'):format(dims + 1, dims + 2), input)
      end
      return n == dims + 2 and tonumber(input:size(1)) or 1, tonumber(input:size(n - dims))
   end

   function Class:initSampleBuffer_(input)
      local samples, planes = self:getBufferSize_(input)
      local r = self.randomSamples
      local fits = r and r:type() == input:type() and r:size(1) == samples and r:size(2) == planes
      if self.fixed and fits then return end
      self.randomSamples = input.new(samples, planes, dims):uniform()
   end

   function Class:updateOutput(input)
      self:needTensor(input)
      self:initSampleBuffer_(input)
      local numbers = {}
      for i, side in ipairs(order) do numbers[i] = self['poolSize' .. side] end
      for _, size in ipairs(self:getOutputSizes_(input)) do numbers[#numbers + 1] = size end
      pool(self.output, self:scratch('indices', 'torch.LongTensor'), input, self.randomSamples, unpack(numbers))
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      return pool_grad(self.gradInput, input, self.indices, gradOutput)
   end

   --- clearState under an older name.
   function Class:empty() self:clearState() end

   function Class:clearState()
      if not self.fixed then self.randomSamples = nil end
      return Module.clearState(self)
   end

   function Class:__tostring__()
      local outs, pools = {}, {}
      for i, side in ipairs(sides) do
         outs[i], pools[i] = ('%d'):format(self['out' .. side] or 0), ('%d'):format(self['poolSize' .. side])
      end
      return ('%s(%s, %s)'):format(torch.type(self), table.concat(outs, 'x'), table.concat(pools, ','))
   end
end

fractional((torch.class('nn.SpatialFractionalMaxPooling', 'nn.Module')), {'W', 'H'}, {'H', 'W'},
   torch.fractionalmaxpool2d, torch.maxpool2d_grad)
-- Time is the innermost dimension.
fractional((torch.class('nn.VolumetricFractionalMaxPooling', 'nn.Module')), {'T', 'W', 'H'}, {'H', 'W', 'T'},
   torch.fractionalmaxpool3d, torch.maxpool3d_grad)
