-- nn/pooling/upsampling.lua - larger images: SpatialUpSamplingNearest, SpatialUpSamplingBilinear, UpSampling.
local ffi = require 'ffi'
local torch = require 'torch'

-- The matrix, outputs x inputs, that maps the rows of the input to those of the output.
local matrices = {}

-- Each row repeated.
function matrices.nearest(n, to)
   local m = torch.zeros(to, n)
   for o = 1, to do m[o][math.floor((o - 1) * n / to) + 1] = 1 end
   return m
end

local cell = ffi.new 'float[1]'
local function float(x)
   cell[0] = x
   return tonumber(cell[0])
end

-- Linear between neighbours; the first and last rows stay. The positions are floats, as in Torch7.
function matrices.linear(n, to)
   local m = torch.zeros(to, n)
   local step = to > 1 and float((n - 1) / (to - 1)) or 0
   for o = 1, to do
      local at = float((o - 1) * step)
      local low = math.min(math.floor(at), n - 1)
      local share = at - low
      m[o][low + 1] = m[o][low + 1] + 1 - share
      if share > 0 then m[o][math.min(low + 2, n)] = m[o][math.min(low + 2, n)] + share end
   end
   return m
end

-- x with dimension dim multiplied by the matrix m.
local function apply(x, dim, m)
   local n = x:dim()
   local moved = x:transpose(dim, n):contiguous()
   local size = moved:size()
   local y = torch.mm(moved:view(-1, size[n]), m:t())
   size[n] = m:size(1)
   return y:view(size):transpose(dim, n)
end

-- Scales the last `dims` dimensions of the input, in the mode self.mode.
local Base, Module = torch.class('nn.UpSampling', 'nn.Module')

-- The sizes of the output, last dimensions first.
local function targets(self, input, dims)
   local sizes = {}
   local given = {self.owidth, self.oheight, self.otemp or self.odepth}
   for d = 1, dims do
      local scale = self.scale_factor
      sizes[d] = scale and tonumber(input:size(input:dim() + 1 - d)) * scale or given[d]
      if not sizes[d] then self:refuse('input', ('have %d dimensions less'):format(dims - d + 1), input) end
   end
   return sizes
end

-- How many dimensions are scaled.
local function count(self, input)
   local n = torch.isTensor(input) and input:dim() or 0
   if n < 3 or n > 5 or (self.dims and n ~= self.dims + 1 and n ~= self.dims + 2) then
      self:refuse('input', ('have %s dimensions'):format(self.dims and ('%d or %d'):format(self.dims + 1, self.dims + 2)
         or '3 to 5'), input)
   end
   return self.dims or (n == 5 and 3 or 2)
end

local function weights(self, input, d, to)
   local n = tonumber(input:size(input:dim() + 1 - d))
   local m = matrices[self.mode or self.defaultMode](n, to)
   return m:type(input:type())
end

function Base:updateOutput(input)
   local dims = count(self, input)
   local y = input
   for d, to in ipairs(targets(self, input, dims)) do
      y = apply(y, input:dim() + 1 - d, weights(self, input, d, to))
   end
   return self.output:resizeAs(y):copy(y)
end

function Base:updateGradInput(input, gradOutput)
   local g = gradOutput
   for d, to in ipairs(targets(self, input, count(self, input))) do
      g = apply(g, input:dim() + 1 - d, weights(self, input, d, to):t())
   end
   return self.gradInput:resizeAs(input):copy(g)
end

--- Scales images (samples x planes x height x width) or volumes.
-- @param params  a whole factor, or {oheight =, owidth = [, otemp =]}
-- @param mode    'nearest' (default) or 'linear', which keeps the corners in place
-- nn.UpSampling(2):forward(torch.ones(1, 1, 2, 3)):size() --> {1, 1, 4, 6}
function Base:__init(params, mode)
   Module.__init(self)
   self.mode = mode or 'nearest'
   if not matrices[self.mode] then
      error("nn.UpSampling: mode must be 'nearest' or 'linear', got " .. tostring(mode), 3)
   end
   self:setSize(params)
end

--- Sets the factor or the sizes.
function Base:setSize(params)
   self.scale_factor, self.owidth, self.oheight = nil, nil, nil
   if type(params) == 'number' then
      if params < 1 or params % 1 ~= 0 then
         error(('%s: the factor must be a whole number of at least 1, got %s'):format(torch.type(self), params), 3)
      end
      self.scale_factor = params
   elseif type(params) == 'table' and tonumber(params.oheight) and tonumber(params.owidth) then
      self.oheight, self.owidth = params.oheight, params.owidth
      self.otemp = params.otemp or params.odepth
   else
      error(torch.type(self) .. ': expected a factor, or a table with oheight and owidth, got '
         .. require 'nn.utils'.shape(params), 3)
   end
end

function Base:__tostring__()
   local size = self.scale_factor and ('%dx'):format(self.scale_factor) or ('%dx%d'):format(self.oheight, self.owidth)
   return ('%s(%s, %s)'):format(torch.type(self), size, self.mode)
end

--- Repeats the rows and columns of images.
-- @param scale  the factor
-- nn.SpatialUpSamplingNearest(2):forward(torch.Tensor{{{1, 2}}}) --> {{{1, 1, 2, 2}, {1, 1, 2, 2}}}
local Nearest = torch.class('nn.SpatialUpSamplingNearest', 'nn.UpSampling')
Nearest.dims, Nearest.defaultMode = 2, 'nearest'

function Nearest:__init(scale)
   Module.__init(self)
   self:setSize(scale)
end

function Nearest:__tostring__() return torch.type(self) end

--- Interpolates images; the corners stay in place.
-- @param params  a whole factor, or {oheight =, owidth =}
-- nn.SpatialUpSamplingBilinear(2):forward(torch.Tensor{{{0, 3}}})[1][1] --> {0, 1, 2, 3}
local Bilinear = torch.class('nn.SpatialUpSamplingBilinear', 'nn.UpSampling')
Bilinear.dims, Bilinear.defaultMode = 2, 'linear'

function Bilinear:__init(params)
   Module.__init(self)
   self:setSize(params)
end

function Bilinear:__tostring__()
   return ('%s(%s)'):format(torch.type(self), self.scale_factor and ('%d'):format(self.scale_factor)
      or ('%d, %d'):format(self.oheight, self.owidth))
end
