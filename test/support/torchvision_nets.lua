-- test/support/torchvision_nets.lua - nets of torchvision as modules of nn: their parameters come from state dicts.
local torch = require 'torch'
local nn = require 'nn'
require 'cudnn'                             -- convolutions with groups

local nets = {}

-- ---- parts --------------------------------------------------------------------------------------------------------

-- x by channel-wise factors: {batch x c x h x w, batch x c x 1 x 1}.
local Scale = torch.class('torchvision.Scale', 'nn.Module', {})
function Scale:updateOutput(input)
   self.output = torch.cmul(input[1], input[2]:expandAs(input[1]))
   return self.output
end

-- Takes the planes of two halves by turns.
local Shuffle = torch.class('torchvision.Shuffle', 'nn.Module', {})
function Shuffle:updateOutput(x)
   local b, c, h, w = unpack(x:size():totable())
   self.output = x:view(b, 2, c / 2, h, w):transpose(2, 3):contiguous():view(b, c, h, w)
   return self.output
end

local function seq(...)
   local s = nn.Sequential()
   for _, m in ipairs { ... } do s:add(m) end
   return s
end

-- A convolution without bias; k x k, padded so that a step of 1 keeps the size.
local function conv(from, to, k, step, groups)
   local pad = math.floor(k / 2)
   return cudnn.SpatialConvolution(from, to, k, k, step or 1, step or 1, pad, pad, groups or 1):noBias()
end

local function norm(n, eps) return nn.SpatialBatchNormalization(n, eps) end
local function relu() return nn.ReLU() end
local function silu() return seq(nn.ConcatTable():add(nn.Identity()):add(nn.Sigmoid()), nn.CMulTable()) end

-- Convolution, normalization, activation (a function, or false for none).
local function unit(from, to, k, step, groups, act, eps)
   local s = seq(conv(from, to, k, step, groups), norm(to, eps))
   if act ~= false then s:add((act or relu)()) end
   return s
end

local function max(k, step, pad, ceil)
   local m = nn.SpatialMaxPooling(k, k, step, step, pad or 0, pad or 0)
   return ceil and m:ceil() or m
end

local function average() return nn.SpatialAdaptiveAveragePooling(1, 1) end
local function flat() return nn.View(-1):setNumInputDims(3) end

local function sum_of(main, shortcut) return seq(nn.ConcatTable():add(main):add(shortcut or nn.Identity()), nn.CAddTable()) end
local function side_by_side(...)
   local c = nn.Concat(2)
   for _, m in ipairs { ... } do c:add(m) end
   return c
end

-- ---- nets ---------------------------------------------------------------------------------------------------------

local function resnet(depths, wide, groups, width)
   local net = seq(unit(3, 64, 7, 2), max(3, 2, 1))
   local from = 64
   for stage, depth in ipairs(depths) do
      local planes = 64 * 2 ^ (stage - 1)
      for i = 1, depth do
         local step = i == 1 and stage > 1 and 2 or 1
         local to, main = planes * wide
         if wide == 1 then
            main = seq(unit(from, to, 3, step), unit(to, to, 3, 1, 1, false))
         else
            local inner = planes * width / 64 * groups
            main = seq(unit(from, inner, 1), unit(inner, inner, 3, step, groups), unit(inner, to, 1, 1, 1, false))
         end
         local shortcut = (step ~= 1 or from ~= to) and unit(from, to, 1, step, 1, false) or nil
         net:add(sum_of(main, shortcut)):add(relu())
         from = to
      end
   end
   return net:add(average()):add(flat()):add(nn.Linear(from, 1000))
end

function nets.resnet18() return resnet({ 2, 2, 2, 2 }, 1, 1, 64) end
function nets.resnet50() return resnet({ 3, 4, 6, 3 }, 4, 1, 64) end
function nets.resnext50_32x4d() return resnet({ 3, 4, 6, 3 }, 4, 32, 4) end

function nets.vgg11_bn()
   local net, from = nn.Sequential(), 3
   for _, n in ipairs { 64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0 } do
      if n == 0 then
         net:add(max(2, 2))
      else
         net:add(nn.SpatialConvolution(from, n, 3, 3, 1, 1, 1, 1)):add(norm(n)):add(relu())
         from = n
      end
   end
   return net:add(nn.SpatialAdaptiveAveragePooling(7, 7)):add(flat()):add(nn.Linear(512 * 49, 4096)):add(relu())
      :add(nn.Linear(4096, 4096)):add(relu()):add(nn.Linear(4096, 1000))
end

function nets.alexnet()
   local function c(...) return seq(nn.SpatialConvolution(...), relu()) end
   return seq(c(3, 64, 11, 11, 4, 4, 2, 2), max(3, 2), c(64, 192, 5, 5, 1, 1, 2, 2), max(3, 2), c(192, 384, 3, 3, 1, 1, 1, 1),
      c(384, 256, 3, 3, 1, 1, 1, 1), c(256, 256, 3, 3, 1, 1, 1, 1), max(3, 2), nn.SpatialAdaptiveAveragePooling(6, 6), flat(),
      nn.Linear(9216, 4096), relu(), nn.Linear(4096, 4096), relu(), nn.Linear(4096, 1000))
end

function nets.squeezenet1_1()
   local function fire(from, squeeze, to)
      return seq(nn.SpatialConvolution(from, squeeze, 1, 1), relu(), side_by_side(
         seq(nn.SpatialConvolution(squeeze, to, 1, 1), relu()), seq(nn.SpatialConvolution(squeeze, to, 3, 3, 1, 1, 1, 1), relu())))
   end
   return seq(nn.SpatialConvolution(3, 64, 3, 3, 2, 2), relu(), max(3, 2, 0, true), fire(64, 16, 64), fire(128, 16, 64), max(3, 2, 0, true),
      fire(128, 32, 128), fire(256, 32, 128), max(3, 2, 0, true), fire(256, 48, 192), fire(384, 48, 192), fire(384, 64, 256),
      fire(512, 64, 256), nn.SpatialConvolution(512, 1000, 1, 1), relu(), average(), flat())
end

function nets.mobilenet_v2()
   local function relu6() return nn.ReLU6() end
   local net, from = seq(unit(3, 32, 3, 2, 1, relu6)), 32
   for _, row in ipairs { { 1, 16, 1, 1 }, { 6, 24, 2, 2 }, { 6, 32, 3, 2 }, { 6, 64, 4, 2 }, { 6, 96, 3, 1 }, { 6, 160, 3, 2 }, { 6, 320, 1, 1 } } do
      local factor, to, count, step = unpack(row)
      for i = 1, count do
         local inner, s = from * factor, i == 1 and step or 1
         local block = nn.Sequential()
         if factor > 1 then block:add(unit(from, inner, 1, 1, 1, relu6)) end
         block:add(unit(inner, inner, 3, s, inner, relu6)):add(unit(inner, to, 1, 1, 1, false))
         net:add(s == 1 and from == to and sum_of(block) or block)
         from = to
      end
   end
   return net:add(unit(from, 1280, 1, 1, 1, relu6)):add(average()):add(flat()):add(nn.Linear(1280, 1000))
end

function nets.densenet121()
   local net, n = seq(unit(3, 64, 7, 2), max(3, 2, 1)), 64
   for stage, depth in ipairs { 6, 12, 24, 16 } do
      for _ = 1, depth do
         net:add(side_by_side(nn.Identity(), seq(norm(n), relu(), conv(n, 128, 1), norm(128), relu(), conv(128, 32, 3))))
         n = n + 32
      end
      if stage < 4 then
         net:add(norm(n)):add(relu()):add(conv(n, n / 2, 1)):add(nn.SpatialAveragePooling(2, 2, 2, 2))
         n = n / 2
      end
   end
   return net:add(norm(n)):add(relu()):add(average()):add(flat()):add(nn.Linear(n, 1000))
end

function nets.googlenet()
   local function c(from, to, k, step) return unit(from, to, k, step, 1, relu, 1e-3) end
   local function inception(from, a, b1, b, d1, d, p)
      return side_by_side(c(from, a, 1), seq(c(from, b1, 1), c(b1, b, 3)), seq(c(from, d1, 1), c(d1, d, 3)), seq(max(3, 1, 1, true), c(from, p, 1)))
   end
   return seq(c(3, 64, 7, 2), max(3, 2, 0, true), c(64, 64, 1), c(64, 192, 3), max(3, 2, 0, true), inception(192, 64, 96, 128, 16, 32, 32),
      inception(256, 128, 128, 192, 32, 96, 64), max(3, 2, 0, true), inception(480, 192, 96, 208, 16, 48, 64),
      inception(512, 160, 112, 224, 24, 64, 64), inception(512, 128, 128, 256, 24, 64, 64), inception(512, 112, 144, 288, 32, 64, 64),
      inception(528, 256, 160, 320, 32, 128, 128), max(2, 2, 0, true), inception(832, 256, 160, 320, 32, 128, 128),
      inception(832, 384, 192, 384, 48, 128, 128), average(), flat(), nn.Linear(1024, 1000)), { { '^aux', false } }
end

function nets.shufflenet_v2_x1_0()
   local net, from = seq(unit(3, 24, 3, 2), max(3, 2, 1)), 24
   for _, stage in ipairs { { 116, 4 }, { 232, 8 }, { 464, 4 } } do
      local to, half = stage[1], stage[1] / 2
      for i = 1, stage[2] do
         local function branch(n, step) return seq(unit(n, half, 1), unit(half, half, 3, step, half, false), unit(half, half, 1)) end
         if i == 1 then
            net:add(side_by_side(seq(unit(from, from, 3, 2, from, false), unit(from, half, 1)), branch(from, 2)))
         else
            net:add(side_by_side(nn.Narrow(2, 1, half), seq(nn.Narrow(2, half + 1, half), nn.Contiguous(), branch(half, 1))))
         end
         net:add(nets.Shuffle())
      end
      from = to
   end
   return net:add(unit(from, 1024, 1)):add(average()):add(flat()):add(nn.Linear(1024, 1000))
end

function nets.efficientnet_b0()
   local net = seq(unit(3, 32, 3, 2, 1, silu))
   for _, row in ipairs { { 1, 3, 1, 32, 16, 1 }, { 6, 3, 2, 16, 24, 2 }, { 6, 5, 2, 24, 40, 2 }, { 6, 3, 2, 40, 80, 3 }, { 6, 5, 1, 80, 112, 3 },
      { 6, 5, 2, 112, 192, 4 }, { 6, 3, 1, 192, 320, 1 } } do
      local factor, k, step, first, to, count = unpack(row)
      for i = 1, count do
         local from, s = i == 1 and first or to, i == 1 and step or 1
         local inner, few = from * factor, math.floor(from / 4)
         local block = nn.Sequential()
         if factor > 1 then block:add(unit(from, inner, 1, 1, 1, silu)) end
         block:add(unit(inner, inner, k, s, inner, silu))
         block:add(nn.ConcatTable():add(nn.Identity()):add(seq(average(), nn.SpatialConvolution(inner, few, 1, 1), silu(),
            nn.SpatialConvolution(few, inner, 1, 1), nn.Sigmoid()))):add(nets.Scale())
         block:add(unit(inner, to, 1, 1, 1, false))
         net:add(s == 1 and from == to and sum_of(block) or block)
      end
   end
   return net:add(unit(320, 1280, 1, 1, 1, silu)):add(average()):add(flat()):add(nn.Linear(1280, 1000))
end

local function make(name)
   return function()
      local m = torch.factory(name)()
      nn.Module.__init(m)
      return m
   end
end
nets.Scale, nets.Shuffle = make 'torchvision.Scale', make 'torchvision.Shuffle'

--- The names of the nets, sorted.
function nets.names()
   local list = {}
   for name in pairs(nets) do
      if name:find '^%l' and name ~= 'names' then list[#list + 1] = name end
   end
   table.sort(list)
   return list
end

return nets
