-- nn/support/jacobian.lua - gradients by finite differences, to test modules: nn.Jacobian and nn.SparseJacobian.
local torch = require 'torch'
local nn = require 'nn'

--- nn.Jacobian: Gradients by finite differences, to test modules: testJacobian(module, input) is the largest difference.
-- nn.Jacobian.testJacobian(nn.Tanh(), torch.Tensor(3)) < 1e-6 --> true
local Jacobian = {}
nn.Jacobian = Jacobian

-- The elements of a tensor by number, whatever its strides.
local function flat(t) return t:contiguous():view(-1) end

local function set(t, k, value)
   local at, rest = t:storageOffset(), k - 1
   for d = t:dim(), 1, -1 do
      at = at + rest % t:size(d) * t:stride(d)
      rest = math.floor(rest / tonumber(t:size(d)))
   end
   t:storage()[at] = value
end

--- The derivatives of every output (columns) by every element of the input, or of param through its gradient dparam
-- (rows), from backward.
function Jacobian.backward(module, input, param, dparam)
   local output = module:forward(input)
   local m = output:nElement()
   local rows = (param and param or input):nElement()
   local jacobian = torch.Tensor(rows, m):zero()
   local g = output:clone()
   for k = 1, m do
      g:zero()
      set(g, k, 1)
      module:zeroGradParameters()
      local din = module:updateGradInput(input, g)
      module:accGradParameters(input, g)
      if not param and not din then error('nn.Jacobian: the module gives no gradient of its input', 2) end
      jacobian:select(2, k):copy(flat(param and dparam or din))
   end
   return jacobian
end

--- The same from a step of backwardUpdate.
function Jacobian.backwardUpdate(module, input, param)
   local output = module:forward(input)
   local m = output:nElement()
   local jacobian = torch.Tensor(param:nElement(), m):zero()
   local kept = param:clone()
   local g = output:clone()
   for k = 1, m do
      g:zero()
      set(g, k, 1)
      param:copy(kept)
      module:forward(input)
      module:updateGradInput(input, g)
      module:accUpdateGradParameters(input, g, 1)
      jacobian:select(2, k):copy(flat(kept):clone():add(-1, flat(param)))
   end
   param:copy(kept)
   return jacobian
end

--- The same by central differences of the outputs.
-- @param param         the tensor to perturb, default: the input
-- @param perturbation  default 1e-6
function Jacobian.forward(module, input, param, perturbation)
   param = param or input
   local h = perturbation or 1e-6
   local values = flat(param):clone()
   local n = values:nElement()
   local jacobian
   for k = 1, n do
      set(param, k, values[k] + h)
      local up = flat(module:forward(input)):clone()
      set(param, k, values[k] - h)
      local down = flat(module:forward(input)):clone()
      set(param, k, values[k])
      jacobian = jacobian or torch.Tensor(n, up:nElement())
      jacobian:select(1, k):copy(up:add(-1, down):div(2 * h))
   end
   return jacobian
end

--- The change of the outputs for a step of each parameter, computed by backwardUpdate.
function Jacobian.forwardUpdate(module, input, param, perturbation)
   return Jacobian.forward(module, input, param, perturbation)
end

local function draw(t, minval, maxval)
   minval, maxval = minval or -2, maxval or 2
   return t:copy(torch.rand(t:nElement()):mul(maxval - minval):add(minval))      -- of any type: fractions are cut off
end

--- The largest difference between backward and differences, for random inputs of [minval, maxval].
function Jacobian.testJacobian(module, input, minval, maxval, perturbation)
   draw(input, minval, maxval)
   local backward = Jacobian.backward(module, input)
   return Jacobian.forward(module, input, nil, perturbation):add(-1, backward):abs():max()
end

--- The same for a parameter tensor and its gradient dparam.
function Jacobian.testJacobianParameters(module, input, param, dparam, minval, maxval, perturbation)
   draw(input, minval, maxval)
   draw(param, minval, maxval)
   local backward = Jacobian.backward(module, input, param, dparam)
   return Jacobian.forward(module, input, param, perturbation):add(-1, backward):abs():max()
end

--- The same for the step that accUpdateGradParameters makes.
function Jacobian.testJacobianUpdateParameters(module, input, param, minval, maxval, perturbation)
   draw(input, minval, maxval)
   draw(param, minval, maxval)
   local backward = Jacobian.backwardUpdate(module, input, param)
   return Jacobian.forwardUpdate(module, input, param, perturbation):add(-1, backward):abs():max()
end

--- Writes a module to a file and reads it: the largest differences of its output and of its gradInput.
function Jacobian.testIO(module, input, minval, maxval)
   draw(input, minval, maxval)
   local output = module:forward(input):clone()
   local g = output:clone():uniform(-1, 1)
   module:zeroGradParameters()
   local gradInput = module:backward(input, g):clone()
   local again = torch.deserialize(torch.serialize(module))
   local difference = (again:forward(input) - output):abs():max()
   again:zeroGradParameters()
   return difference, (again:backward(input, g) - gradInput):abs():max()
end

--- For each way to update a parameter, its distance from the plain step. The table has four
-- numbers, by the names accGradParameters and accUpdateGradParameters, and the same with "
-- [shared]" for two modules with one parameter.
function Jacobian.testAllUpdate(module, input, weight, gradWeight)
   local lr = torch.uniform(0.1, 1)
   local g
   -- The parameter after `count` modules that share it updated it, and the gradient of the first.
   local function updated(count, direct)
      local modules = {}
      for i = 1, count do
         modules[i] = module:clone()
         if i > 1 then modules[i]:share(modules[1], weight) end
      end
      for _, m in ipairs(modules) do
         m:forward(input)
         m:zeroGradParameters()
      end
      g = g or modules[1].output:clone():copy(torch.rand(modules[1].output:nElement()))
      for _, m in ipairs(modules) do m:updateGradInput(input, g) end
      for _, m in ipairs(modules) do
         if direct then m:accUpdateGradParameters(input, g, lr) else m:accGradParameters(input, g) end
      end
      for _, m in ipairs(direct and {} or modules) do m:updateParameters(lr) end
      return modules[1][weight], modules[1][gradWeight]
   end
   local plain, gradient = updated(1)
   local function far(x, steps) return (module[weight] - gradient * (lr * steps) - x):norm() end
   return {
      accGradParameters = far(plain, 1),
      accUpdateGradParameters = far(updated(1, true), 1),
      ['accGradParameters [shared]'] = far(updated(2), 2),
      ['accUpdateGradParameters [shared]'] = far(updated(2, true), 2),
   }
end

-- Second derivatives, of modules that nn.hessian extends.

--- The diagonal of the second derivative by the input or a parameter, from accDiagHessianParameters.
function Jacobian.backwardDiagHessian(module, input, diagHessianParamName)
   module:forward(input)
   local h = module.output:clone():fill(0.5)
   local byInput = module:updateDiagHessianInput(input, h)
   module:accDiagHessianParameters(input, h)
   return diagHessianParamName and module[diagHessianParamName] or byInput
end

--- The same for modules that are linear in their parameters and inputs, from their derivatives.
function Jacobian.linearModuleDiagHessian(module, input, gradParamName)
   local output = module:forward(input)
   local squares
   local g = output:clone()
   for k = 1, output:nElement() do
      g:zero()
      set(g, k, 1)
      module:zeroGradParameters()
      local byInput = module:updateGradInput(input, g)
      module:accGradParameters(input, g, 1)
      local d = flat(gradParamName and module[gradParamName] or byInput):clone()
      squares = squares or d:clone():zero()
      squares:addcmul(0.5, d, d)
   end
   return squares
end

--- nn.Jacobian.testDiagHessian(module, input, gradParamName, diagHessianParamName, [minval], [maxval]): The largest difference between
-- the second derivatives of nn.hessian and the ones computed for a module that is linear.

--- nn.Jacobian.testDiagHessianInput(module, input, [minval], [maxval]): The same by the input.

--- nn.Jacobian.testDiagHessianWeight(module, input, [minval], [maxval]): The same by the weight.

--- nn.Jacobian.testDiagHessianBias(module, input, [minval], [maxval]): The same by the bias.
function Jacobian.testDiagHessian(module, input, gradParamName, diagHessianParamName, minval, maxval)
   draw(input, minval, maxval)
   if module.initDiagHessianParameters then
      module:initDiagHessianParameters()
      if diagHessianParamName then module[diagHessianParamName]:zero() end
   end
   local backward = flat(Jacobian.backwardDiagHessian(module, input, diagHessianParamName)):clone()
   return (backward - Jacobian.linearModuleDiagHessian(module, input, gradParamName)):abs():max()
end

function Jacobian.testDiagHessianInput(module, input, minval, maxval)
   return Jacobian.testDiagHessian(module, input, nil, nil, minval, maxval)
end

function Jacobian.testDiagHessianWeight(module, input, minval, maxval)
   return Jacobian.testDiagHessian(module, input, 'gradWeight', 'diagHessianWeight', minval, maxval)
end

function Jacobian.testDiagHessianBias(module, input, minval, maxval)
   return Jacobian.testDiagHessian(module, input, 'gradBias', 'diagHessianBias', minval, maxval)
end

--- nn.SparseJacobian: The tests of nn.Jacobian for sparse inputs: n x 2 matrices of (index, value); gradInput likewise. Values
-- vary, indices stay.
local SparseJacobian = {}
nn.SparseJacobian = SparseJacobian

-- A module whose input is the values; the indices of `input` stay fixed.
local function values(module, input)
   local m = {}
   local function full(x)
      local pairs = input:clone()
      pairs:select(2, 2):copy(x)
      return {pairs}
   end
   function m:forward(x) return module:forward(full(x)) end
   function m:updateGradInput(x, g)
      local gradInput = module:updateGradInput(full(x), g)
      local byIndex, out = gradInput[1], x:clone()
      if not byIndex then return nil end           -- nn.SparseLinear has a gradient for doGradInput only
      for k = 1, input:size(1) do out[k] = byIndex[input[k][1]][2] end
      return out
   end
   function m:accGradParameters(x, g, scale) return module:accGradParameters(full(x), g, scale or 1) end
   function m:accUpdateGradParameters(x, g, lr) return module:accUpdateGradParameters(full(x), g, lr) end
   function m:zeroGradParameters() module:zeroGradParameters() end
   return m, input:select(2, 2):clone()
end

--- nn.SparseJacobian.backward(module, input, ...): nn.Jacobian.backward for a sparse input.

--- nn.SparseJacobian.backwardUpdate(module, input, ...): nn.Jacobian.backwardUpdate for a sparse input.

--- nn.SparseJacobian.forward(module, input, ...): nn.Jacobian.forward for a sparse input.

--- nn.SparseJacobian.forwardUpdate(module, input, ...): nn.Jacobian.forwardUpdate for a sparse input.

--- nn.SparseJacobian.testJacobian(module, input, ...): nn.Jacobian.testJacobian for a sparse input.

--- nn.SparseJacobian.testJacobianParameters(module, input, ...): nn.Jacobian.testJacobianParameters for a sparse input.

--- nn.SparseJacobian.testJacobianUpdateParameters(module, input, ...): nn.Jacobian.testJacobianUpdateParameters for a sparse input.

--- nn.SparseJacobian.testIO(module, input, ...): nn.Jacobian.testIO for a sparse input.

--- nn.SparseJacobian.testAllUpdate(module, input, ...): nn.Jacobian.testAllUpdate for a sparse input.
for _, name in ipairs{'backward', 'backwardUpdate', 'forward', 'forwardUpdate', 'testJacobian', 'testJacobianParameters',
   'testJacobianUpdateParameters'} do
   SparseJacobian[name] = function(module, input, ...)
      local m, x = values(module, input)
      return Jacobian[name](m, x, ...)
   end
end

function SparseJacobian.testIO(module, input, minval, maxval)
   draw(input:select(2, 2), minval, maxval)
   local output = module:forward{input}:clone()
   local again = torch.deserialize(torch.serialize(module))
   return (again:forward{input} - output):abs():max(), 0
end

function SparseJacobian.testAllUpdate(module, input, weight, gradWeight)
   return Jacobian.testAllUpdate(module, {input}, weight, gradWeight)
end

return Jacobian
