-- test/cuda/zeros_spec.lua - every op with every dimension and every whole number 0 in turn, on a CUDA device.
-- runs once: the device does not depend on the level
local op = require 'torch.op'
local zeros = require 'test.zeros'
local dtype = require 'torch.dtype'
local C = require 'torch.lib'.C
local device = require 'test.cuda.device'

if device.missing('no elements on a CUDA device', describe, pending) then return end

local function on_device(x)
   local word = dtype.words[x._dtype]
   return x['cuda' .. (word == 'Float' and '' or word)](x)
end

describe('no elements on a CUDA device:', function()
   local calls, refused = 0, 0
   for _, name in ipairs(op.names()) do
      it(name .. ' computes or refuses them', function()
         local n, r = zeros.sweep(name, on_device, C.TH_CUDA)
         calls, refused = calls + n, refused + r
      end)
   end
   it('is tried in thousands of calls, of which some are refused', function()
      assert.is_true(calls > 5000, calls)
      assert.is_true(refused > calls / 10 and refused < calls * 0.9, refused)
      print(('%d calls with zeros on a device, %d refused'):format(calls, refused))
   end)
end)
