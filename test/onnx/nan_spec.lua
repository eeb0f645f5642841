-- test/onnx/nan_spec.lua - ops of onnx take NaNs with any bits as numbers.
--
-- LuaJIT marks its strings, tables and nils by the bits of NaNs that no computation makes. The file
-- of a model and its inputs can hold those bits.
-- runs once: nothing here depends on the level
local ffi = require 'ffi'
local model_of = require 'test.support.onnx_node'
local temporary = require 'test.support.temporary'
local types = require 'onnx.types'

teardown(temporary.remove)

local bits = { ['torch.FloatTensor'] = 32, ['torch.DoubleTensor'] = 64 }

-- Fills the floats of a tensor with NaNs of the bits of all types of LuaJIT in turn.
local function fill_odd(t)
   local width = types.is_tensor(t) and t:nElement() > 0 and bits[t:type()]
   if not width then return end
   local p = ffi.cast('uint32_t *', t:data())
   for i = 0, t:nElement() * width / 32 - 1 do p[i] = 0xffffffff - (i + 4) % 13 * 0x40000 end
end

local image, corners = { 'float', { 1, 1, 2, 2 }, { 1, 2, 3, 4 } }, { 'float', { 1, 2, 4 }, { 0, 0, 1, 1, 0, 0, 1, 1 } }
local line, places = { 'float', { 4 }, { 1, 2, 3, 4 } }, { 'int64', { 4 }, { 0, 1, 2, 3 } }
local one = { 'float', { 1, 1, 1, 1 }, { 1 } }

-- Of ops and attributes that no recorded case has: op, attributes, inputs.
local more = {
   { 'DeformConv', {}, { image, one, { 'float', { 1, 2, 2, 2 }, { 0, 0, 0, 0, 0, 0, 0, 0 } }, { 'float', { 1 }, { 0 } },
      image } },
   { 'NonMaxSuppression', {}, { corners, { 'float', { 1, 1, 2 }, { 1, 2 } }, { 'int64', { 1 }, { 2 } } } },
   { 'ScatterElements', { reduction = 'max' }, { line, places, line } },
   { 'ScatterElements', { reduction = 'mul' }, { line, places, line } },
   { 'Cast', { to = 13 }, { line } },                          -- uint64
   { 'Cast', { to = 17 }, { line } },                          -- float8e4m3fn
   { 'Cast', { to = 22 }, { line } },                          -- int4
   { 'Cast', { to = 8 }, { line } },                           -- string
}

local function run(op, attributes, inputs, outputs, domain, version)
   local m, x = model_of(op, attributes, inputs, outputs, domain, version)
   for _, t in pairs(x) do fill_odd(t) end
   for _ = 1, 2 do
      local ok, y = pcall(m.forward, m, x)
      if not ok then return assert.truthy(y:find('node ', 1, true), y) end
      for k = 1, outputs do
         for _, v in ipairs(types.numbers(outputs == 1 and y or y['y' .. k])) do
            assert.truthy(type(v) == 'number' or type(v) == 'string')
         end
      end
   end
   return true
end

describe('an op with NaNs of any bits', function()
   for _, list in ipairs { require 'test.onnx.recorded', require 'test.onnx.recorded_more' } do
      for i, case in ipairs(list) do
         local op, attributes, inputs, outputs, domain, version = unpack(case)
         it(('%s (case %d) gives numbers or an error'):format(op, i), function()
            run(op, attributes, inputs, #outputs, domain, version)
         end)
      end
   end

   for i, case in ipairs(more) do
      it(('%s (case %d of this file) gives numbers or an error'):format(case[1], i), function()
         assert.is_true(run(case[1], case[2], case[3], 1, nil, 21) == true)
      end)
   end
end)
