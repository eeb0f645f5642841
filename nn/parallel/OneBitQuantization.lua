-- nn/parallel/OneBitQuantization.lua - quantizes matrices to one bit per element, with the error added to the next one.
local torch = require 'torch'
local utils = require 'nn.utils'
local devices = require 'nn.parallel.devices'

--- Makes gradients thirty times smaller for transfer between machines. Of each element it keeps
-- only whether it is at least 0. For each row it keeps the mean of those that are and of those that
-- are not. The error of a matrix is kept and added to the next one, so that the sum over many stays
-- right. Seide et al., "1-bit stochastic gradient descent and its application to data-parallel
-- distributed training of speech DNNs" (2014). fbcunn's adds the error twice and diverges; this one
-- adds it once.
-- (nn.OneBitQuantization():quantize(torch.Tensor{{1, 3, -2}})) --> {{3}}
local OneBit = torch.class('nn.OneBitQuantization')

function OneBit:__init() self:reset() end

--- Drops the kept error.
function OneBit:reset()
   self.quantization_error = nil
   return self
end

local function refuse(name, what, wish, got) utils.refuse('nn.OneBitQuantization:' .. name, what, wish, got) end

local function isMatrix(x) return torch.isTensor(x) and x:dim() == 2 end

local powers = {}                             -- by type: 1, 2, 4, ..., 2^31
for k = 0, 31 do powers[k + 1] = 2 ^ k end

local floats = {['torch.FloatTensor'] = true, ['torch.DoubleTensor'] = true, ['torch.CudaTensor'] = true,
   ['torch.CudaDoubleTensor'] = true}

-- A type on the device of x.
local function beside(x, word) return ('torch.%s%sTensor'):format(x._device > 0 and 'Cuda' or '', word) end

local function quantize(self, x, sum)
   local rows, columns = tonumber(x:size(1)), tonumber(x:size(2))
   local above = sum:ge(0):type(x:type())
   local below = above * -1 + 1
   local function mean(part) return torch.cmul(sum, part):sum(2):cdiv(part:sum(2):cmax(1)) end
   local up, down = mean(above), mean(below)
   self.quantization_error = sum - torch.cmul(above, up:expandAs(sum)) - torch.cmul(below, down:expandAs(sum))
   local words, double = math.ceil(columns / 32), beside(x, 'Double')
   local padded = torch.Tensor():type(double):resize(rows, words * 32):zero()
   padded:narrow(2, 1, columns):copy(above)
   local bits = torch.mv(padded:view(-1, 32), torch.DoubleTensor(powers):type(double))
   bits:add(-2 ^ 32, bits:ge(2 ^ 31):type(double))              -- the sign is the highest bit
   return bits:type(beside(x, 'Int')):view(rows, words), self.quantization_error, up:view(-1), down:view(-1)
end

--- Quantizes a matrix of floats or doubles, on the CPU or a device, plus the kept error of the matrices before.
-- @return the bits, ints of rows x ceil(columns / 32), lowest bits first. Then the new error, which
--         is kept. Then for each row the means of the numbers that are at least 0 and of the others
--         (0 if there are none)
function OneBit:quantize(x)
   if not isMatrix(x) or not floats[x:type()] then
      refuse('quantize', 'non_quantized_input', 'be a matrix of floats or doubles', isMatrix(x) and x:type() or x)
   end
   local before = self.quantization_error
   if before and not (before:isSameSizeAs(x) and before:type() == x:type()) then
      refuse('quantize', 'non_quantized_input', ('be a %s of size %s as before (reset forgets that)')
         :format(before:type(), utils.shape(before)), ('a %s of size %s'):format(x:type(), utils.shape(x)))
   end
   local sum = before and x + before or x:clone()
   if not torch.eq(sum - sum, 0):all() then refuse('quantize', 'non_quantized_input', 'hold finite numbers', 'nan or inf') end
   return devices.on(x._device, quantize, self, x, sum)
end

local function dequantize(bits, avg_pos, avg_neg, num_orig_cols)
   local rows, words, double = tonumber(bits:size(1)), tonumber(bits:size(2)), beside(bits, 'Double')
   local numbers = bits:type(double):view(-1, 1)
   numbers:add(2 ^ 32, numbers:lt(0):type(double))
   local divisors = torch.DoubleTensor(powers):type(double):view(1, 32):expand(rows * words, 32)
   local all = numbers:expand(rows * words, 32):clone():cdiv(divisors)
   local above = all:floor():fmod(2):view(rows, words * 32):narrow(2, 1, num_orig_cols):type(avg_pos:type())
   local up, down = avg_pos:contiguous():view(rows, 1), avg_neg:type(avg_pos:type()):contiguous():view(rows, 1)
   return torch.cmul(above, up:expandAs(above)):add(torch.cmul(above * -1 + 1, down:expandAs(above)))
end

--- Reconstructs a matrix from the results of quantize: each element is the mean of its kind in its row.
-- @param num_orig_cols  how many columns the matrix had
-- nn.OneBitQuantization():dequantize(torch.IntTensor{{3}}, torch.Tensor{2}, torch.Tensor{-2}, 3) --> {{2, 2, -2}}
function OneBit:dequantize(bits, avg_pos, avg_neg, num_orig_cols)                        -- luacheck: no self
   if not isMatrix(bits) or bits:type() ~= beside(bits, 'Int') then
      refuse('dequantize', 'quantized_input', 'be a matrix of ints', torch.isTensor(bits) and bits:type() or bits)
   end
   local rows, words = tonumber(bits:size(1)), tonumber(bits:size(2))
   for name, mean in pairs { avg_pos = avg_pos or false, avg_neg = avg_neg or false } do
      if not torch.isTensor(mean) or mean:nElement() ~= rows then
         refuse('dequantize', name, ('have a number for each of %d rows'):format(rows), mean or 'nothing')
      end
   end
   if type(num_orig_cols) ~= 'number' or math.ceil(num_orig_cols / 32) ~= words or num_orig_cols % 1 ~= 0 then
      refuse('dequantize', 'num_orig_cols', ('be a whole number of %d to %d'):format(32 * words - 31, 32 * words),
         tostring(num_orig_cols))
   end
   return devices.on(bits._device, dequantize, bits, avg_pos, avg_neg, num_orig_cols)
end

return OneBit
