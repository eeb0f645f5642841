-- nn/support/words.lua - error messages of passes in the words of the caller: input, gradOutput and target instead of the
-- arguments of an op.
local torch = require 'torch'
local arg = require 'torch.arg'

local words = {}

local function kind(x) return torch.isTensor(x) and x:type():match '^torch%.(.*)$' or nil end

-- 'float' for FloatTensor: the method that converts to it.
local function conversion(name) return name:match '^(%w+)Tensor$':lower() end

local isFloating = {FloatTensor = true, DoubleTensor = true, HalfTensor = true, BFloat16Tensor = true, CudaTensor = true,
   CudaDoubleTensor = true, CudaHalfTensor = true}

-- The type of the parameters of a module, or nil without any.
local function parameterKind(self)
   if type(self) ~= 'table' then return nil end
   for _, field in ipairs {'weight', 'bias', 'running_mean'} do
      local name = kind(rawget(self, field))
      if name then return name end
   end
end

-- Whether an error says that the types of two tensors differ. One that wants a certain type, such as LongTensor, does not.
local function isAboutTypes(err)
   return err:find 'must be an? [%w%.]*Tensor like' or err:find 'the type of'
end

local function ofParameters(self, name, err, input)
   local have, got = parameterKind(self), kind(input)
   if not (have and got) or have == got or not isAboutTypes(err) then return nil end
   local ways = ('input:%s()'):format(conversion(have))
   if isFloating[got] then ways = ('net:%s() or %s'):format(conversion(got), ways) end
   return ('this %s has %s parameters, the input is a %s: call %s'):format(name, have, got, ways)
end

local function ofSecond(self, name, pass, second, ofOp, named, err, input, other)
   local other_kind = kind(other)
   -- A few criterions have no target, so the error must be about it.
   local missing = pass == 'backward'
   if second == 'target' then missing = err:find('nil', 1, true) end
   if other == nil and missing and not named then
      return ('%s: %s must be a tensor, got nil'):format(name, second)
   end
   local result = second == 'target' and input or pass == 'backward' and type(self) == 'table' and rawget(self, 'output')
   local result_kind, result_name = kind(result), second == 'target' and 'input' or 'output'
   if not (other_kind and result_kind) then return nil end
   if result_name == 'output' and not named and result:nElement() == 0 and torch.isTensor(input) and input:nElement() > 0 then
      return ('%s: backward needs the output of a forward pass: call forward(input) first'):format(name)
   end
   if other_kind ~= result_kind and isAboutTypes(err) then
      return ('%s: %s must be a %s like the %s, got a %s: call %s:%s()'):format(name, second, result_kind, result_name, other_kind,
         second, conversion(result_kind))
   end
   if result_name == 'output' and ofOp and other:nElement() ~= result:nElement() then
      return ('%s: gradOutput must have the size of the output, %s, got %s'):format(name, arg.size_text(result),
         arg.size_text(other))
   end
end

--- The message for a pass that failed, where types, sizes or an absent argument explain it; or nil.
-- @param name    the class of the layer or criterion
-- @param pass    'forward' or 'backward'
-- @param second  the name of the second argument: 'gradOutput' or 'target'
-- @param ofOp    whether an op raised the error
-- @param named   whether the error names a layer already
-- @param err     the error's text
function words.explain(self, name, pass, second, ofOp, named, err, input, other)
   return ofParameters(self, name, err, input) or ofSecond(self, name, pass, second, ofOp, named, err, input, other)
end

local names = {x = 'the input', g = 'gradOutput', y = 'the output'}
local namesOfEmbedding = {index = 'the input', g = 'gradOutput'}

--- An error of an op with the caller's names: 'tanh_grad: g must ...' becomes 'gradOutput must ...'.
function words.rename(err)
   local front, text = err:match '^([%w_%.:]*%l[%w_]*: )(.*)$'
   if not front then return err end
   text = text:gsub('^result y%f[^%w_]', 'the result')
   for from, to in pairs(front:find '^embedding' and namesOfEmbedding or names) do
      text = text:gsub('^' .. from .. '%f[^%w_] must', to:gsub('^the ', '') .. ' must')
      text = text:gsub('%f[%w_]' .. from .. '%f[^%w_]', to)
   end
   return front .. text
end

return words
