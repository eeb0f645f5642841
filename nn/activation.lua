-- nn/activation.lua - layers that apply one scalar function to each element; they differ by a row of the table below.
local torch = require 'torch'

-- Makes a class. `row` says: its name; op, the function in torch; grad, (gradInput, x, y, gradOutput, numbers), when
-- it is not the function <op>_grad; fields, the numbers that op takes after x, each {field, default}; inplace, whether
-- the argument after them asks to work in the input's memory; text, how tostring shows the fields; doc, for the help.
local function activation(row)
   local Class, Module = torch.class('nn.' .. row.name, 'nn.Module')
   local forward = type(row.op) == 'string' and function(...) return torch[row.op](...) end or row.op
   local backward = row.grad or function(...) return torch[row.op .. '_grad'](...) end
   local fields = row.fields or {}
   local n = #fields
   local f1, f2 = fields[1] and fields[1][1], fields[2] and fields[2][1]
   local d1, d2 = fields[1] and fields[1][2], fields[2] and fields[2][2]
   Class.bufferNames = row.buffers or {}
   Class.doc = row.doc

   function Class:__init(...)
      Module.__init(self)
      for i = 1, n do
         local value = (select(i, ...))
         if value == nil then value = fields[i][2] end
         if type(value) ~= 'number' then
            error(('nn.%s: %s must be a number, got %s'):format(row.name, fields[i][1], type(value)), 3)
         end
         self[fields[i][1]] = value
      end
      if row.inplace then self.inplace = (select(n + 1, ...)) or false end
      if row.validate then row.validate(self) end
   end

   -- Fields that files of early versions lack have their defaults.
   local function run(self, op, a, b, c, d)
      if n == 0 then return op(a, b, c, d) end
      local v1, v2 = self[f1] or d1, f2 and (self[f2] or d2)
      if c == nil then
         if n == 1 then return op(a, b, v1) end
         return op(a, b, v1, v2)
      end
      if n == 1 then return op(a, b, c, d, v1) end
      return op(a, b, c, d, v1, v2)
   end

   function Class:updateOutput(input)
      self:needType(input)
      if self.inplace then
         run(self, forward, input, input)
         self.output:set(input)
         return self.output
      end
      return run(self, forward, self.output, input)
   end

   function Class:updateGradInput(input, gradOutput)
      if self.inplace then
         run(self, backward, gradOutput, input, self.output, gradOutput)
         self.gradInput:set(gradOutput)
         return self.gradInput
      end
      return run(self, backward, self.gradInput, input, self.output, gradOutput)
   end

   if row.text then
      function Class:__tostring__() return torch.type(self) .. row.text:format(self[f1], self[f2]) end
   end
   return Class
end

for _, row in ipairs{
   {name = 'Abs', doc = '|x|.',
      op = 'abs', grad = function(gx, x, _, g) return gx:sign(x):cmul(g) end},
   {name = 'Exp', doc = 'e^x.',
      op = 'exp', grad = function(gx, _, y, g) return gx:cmul(g, y) end},
   {name = 'Log', doc = 'The natural logarithm of x.',
      op = 'log', grad = function(gx, x, _, g) return gx:cdiv(g, x) end},
   {name = 'Square', doc = 'x^2.',
      op = 'square', grad = function(gx, x, _, g) return gx:cmul(g, x):mul(2) end},
   {name = 'Sigmoid', doc = '1 / (1 + exp(-x)).',
      op = 'sigmoid'},
   {name = 'Tanh', doc = 'The hyperbolic tangent of x.',
      op = 'tanh'},
   {name = 'TanhShrink', doc = 'x - tanh(x).',
      op = function(y, x) return y:tanh(x):mul(-1):add(x) end, buffers = {'tanh'},
      grad = function(gx, x, y, g) return torch.csub(gx, x, y):square():cmul(g) end},
   {name = 'LogSigmoid', doc = 'log(1 / (1 + exp(-x))).',
      op = 'logsigmoid', buffers = {'buffer'}},
   {name = 'SoftSign', doc = 'x / (1 + |x|).',
      op = 'softsign', buffers = {'temp', 'tempgrad'}},
   {name = 'SoftPlus', doc = '(beta): log(1 + exp(beta x)) / beta; beta is 1 by default.',
      op = 'softplus', fields = {{'beta', 1}}},
   {name = 'HardShrink', doc = '(lambda): x, but 0 between -lambda and lambda (0.5).',
      op = 'hardshrink', fields = {{'lambda', 0.5}}},
   {name = 'SoftShrink', doc = '(lambda): x moved towards 0 by lambda (0.5).',
      op = 'softshrink', fields = {{'lambda', 0.5}}},
   {name = 'ELU', doc = '(alpha, inplace): x where it is positive, else alpha (exp(x) - 1). Clevert et al. (2015).',
      op = 'elu', fields = {{'alpha', 1}}, inplace = true, text = ' (alpha:%f)'},
   {name = 'LeakyReLU', doc = '(negval, inplace): x where it is positive, else negval x (0.01).',
      op = 'leakyrelu', fields = {{'negval', 1 / 100}}, inplace = true, text = '(%s)'},
   {name = 'ReLU6', doc = '(inplace): x limited to [0, 6].',
      op = function(y, x) return torch.hardtanh(y, x, 0, 6) end, inplace = true,
      grad = function(gx, x, y, g) return torch.hardtanh_grad(gx, x, y, g, 0, 6) end},
   {name = 'HardTanh', doc = '(min, max, inplace): x limited to [min, max], by default [-1, 1].',
      op = 'hardtanh', fields = {{'min_val', -1}, {'max_val', 1}}, inplace = true,
      validate = function(self)
         if self.min_val >= self.max_val then
            error(('%s: max_value must be larger than min_value, got %s and %s'):format(torch.type(self),
               self.max_val, self.min_val), 4)
         end
      end},
   {name = 'Threshold', doc = '(th, v, inplace): x where it is above th (1e-6), else v (0).',
      op = 'threshold', fields = {{'threshold', 1e-6}, {'val', 0}}, inplace = true,
      validate = function(self)
         if self.inplace and self.val > self.threshold then
            error(('nn.Threshold: in place the value must not be larger than the threshold, got %s and %s'):format(
               self.val, self.threshold), 4)
         end
      end},
} do
   activation(row)
end

--- max(x, 0), in place when `inplace` is true.
local ReLU, Threshold = torch.class('nn.ReLU', 'nn.Threshold')
function ReLU:__init(inplace) Threshold.__init(self, 0, 0, inplace) end

--- x limited to [min, max].
local Clamp, HardTanh = torch.class('nn.Clamp', 'nn.HardTanh')
function Clamp:__init(min, max) HardTanh.__init(self, min, max) end
