-- test/onnx/unsigned_spec.lua - ops of onnx on uint64 from 2^63 on, and on int64 that no double
-- holds.
-- runs once: nothing here depends on the level
local bytes = require 'test.support.onnx_bytes'
local messages = require 'onnx.messages'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local types = require 'onnx.types'
local onnx = require 'onnx'

teardown(temporary.remove)

local function tensor(name, shape, list)
   local t = types.empty(name, shape or { #list })
   local p = #list > 0 and t:data()
   for i, v in ipairs(list) do p[i - 1] = v end
   return t
end

-- The outputs of one node for inputs { type, list of cdata or numbers [, shape] }.
local function run(op, attributes, inputs, outputs, version)
   local x, infos, names, results = {}, {}, {}, {}
   for k, t in ipairs(inputs) do
      names[k] = 'x' .. k
      x[names[k]] = tensor(t[1], t[3], t[2])
      infos[k] = bytes.info(names[k], t[1])
   end
   local outs = {}
   for k = 1, outputs or 1 do outs[k], results[k] = 'y' .. k, bytes.info('y' .. k) end
   local m = bytes.model({ bytes.node(op, names, outs, attributes) }, infos, results, nil,
      { opset_import = { { version = version or 20 } } })
   local y = onnx.load(bytes.write(temporary.name '.onnx', m)):forward(x)
   if (outputs or 1) == 1 then return y end
   return y.y1, y
end

-- The elements as texts: '5', '18446744073709551615'.
local function texts(t, name)
   local list = {}
   for i, v in ipairs(require 'onnx.unsigned'.exact(t, name or 'uint64')) do list[i] =
      tostring(v):match '^%-?%d+' end
   return list
end

local MOST, HALF = 0xFFFFFFFFFFFFFFFFULL, 0x8000000000000000ULL

describe('uint64 of ONNX', function()
   it('divides numbers from 2^63 on', function()
      local y = run('Div', nil, { { 'uint64', { MOST, HALF, 7ULL, HALF + 5 } },
         { 'uint64', { 10ULL, 2ULL, HALF, HALF } } })
      assert.same({ '1844674407370955161', '4611686018427387904', '0', '1' }, texts(y))
   end)

   it('gives the remainder of numbers from 2^63 on, with and without fmod', function()
      for fmod = 0, 1 do
         local y = run('Mod', { fmod = fmod }, { { 'uint64', { MOST, HALF, 7ULL } },
            { 'uint64', { 10ULL, 3ULL, HALF } } })
         assert.same({ '5', '2', '7' }, texts(y))
      end
   end)

   it('broadcasts in a division, and refuses 0', function()
      local y = run('Div', nil, { { 'uint64', { MOST, HALF }, { 2, 1 } },
         { 'uint64', { 1ULL, MOST, 2ULL } } })
      assert.same({ '18446744073709551615', '1', '9223372036854775807', '9223372036854775808', '0',
         '4611686018427387904' },
         texts(y))
      assert.same({ 2, 3 }, types.shape(y))
      assert.same({ 0 }, types.shape(run('Mod', nil, { { 'uint64', {} }, { 'uint64', { 5ULL } } })))
      refuses('the divisor must not hold 0', run, 'Div', nil, { { 'uint64', { MOST } },
         { 'uint64', { 0ULL } } })
   end)

   it('has an order: Max, Min, Clip, ReduceMax, ReduceMin, ArgMax, ArgMin, TopK', function()
      local x, z = { 'uint64', { 3ULL, MOST, HALF, 0ULL } },
         { 'uint64', { HALF, 5ULL, 1ULL, 1ULL } }
      assert.same({ '9223372036854775808', '18446744073709551615', '9223372036854775808', '1' },
         texts(run('Max', nil, { x, z })))
      assert.same({ '3', '5', '1', '0' }, texts(run('Min', nil, { x, z })))
      local low, high = { 'uint64', { 2ULL }, {} }, { 'uint64', { HALF }, {} }
      assert.same({ '3', '9223372036854775808', '9223372036854775808', '2' },
         texts(run('Clip', nil, { x, low, high })))
      assert.same({ '18446744073709551615' }, texts(run('ReduceMax', nil, { x })))
      assert.same({ '0' }, texts(run('ReduceMin', nil, { x })))
      assert.same({ 1 }, run('ArgMax', nil, { x }):totable())
      assert.same({ 3 }, run('ArgMin', nil, { x }):totable())
      local y, both = run('TopK', nil, { x, { 'int64', { 2 } } }, 2)
      assert.same({ '18446744073709551615', '9223372036854775808' }, texts(y))
      assert.same({ 1, 2 }, both.y2:totable())
   end)

   it('is reduced without elements to 0 and 2^64 - 1, int64 to its bounds', function()
      assert.same({ '0' }, texts(run('ReduceMax', nil, { { 'uint64', {} } })))
      assert.same({ '18446744073709551615' }, texts(run('ReduceMin', nil, { { 'uint64', {} } })))
      assert.same({ '9223372036854775807' }, texts(run('ReduceMin', nil, { { 'int64', {} } }),
         'int64'))
      assert.same({ '-9223372036854775808' }, texts(run('ReduceMax', nil, { { 'int64', {} } }),
         'int64'))
   end)

   it('has no negative numbers: Abs, Sign, ReduceMean, ReduceL2', function()
      assert.same({ '18446744073709551615', '7' },
         texts(run('Abs', nil, { { 'uint64', { MOST, 7ULL } } })))
      assert.same({ 1, 0, 1 }, run('Sign', nil, { { 'uint64', { MOST, 0ULL, 7ULL } } }):totable())
      assert.same({ '6148914691236517205' }, texts(run('ReduceMean', nil,
         { { 'uint64', { MOST, 0ULL, 0ULL } } })))
      assert.same({ '9223372036854775808' }, texts(run('ReduceL2', nil,
         { { 'uint64', { HALF } } })))
   end)

   it('becomes floats and strings, and comes from floats', function()
      local x = { 'uint64', { MOST, HALF, 5ULL } }
      assert.same({ 2 ^ 64, 2 ^ 63, 5 }, run('Cast', { to = messages.type_numbers.float },
         { x }):totable())
      assert.same({ 2 ^ 64, 2 ^ 63, 5 }, run('Cast', { to = messages.type_numbers.double },
         { x }):totable())
      local s = run('Cast', { to = messages.type_numbers.string }, { x })
      assert.same({ '18446744073709551615', '9223372036854775808', '5' }, { s[1], s[2], s[3] })
      local y = run('Cast', { to = messages.type_numbers.uint64 },
         { { 'double', { 2 ^ 63, 2 ^ 64 - 2048, 2.75, 1e30 } } })
      assert.same({ '9223372036854775808', '18446744073709549568', '2', '18446744073709551615' },
         texts(y))
   end)
end)

describe('Unique', function()
   it('tells apart numbers that differ in their last digit, of int64, uint64 and double', function()
      local y = run('Unique', nil, { { 'int64', { 2LL ^ 60 + 1, 2LL ^ 60, -5LL, 2LL ^ 60 } } })
      assert.same({ '-5', '1152921504606846976', '1152921504606846977' }, texts(y, 'int64'))
      assert.same({ '4', '18446744073709551614', '18446744073709551615' },
         texts(run('Unique', nil, { { 'uint64', { MOST, 4ULL, MOST - 1, 4ULL } } })))
      y = run('Unique', nil, { { 'double', { 1 + 2 ^ -52, 1, 0, -0, 1 } } })
      assert.same({ 0, 1, 1 + 2 ^ -52 }, y:totable())
   end)
end)

describe('Cast', function()
   it('writes all digits of int64', function()
      local s = run('Cast', { to = messages.type_numbers.string },
         { { 'int64', { 2LL ^ 53 + 1, -7LL } } })
      assert.same({ '9007199254740993', '-7' }, { s[1], s[2] })
   end)
end)
