-- nn/convolution/padding.lua - layers that put borders around images and volumes: zeros, reflections, replications.
local torch = require 'torch'
local utils = require 'nn.utils'
local windows = require 'nn.support.windows'

local SIDES = {Spatial = {'l', 'r', 't', 'b'}, Volumetric = {'left', 'right', 'top', 'bottom', 'front', 'back'}}
local ARGUMENTS = 'left:whole? right:whole? top:whole? bottom:whole?'

-- kind: Spatial or Volumetric; mode: zero, mirror or edge.
--- nn.SpatialZeroPadding(left, right, top, bottom): Adds a border of zeros to images. Missing sides equal the first; negative
-- numbers cut off.
-- nn.SpatialZeroPadding(1, 0, 0, 0):forward(torch.ones(1, 1, 2)) --> {{{0, 1, 1}}}

--- nn.SpatialReflectionPadding(left, right, top, bottom): Adds a border of reflected pixels to images; negative
-- numbers cut off.
-- nn.SpatialReflectionPadding(1, 1, 0, 0):forward(torch.range(1, 3):view(1, 1, 3)) --> {{{2, 1, 2, 3, 2}}}

--- nn.SpatialReplicationPadding(left, right, top, bottom): Adds a border of repeated pixels to images; negative
-- numbers cut off.
-- nn.SpatialReplicationPadding(1, 1, 0, 0):forward(torch.range(1, 3):view(1, 1, 3)) --> {{{1, 1, 2, 3, 3}}}

--- nn.VolumetricReplicationPadding(left, right, top, bottom, front, back): Adds a border of repeated voxels;
-- negative numbers cut off.
-- nn.VolumetricReplicationPadding(1, 1, 1, 1, 1, 1):forward(torch.ones(1, 2, 2, 2)):size() --> {1, 4, 4, 4}
local function padding(Class, kind, mode)
   local sides = SIDES[kind]
   local dims = #sides / 2
   local Module = getmetatable(Class)
   Class.__arguments = ARGUMENTS .. (kind == 'Volumetric' and ' front:whole? back:whole?' or '')
   local prefix = kind == 'Spatial' and 'pad_' or 'p'

   function Class:__init(...)
      local first = ...
      Module.__init(self)
      for i, side in ipairs(sides) do
         local n = (select(i, ...))
         if n == nil then n = first end
         if type(n) ~= 'number' or n % 1 ~= 0 then
            error(('%s: padding must be a whole number, got %s'):format(Class.__typename, tostring(n)), 3)
         end
         self[prefix .. side] = n
      end
   end

   -- For dimension d from the last: the padding before and after.
   local function sizes(self, d) return self[prefix .. sides[2 * d - 1]], self[prefix .. sides[2 * d]] end

   local function check(self, input)
      local n = torch.isTensor(input) and input:dim()
      if n ~= dims + 1 and n ~= dims + 2 then
         self:refuse('input', ('have %d or %d dimensions'):format(dims + 1, dims + 2), input)
      end
      for d = 1, dims do
         local before, after = sizes(self, d)
         local size = input:size(n + 1 - d)
         if mode == 'mirror' and (before >= size or after >= size) then
            self:refuse('input', 'be larger than its padding', input)
         elseif size + before + after < 1 or size < 1 then
            self:refuse('input', 'be large enough for what is cut off', input)
         end
      end
      return n
   end

   local function places(self, input, n, d)
      local before, after = sizes(self, d)
      return utils.beside(windows.places(tonumber(input:size(n + 1 - d)), before, after, mode), input)
   end

   local function padded(self, input, n)
      local size = input:size()
      for d = 1, dims do
         local before, after = sizes(self, d)
         size[n + 1 - d] = size[n + 1 - d] + before + after
      end
      return size
   end

   function Class:updateOutput(input)
      local n = check(self, input)
      self.output:resize(padded(self, input, n))     -- refuses wrong sizes before any list is made
      local y = input
      for d = 1, dims do
         if mode == 'zero' then
            y = windows.pad(y, n + 1 - d, sizes(self, d))
         else
            y = y:index(n + 1 - d, places(self, input, n, d))
         end
      end
      return self.output:resizeAs(y):copy(y)
   end

   function Class:updateGradInput(input, gradOutput)
      local n, g = check(self, input), gradOutput
      local size = padded(self, input, n)
      if not torch.isTensor(g) or not g:isSize(size) then
         self:refuse('gradOutput', 'have the size of the output, ' .. table.concat(size:totable(), 'x'), g)
      end
      for d = dims, 1, -1 do
         if mode == 'zero' then
            g = windows.unpad(g, n + 1 - d, sizes(self, d))
         else
            local inner = g:size()
            inner[n + 1 - d] = input:size(n + 1 - d)
            g = g.new(inner):zero():indexAdd(n + 1 - d, places(self, input, n, d), g)
         end
      end
      return self.gradInput:resizeAs(input):copy(g)
   end

   function Class:__tostring__()
      local text = {}
      for i, side in ipairs(sides) do text[i] = ('%s=%d'):format(side, self[prefix .. side]) end
      return ('%s(%s)'):format(torch.type(self), table.concat(text, ', '))
   end
end

for _, row in ipairs{
   {torch.class('nn.SpatialZeroPadding', 'nn.Module'), 'Spatial', 'zero'},
   {torch.class('nn.SpatialReflectionPadding', 'nn.Module'), 'Spatial', 'mirror'},
   {torch.class('nn.SpatialReplicationPadding', 'nn.Module'), 'Spatial', 'edge'},
   {torch.class('nn.VolumetricReplicationPadding', 'nn.Module'), 'Volumetric', 'edge'},
} do
   padding(unpack(row))
end
