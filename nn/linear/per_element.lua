-- nn/linear/per_element.lua - CMul and CAdd: a learned tensor of factors, or of summands, for each sample.
local torch = require 'torch'
local utils = require 'nn.utils'

--- nn.CMul(sizes...): Multiplies each sample with a learned tensor, which stretches over dimensions of size 1.
-- nn.CMul(3):forward(torch.zeros(2, 3)) --> {{0, 0, 0}, {0, 0, 0}}

--- nn.CAdd(sizes...): Adds a learned tensor to each sample; dimensions of size 1 stretch.
-- nn.CAdd(3):forward(torch.ones(2, 3)):size() --> {2, 3}
-- CMul and CAdd: a tensor of parameters for every sample. `name` is the parameter's.
local function elementwise(Class, name)
   local Module = getmetatable(Class)
   local grad = 'grad' .. name:gsub('^%l', string.upper)
   Class.bufferNames = {'_input', '_output', '_weight', '_expand', '_repeat', '_sum', '_gradOutput', '_gradInput',
      '_bias', '_gradBias'}

   --- @param ...  sizes of the parameters, or a LongStorage
   function Class:__init(...)
      local sizes = ...
      Module.__init(self)
      self.size = torch.isStorage(sizes) and sizes or torch.LongStorage{...}
      self:parameter(name, self.size)
      self:reset()
   end

   function Class:reset(stdv)
      local a = stdv and stdv * math.sqrt(3) or 1 / math.sqrt(self[name]:nElement())
      self[name]:uniform(-a, a)
   end

   --- The parameters as a tensor that broadcasts over x: of the same shape as a sample, or of one that fits.
   function Class:fit(x)
      local p = self[name]
      if not torch.isTensor(x) then self:refuse('input', 'be a tensor', x) end
      local shape, fits = p:size(), x:dim() >= p:dim()
      for i = 1, fits and #shape or 0 do
         local have = x:size(x:dim() - #shape + i)
         fits = fits and (shape[i] == have or shape[i] == 1)
      end
      if fits then return p end
      local n = tonumber(p:nElement())
      if x:nElement() % n ~= 0 or x:nElement() == 0 then
         self:refuse('input', ('be of shape %s, or a batch of those'):format(utils.shape(p)), x)
      end
      return nil, n
   end

   --- to (of the shape of x) = x op parameters
   function Class:combine(to, x, op)
      local p, n = self:fit(x)
      to:resizeAs(x):copy(x)
      if p then
         to[op](to, p)
      else
         local view = to:view(-1, n)
         view[op](view, self[name]:view(1, n))
      end
      return to
   end

   --- gradient += scale * (g summed over the dimensions in which the parameters were broadcast)
   function Class:collect(x, g, scale)
      local p, n = self:fit(x)
      if p then
         while g:dim() > p:dim() do g = g:sum(1):select(1, 1) end
         for i = 1, p:dim() do
            if p:size(i) == 1 and g:size(i) > 1 then g = g:sum(i) end
         end
      else
         g = g:contiguous():view(-1, n):sum(1)
      end
      self[grad]:add(scale, g:contiguous():viewAs(self[grad]))
   end
   return Class
end

--- Multiplies each sample with a learned tensor of the sizes given.
local CMul = elementwise((torch.class('nn.CMul', 'nn.Module')), 'weight')

function CMul:updateOutput(input) return self:combine(self.output, input, 'cmul') end

function CMul:updateGradInput(_, gradOutput)
   if not self.gradInput then return end
   return self:combine(self.gradInput, gradOutput, 'cmul')
end

function CMul:accGradParameters(input, gradOutput, scale)
   local product = torch.cmul(self:scratch('_sum', input:type()), input, gradOutput)
   self:collect(input, product, scale or 1)
end

--- Adds a learned tensor of the sizes given to each sample.
local CAdd = elementwise((torch.class('nn.CAdd', 'nn.Module')), 'bias')

function CAdd:updateOutput(input) return self:combine(self.output, input, 'add') end

function CAdd:updateGradInput(_, gradOutput)
   if not self.gradInput then return end
   return self.gradInput:resizeAs(gradOutput):copy(gradOutput)
end

function CAdd:accGradParameters(input, gradOutput, scale)
   self:collect(input, gradOutput, scale or 1)
end
