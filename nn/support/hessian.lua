-- nn/support/hessian.lua - the diagonal of the second derivative (Gauss-Newton), for modules that are linear or pointwise.
local torch = require 'torch'
local nn = require 'nn'

--- nn.hessian: Second derivatives (the diagonal, Gauss-Newton): nn.hessian.enable() adds them to modules.
nn.hessian = {}

local enabled = false

--- Adds to modules updateDiagHessianInput(input, diagHessianOutput), accDiagHessianParameters(input, diagHessianOutput)
-- and initDiagHessianParameters(); Module:getParameters gets a third vector, of diagHessian tensors. LeCun et al.,
-- "Efficient backprop" (1998).
function nn.hessian.enable()
   if enabled then return end
   enabled = true
   local Module = torch.getmetatable 'nn.Module'

   function Module:updateDiagHessianInput(_, diagHessianOutput)
      self.diagHessianInput = self.diagHessianInput or diagHessianOutput
      return self.diagHessianInput
   end

   function Module:accDiagHessianParameters() end

   --- Makes diagHessianWeight and the like, all zero.
   function Module:initDiagHessianParameters()
      for _, name in ipairs(self.parameterNames) do
         if self[name] then
            local field = 'diagHessian' .. name:gsub('^%l', string.upper)
            self[field] = self[name].new(self[name]:size()):zero()
         end
      end
      for _, module in ipairs(self.modules or {}) do module:initDiagHessianParameters() end
   end

   -- Runs `method` of a module whose weight temporarily holds its squares, because for y = W x the second derivative
   -- is the backward pass with every weight and input squared.
   local function withSquares(self, method, ...)
      local kept = self.weight
      self.weight = torch.cmul(kept, kept)
      local gradInput = self.gradInput
      self.gradInput = self.diagHessianInput or gradInput.new()
      local ok, result = pcall(self[method], self, ...)
      self.diagHessianInput = self.gradInput
      self.weight, self.gradInput = kept, gradInput
      if not ok then error(result, 0) end
      return self.diagHessianInput
   end

   -- Modules that are linear in their inputs and parameters.
   for _, name in ipairs{'Linear', 'SpatialConvolution', 'SpatialConvolutionMM', 'SpatialFullConvolution',
      'SpatialConvolutionMap', 'SpatialFullConvolutionMap', 'SpatialDilatedConvolution', 'TemporalConvolution',
      'VolumetricConvolution'} do
      local Class = torch.getmetatable('nn.' .. name)

      function Class:updateDiagHessianInput(input, diagHessianOutput)
         return withSquares(self, 'updateGradInput', input, diagHessianOutput)
      end

      function Class:accDiagHessianParameters(input, diagHessianOutput)
         local gw, gb = self.gradWeight, self.gradBias
         self.gradWeight, self.gradBias = self.diagHessianWeight, self.diagHessianBias
         local ok, err = pcall(self.accGradParameters, self, torch.cmul(input, input), diagHessianOutput, 1)
         self.gradWeight, self.gradBias = gw, gb
         if not ok then error(err, 0) end
      end
   end

   -- Pointwise modules: the derivative squared.
   for _, name in ipairs{'Tanh', 'Sigmoid', 'Square', 'Sqrt', 'Exp', 'Log', 'Power', 'ReLU', 'Threshold', 'HardTanh',
      'SoftPlus', 'Abs', 'MulConstant', 'AddConstant', 'Identity', 'View', 'Reshape'} do
      local Class = torch.getmetatable('nn.' .. name)

      function Class:updateDiagHessianInput(input, diagHessianOutput)
         local kept = self.gradInput
         self.gradInput = kept.new()
         local ones = diagHessianOutput.new(diagHessianOutput:size()):fill(1)
         local derivative = self:updateGradInput(input, ones):clone()
         self.gradInput = kept
         self.diagHessianInput = derivative:cmul(derivative):cmul(diagHessianOutput:viewAs(derivative))
         return self.diagHessianInput
      end
   end

   local Sequential = torch.getmetatable 'nn.Sequential'
   local function back(self, input, h, step)
      for i = #self.modules, 1, -1 do
         local x = i > 1 and self.modules[i - 1].output or input
         local module = self.modules[i]
         h = step(module, x, h)
      end
      return h
   end

   function Sequential:updateDiagHessianInput(input, diagHessianOutput)
      self.diagHessianInput = back(self, input, diagHessianOutput, function(module, x, h)
         return module:updateDiagHessianInput(x, h)
      end)
      return self.diagHessianInput
   end

   function Sequential:accDiagHessianParameters(input, diagHessianOutput)
      back(self, input, diagHessianOutput, function(module, x, h)
         module:accDiagHessianParameters(x, h)
         return module.diagHessianInput
      end)
   end

   -- The second derivative of the squared error.
   local MSE = torch.getmetatable 'nn.MSECriterion'
   function MSE:updateDiagHessianInput(input)
      self.diagHessianInput = input.new(input:size()):fill(self.sizeAverage and 2 / input:nElement() or 2)
      return self.diagHessianInput
   end

   -- A third vector, of the second derivatives, when they have been made.
   local getParameters = Module.getParameters
   function Module:getParameters()
      local p, g = getParameters(self)
      local list = {}
      self:apply(function(module)
         for _, name in ipairs(module.parameterNames) do
            local h = module[name] and module['diagHessian' .. name:gsub('^%l', string.upper)]
            if h then list[#list + 1] = h end
         end
      end)
      if #list == 0 then return p, g end
      return p, g, Module.flatten(list)
   end
end

return nn.hessian
