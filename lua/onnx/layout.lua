-- lua/onnx/layout.lua - the order of images in memory: plane after plane, or with the channels of
-- a pixel side by side.
--
-- Convolutions write their results with channels side by side where they are quickest that way, and
-- what follows them keeps that order. Such a tensor has the sizes N x C x H x W as any other and
-- differs in its strides alone, so every op takes it.
local ffi = require 'ffi'
local lib = require 'torch.lib'
local construct = require 'torch.construct'
local C = lib.C

local M = {}

--- Whether the channels of a pixel lie side by side and pixels follow each other at equal
-- distances; false if the tensor also
-- lies plane after plane.
function M.is_last(x)
   if x._ndim ~= 4 or x._stride[1] ~= 1 then return false end
   local c, h, w = x._size[1], x._size[2], x._size[3]
   if c <= 1 or h * w <= 1 then return false end
   local step = w > 1 and x._stride[3] or x._stride[2]
   return step >= c and (h == 1 or x._stride[2] == w * step)
      and (x._size[0] == 1 or x._stride[0] == h * w * step)
end

--- Whether it does so without gaps between pixels.
function M.is_dense(x) return M.is_last(x) and (x._size[3] > 1 and x._stride[3] or x._stride[2])
   == x._size[1] end

local has_vectors = ffi.string(C.th_cpu_level()) ~= 'base'

--- Whether convolutions of floats are quickest with channels side by side: where vectors are wider
-- than those of every x86-64, unless an engine is preferred.
function M.is_quick()
   return has_vectors and C.th_conv_preferred() < 0 and C.th_conv_forced() < 0
end

--- An N x C x H x W tensor whose channels lie side by side.
function M.new(dtype, n, c, h, w)
   local t, size = construct.empty(dtype), ffi.new('int64_t[4]', n, c, h, w)
   local stride = ffi.new 'int64_t[4]'
   stride[0], stride[1], stride[2], stride[3] = h * w * c, 1, w * c, c
   lib.call('onnx', C.th_tensor_resize, t, t._dtype, 4, size, stride)
   return t
end

--- Whether t has these sizes and that order.
function M.fits(t, n, c, h, w)
   local s = t._size
   return t._ndim == 4 and s[0] == n and s[1] == c and s[2] == h and s[3] == w
      and (M.is_last(t) or c == 1 or h * w == 1)
end

return M
