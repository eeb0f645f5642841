-- nn/activation/activation.lua - layers that apply one scalar function to each element, each defined by a row of the table below.
local torch = require 'torch'
local arg = require 'torch.arg'

local number_of, original = arg.number_of, arg.original
local backward = require 'torch.class'.ours 'nn.Module'.backward

-- Defines a class. `row` holds the class; op, the function in torch; grad, (gradInput, x, y, gradOutput, numbers), when
-- it is not the function <op>_grad, or 'input' when that function needs no output; fields, the numbers that op takes
-- after x, each {field, default}; inplace, whether the next argument asks to work in the input's memory;
-- validate, the method validateParameters; text, how tostring shows the fields.
local function activation(row)
   local Class = row[1]
   local Module = getmetatable(Class)
   local forward = type(row.op) == 'string' and function(...) return torch[row.op](...) end or row.op
   local backward = row.grad
   if backward == 'input' then
      -- The function reads only the shape of y. x has the same, even if there was no forward.
      backward = function(gx, x, _, ...) return torch[row.op .. '_grad'](gx, x, x, ...) end
   end
   backward = backward or function(...) return torch[row.op .. '_grad'](...) end
   local fields = row.fields or {}
   local n = #fields
   local f1, f2 = fields[1] and fields[1][1], fields[2] and fields[2][1]
   local d1, d2 = fields[1] and fields[1][2], fields[2] and fields[2][2]
   Class.bufferNames, Class.anyGradShape = row.buffers or {}, true
   Class.refusesFirst = type(row.op) == 'string' and type(row.grad) ~= 'function'
   Class.validateParameters = row.validate

   function Class:__init(...)
      Module.__init(self)
      for i = 1, n do
         local value = (select(i, ...))
         if value == nil then value = fields[i][2] end
         self[fields[i][1]] = number_of(value)
            or error(('%s: %s must be a number, got %s'):format(Class.__typename, fields[i][1], type(value)), 3)
      end
      if row.inplace then self.inplace = (select(n + 1, ...)) or false end
      if self.validateParameters then self:validateParameters() end
   end

   -- Fields that are missing in files of early versions get their defaults.
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
   --- nn.Abs(): The absolute value of each element.
   -- nn.Abs():forward(torch.Tensor{-2, 3}) --> {2, 3}
   {torch.class('nn.Abs', 'nn.Module'), op = 'abs', grad = function(gx, x, _, g) return gx:sign(x):cmul(g) end},
   --- nn.Exp(): e to the power of each element.
   -- nn.Exp():forward(torch.Tensor{0, 1}) --> {1, 2.7183}
   {torch.class('nn.Exp', 'nn.Module'), op = 'exp', grad = function(gx, _, y, g) return gx:cmul(y, g) end},
   --- nn.Log(): The natural logarithm of each element.
   -- nn.Log():forward(torch.Tensor{1, 10}) --> {0, 2.3026}
   {torch.class('nn.Log', 'nn.Module'), op = 'log', grad = function(gx, x, _, g) return gx:cdiv(g, x) end},
   --- nn.Square(): The square of each element.
   -- nn.Square():forward(torch.Tensor{-2, 3}) --> {4, 9}
   {torch.class('nn.Square', 'nn.Module'), op = 'square', grad = function(gx, x, _, g) return gx:cmul(x, g):mul(2) end},
   --- nn.Sigmoid(): 1 / (1 + exp(-x)) of each element.
   -- nn.Sigmoid():forward(torch.Tensor{0, 2}) --> {0.5, 0.8808}
   {torch.class('nn.Sigmoid', 'nn.Module'), op = 'sigmoid'},
   --- nn.Tanh(): The hyperbolic tangent of each element.
   -- nn.Tanh():forward(torch.Tensor{0, 1}) --> {0, 0.76159}
   {torch.class('nn.Tanh', 'nn.Module'), op = 'tanh'},
   --- nn.TanhShrink(): x - tanh(x) of each element.
   -- nn.TanhShrink():forward(torch.Tensor{0, 1}) --> {0, 0.23841}
   {torch.class('nn.TanhShrink', 'nn.Module'), op = function(y, x) return y:tanh(x):mul(-1):add(x) end, buffers = {'tanh'},
      grad = function(gx, x, y, g) return torch.csub(gx, x, y):square():cmul(g) end},
   --- nn.LogSigmoid(): log(1 / (1 + exp(-x))) of each element.
   -- nn.LogSigmoid():forward(torch.Tensor{0, -100}) --> {-0.69315, -100}
   {torch.class('nn.LogSigmoid', 'nn.Module'), op = 'logsigmoid', buffers = {'buffer'}},
   --- nn.SoftSign(): x / (1 + |x|) of each element.
   -- nn.SoftSign():forward(torch.Tensor{-1, 3}) --> {-0.5, 0.75}
   {torch.class('nn.SoftSign', 'nn.Module'), op = 'softsign', buffers = {'temp', 'tempgrad'}},
   --- nn.SoftPlus([beta]): log(1 + exp(beta x)) / beta of each element; beta is 1 by default.
   -- nn.SoftPlus():forward(torch.Tensor{0, 30}) --> {0.69315, 30}
   {torch.class('nn.SoftPlus', 'nn.Module'), op = 'softplus', fields = {{'beta', 1}}},
   --- nn.HardShrink([lambda]): x, but 0 between -lambda and lambda (0.5).
   -- nn.HardShrink():forward(torch.Tensor{-0.3, 2}) --> {0, 2}
   {torch.class('nn.HardShrink', 'nn.Module'), op = 'hardshrink', grad = 'input', fields = {{'lambda', 0.5}}},
   --- nn.SoftShrink([lambda]): x moved towards 0 by lambda (0.5), but not across it.
   -- nn.SoftShrink():forward(torch.Tensor{-0.3, 2}) --> {0, 1.5}
   {torch.class('nn.SoftShrink', 'nn.Module'), op = 'softshrink', grad = 'input', fields = {{'lambda', 0.5}}},
   --- nn.ELU([alpha], [inplace]): x where it is positive, else alpha (exp(x) - 1); alpha is 1 by default. Clevert et al., arXiv:1511.07289.
   -- nn.ELU():forward(torch.Tensor{-1, 2}) --> {-0.63212, 2}
   {torch.class('nn.ELU', 'nn.Module'), op = 'elu', fields = {{'alpha', 1}}, inplace = true, text = ' (alpha:%f)'},
   --- nn.LeakyReLU([negval], [inplace]): x where it is positive, else negval x (0.01).
   -- nn.LeakyReLU(0.1):forward(torch.Tensor{-1, 2}) --> {-0.1, 2}
   {torch.class('nn.LeakyReLU', 'nn.Module'), op = 'leakyrelu', grad = 'input', fields = {{'negval', 1 / 100}}, inplace = true,
      text = '(%s)'},
   --- nn.GELU(): x times the normal distribution function of x, of each element. Hendrycks and Gimpel, arXiv:1606.08415.
   -- nn.GELU():forward(torch.Tensor{-1, 2}) --> {-0.15866, 1.9545}
   {torch.class('nn.GELU', 'nn.Module'), op = 'gelu'},
   --- nn.ClippedReLU([clip], [inplace]): x limited to [0, clip], 20 by default. Hannun et al., "Deep speech" (2014).
   -- nn.ClippedReLU(2):forward(torch.Tensor{-1, 0.5, 8}) --> {0, 0.5, 2}
   --- nn.ClippedReLU:validateParameters(): Refuses a ceiling that cannot be; called when an object is made.
   {torch.class('nn.ClippedReLU', 'nn.Module'), op = function(y, x, clip) return torch.hardtanh(y, x, 0, clip) end, fields = {{'clip', 20}},
      inplace = true, text = '(%g)', grad = function(gx, x, _, g, clip) return torch.hardtanh_grad(gx, x, x, g, 0, clip) end,
      validate = function(self)
         if self.clip <= 0 or self.clip ~= self.clip then error('nn.ClippedReLU: clip must be positive, got ' .. self.clip, 4) end
      end},
   --- nn.ReLU6([inplace]): x limited to [0, 6].
   -- nn.ReLU6():forward(torch.Tensor{-1, 8}) --> {0, 6}
   {torch.class('nn.ReLU6', 'nn.Module'), op = function(y, x) return torch.hardtanh(y, x, 0, 6) end, inplace = true,
      grad = function(gx, x, _, g) return torch.hardtanh_grad(gx, x, x, g, 0, 6) end},
   --- nn.HardTanh([min], [max], [inplace]): x limited to [min, max], by default [-1, 1].
   -- nn.HardTanh():forward(torch.Tensor{-3, 0.5}) --> {-1, 0.5}
   --- nn.HardTanh:validateParameters(): Refuses min_val >= max_val; called when an object is made.
   {torch.class('nn.HardTanh', 'nn.Module'), op = 'hardtanh', grad = 'input', fields = {{'min_val', -1}, {'max_val', 1}}, inplace = true,
      validate = function(self)
         if self.min_val >= self.max_val then
            error(('%s: max_value must be larger than min_value, got %s and %s'):format(torch.type(self),
               self.max_val, self.min_val), 4)
         end
      end},
   --- nn.Threshold([th], [v], [inplace]): x where it is above th (1e-6), else v (0).
   -- nn.Threshold(1, -7):forward(torch.Tensor{0.5, 2}) --> {-7, 2}
   --- nn.Threshold:validateParameters(): Refuses val > threshold when inplace is true; called when an object is made.
   {torch.class('nn.Threshold', 'nn.Module'), op = 'threshold', grad = 'input', fields = {{'threshold', 1e-6}, {'val', 0}}, inplace = true,
      validate = function(self)
         if self.inplace and self.val > self.threshold then
            error(('nn.Threshold: in place the value must not be larger than the threshold, got %s and %s'):format(
               self.val, self.threshold), 4)
         end
      end},
} do
   activation(row)
end

local LeakyReLU = require 'torch.class'.ours 'nn.LeakyReLU'
local initLeaky = LeakyReLU.__init

-- Programs of Torch7 call nn.LeakyReLU(true), which there means the default, and not in place.
function LeakyReLU:__init(negval, inplace)
   if type(negval) == 'boolean' then negval = nil end
   initLeaky(self, negval, inplace)
   if self.negval < 0 then self.inplace = false end            -- the sign of the output must be that of the input
end

local Threshold = require 'torch.class'.ours 'nn.Threshold'
local output, gradInput = Threshold.updateOutput, Threshold.updateGradInput

--- Whether the module is max(x, 0) in place, by methods that the program has not replaced.
function Threshold:isReLUInPlace()
   return self.inplace and self.threshold == 0 and self.val == 0 and not self.sharesMemory
      and original(self.updateOutput) == output and original(self.updateGradInput) == gradInput
      and original(self.backward) == backward
end

--- max(x, 0), in place when `inplace` is true.
-- nn.ReLU():forward(torch.Tensor{-1, 2}) --> {0, 2}
local ReLU = torch.class('nn.ReLU', 'nn.Threshold')
function ReLU:__init(inplace) Threshold.__init(self, 0, 0, inplace) end

--- x limited to [min, max].
-- nn.Clamp(0, 1):forward(torch.Tensor{-2, 0.5, 2}) --> {0, 0.5, 1}
local Clamp, HardTanh = torch.class('nn.Clamp', 'nn.HardTanh')
function Clamp:__init(min, max) HardTanh.__init(self, min, max) end
