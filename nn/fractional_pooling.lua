-- nn/fractional_pooling.lua - max pooling over windows of random places, for images and volumes.
local torch = require 'torch'

-- The first places of `out` windows of size `pool` in `n` places: steps whose mean is the ratio of sizes, moved by
-- `sample` of [0, 1).
--- nn.SpatialFractionalMaxPooling(kW, kH, outW, outH), nn.VolumetricFractionalMaxPooling(kT, kW, kH, outT, outW, outH): Max
-- pooling over windows of fixed size at random places, drawn at each forward. Graham, "Fractional max-pooling" (2014).
-- @param outW,outH,outT  sizes of the output; those below 1 are ratios to the input
-- nn.SpatialFractionalMaxPooling(2, 2, 3, 4):forward(torch.ones(1, 7, 8)):size() --> {1, 4, 3}
local function starts(sample, n, out, pool)
   local first = {}
   local alpha = out > 1 and (n - pool) / (out - 1) or 0
   for i = 1, out - 1 do first[i] = math.floor((i - 1 + sample) * alpha) - math.floor(sample * alpha) + 1 end
   first[out] = n - pool + 1
   return first
end

-- kind: Spatial or Volumetric; sides: the letters of the dimensions, in the order of the arguments; order: from the
-- outermost dimension of an image in.
local function fractional(kind, sides, order)
   local dims = #sides
   local Class, Module = torch.class('nn.' .. kind .. 'FractionalMaxPooling', 'nn.Module')
   Class.bufferNames = {'indices'}

   function Class:__init(...)
      Module.__init(self)
      local args = {...}
      for i, side in ipairs(sides) do
         local pool, size = args[i], args[dims + i]
         if type(pool) ~= 'number' or pool < 2 then
            error(('nn.%sFractionalMaxPooling: windows must have sizes of at least 2, got %s'):format(kind,
               tostring(pool)), 3)
         end
         if type(size) ~= 'number' or size <= 0 then
            error(('nn.%sFractionalMaxPooling: expected a size or a ratio for each dimension, got %s'):format(kind,
               tostring(size)), 3)
         end
         self['poolSize' .. side] = pool
         if size >= 1 then self['out' .. side] = size else self['ratio' .. side] = size end
      end
   end

   --- Draws the places once more at the next forward, and then keeps them. Returns self.
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
      if r and self.fixed and r:size(1) == samples and r:size(2) == planes then return end
      self.randomSamples = input.new(samples, planes, dims):uniform()
   end

   -- Calls f(window, place in the plane of its corner, output pixel number) for each window of one plane.
   local function eachWindow(self, plane, sample, sizes, f)
      local first = {}
      for i, side in ipairs(order) do
         first[i] = starts(sample[dims + 1 - i], tonumber(plane:size(i)), sizes[i], self['poolSize' .. side])
      end
      local total = 1
      for i = 1, dims do total = total * sizes[i] end
      for k = 1, total do
         local rest, window, corner = k - 1, plane, {}
         for i = dims, 1, -1 do
            local o = rest % sizes[i] + 1
            rest = math.floor(rest / sizes[i])
            corner[i] = first[i][o]
            window = window:narrow(i, corner[i], self['poolSize' .. order[i]])
         end
         f(window, corner, k)
      end
   end

   function Class:updateOutput(input)
      self:needTensor(input)
      self:initSampleBuffer_(input)
      local sizes = self:getOutputSizes_(input)
      local samples, planes = self:getBufferSize_(input)
      local n, size = input:dim(), input:size()
      for i = 1, dims do size[n - dims + i] = sizes[i] end
      self.output:resize(size)
      local indices = self:scratch('indices', 'torch.LongTensor'):resize(size)
      local batch = n == dims + 2 and input or input:contiguous():view(1, unpack(input:size():totable()))
      local y, at = self.output:view(samples, planes, -1), indices:view(samples, planes, -1)
      for s = 1, samples do
         for c = 1, planes do
            local plane = batch[s][c]
            eachWindow(self, plane, self.randomSamples[s][c], sizes, function(window, corner, k)
               local largest, place = window:contiguous():view(-1):max(1)
               local rest, index, scale = tonumber(place[1]) - 1, 0, 1
               for i = dims, 1, -1 do
                  index = index + (corner[i] - 1 + rest % window:size(i)) * scale
                  rest = math.floor(rest / tonumber(window:size(i)))
                  scale = scale * tonumber(plane:size(i))
               end
               y[s][c][k], at[s][c][k] = largest[1], index + 1
            end)
         end
      end
      return self.output
   end

   function Class:updateGradInput(input, gradOutput)
      local samples, planes = self:getBufferSize_(input)
      self.gradInput:resize(input:size()):zero()
      local g = self.gradInput:view(samples, planes, -1)
      local at = self.indices:view(samples, planes, -1)
      local from = gradOutput:contiguous():view(samples, planes, -1)
      for s = 1, samples do
         for c = 1, planes do g[s][c]:indexAdd(1, at[s][c], from[s][c]) end
      end
      return self.gradInput
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

fractional('Spatial', {'W', 'H'}, {'H', 'W'})
fractional('Volumetric', {'T', 'W', 'H'}, {'H', 'W', 'T'})        -- time is the innermost dimension
