-- lua/onnx/old.lua - classes of packages for Torch7 that are not in this tree, for files that hold them.
--
-- Each has what its forward computes, so that a net with it can be run and written. They exist when define is called.
local torch = require 'torch'
local nn = require 'nn'
local rules = require 'onnx.export.rules'

local M = {}

-- Where the constructors go; the packages' names stay free.
local holder = {}

local classes = {}

-- A class that computes as one of nn: files have the fields of that one.
local function as(name, parent, prepare)
   classes[name] = function()
      local Class = torch.class(name, parent, holder)
      if prepare then
         local forward = torch.getmetatable(parent).updateOutput
         function Class:updateOutput(x)
            prepare(self)
            return forward(self, x)
         end
         local rule = rules.of(parent)
         rules.set(name, { write = function(c, m, x, y)
            prepare(m)
            return rule.write(c, m, x, y)
         end })
      end
   end
end

-- imagine-nn: pooling rounds up, as in Caffe.
local function rounds_up(m)
   m.ceil_mode = true
   m.padW, m.padH = m.padW or 0, m.padH or 0
end
as('inn.SpatialMaxPooling', 'nn.SpatialMaxPooling', rounds_up)
as('inn.SpatialAveragePooling', 'nn.SpatialAveragePooling', function(m)
   rounds_up(m)
   m.count_include_pad = true
end)
as('inn.SpatialCrossResponseNormalization', 'nn.SpatialCrossMapLRN', function(m) m.k = m.k or m.K or 1 end)
as('nn.SpatialConvolutionCUDA', 'nn.SpatialConvolution')

-- Nets for pictures of a style: each sample is normalized by its means.
classes['nn.InstanceNormalization'] = function()
   local Class = torch.class('nn.InstanceNormalization', 'nn.Module', holder)
   function Class:updateOutput(x)
      local n, c = x:size(1), x:size(2)
      local rows = x:contiguous():view(n * c, -1)
      local mean = rows:mean(2)
      local centered = rows - mean:expandAs(rows)
      local variance = torch.cmul(centered, centered):mean(2):add(self.eps or 1e-5):sqrt()
      local y = centered:cdiv(variance:expandAs(rows)):viewAs(x)
      if self.weight then y:cmul(self.weight:view(1, c, 1, 1):expandAs(y)) end
      if self.bias then y:add(self.bias:view(1, c, 1, 1):expandAs(y)) end
      self.output = y
      return y
   end
end

classes['nn.TotalVariation'] = function()
   local Class = torch.class('nn.TotalVariation', 'nn.Module', holder)
   function Class:updateOutput(x)
      self.output = x
      return x
   end
   rules.leaf('nn.TotalVariation', function(_, _, x) return x end)
end

classes['nn.ShaveImage'] = function()
   local Class = torch.class('nn.ShaveImage', 'nn.Module', holder)
   function Class:updateOutput(x)
      local s = self.size
      self.output = x:narrow(3, s + 1, x:size(3) - 2 * s):narrow(4, s + 1, x:size(4) - 2 * s):contiguous()
      return self.output
   end
   rules.leaf('nn.ShaveImage', function(c, m, x)
      local name = x.name
      for d = 3, 4 do name = c:slice(name, d - 1, m.size, c:fixed(x, d) - m.size) end
      return name
   end)
end

--- Defines a class that a file names: as the package of Torch7 did, or as one that only keeps its fields.
-- @return whether the class is known here
function M.define(name)
   if classes[name] then
      classes[name]()
      return true
   end
   local Class = torch.class(name, 'nn.Module', holder)
   function Class.updateOutput() error(('the class %s is not in this tree'):format(name), 0) end
   rules.none(name, 'a class that is not in this tree; onnx.exporter adds a rule')
   return false
end

--- The names of the classes that define knows.
function M.names()
   local list = {}
   for name in pairs(classes) do list[#list + 1] = name end
   table.sort(list)
   return list
end

M.nn = nn
return M
