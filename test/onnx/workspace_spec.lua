-- test/onnx/workspace_spec.lua - workspaces of convolutions lie in memory that a model's plan lends
-- to them.
local bytes = require 'test.support.onnx_bytes'
local lib = require 'torch.lib'
local temporary = require 'test.support.temporary'
local weights = require 'onnx.weights'
local onnx = require 'onnx'
local C = lib.C

teardown(temporary.remove)

local info, node, tensor, numbers = bytes.info, bytes.node, bytes.tensor, bytes.numbers

local function waves(...)
   local x = torch.FloatTensor(...)
   return x:copy(torch.range(1, x:nElement())):mul(0.37):sin()
end

-- A convolution by an engine with a workspace, and what it computes without lent memory.
local x, w = waves(2, 16, 40, 40), waves(24, 16, 5, 5)
local function convolution()
   local before = torch.conv.engine
   torch.conv.engine = 'fft'
   local ok, y = pcall(torch.conv2d, x, w)
   torch.conv.engine = before
   assert(ok, y)
   return y
end
local want = convolution()

-- The result and the bytes of the workspaces of a convolution while some memory is lent.
local function lent(memory)
   C.th_scratch_lend(memory and memory:data(), memory and memory:bytes() or 0)
   local y = convolution()
   return y, tonumber(C.th_scratch_lent())
end

local MARK = 77

describe('lent memory', function()
   it('is asked for by counting, which lends nothing', function()
      local y, count = lent(nil)
      assert.is_true(torch.equal(want, y))
      assert.is_true(count >= 2 ^ 16 and count < 2 ^ 26)
      assert.equal(count, select(2, lent(nil)))
   end)

   it('has the workspaces inside of it, with the same bits', function()
      local _, count = lent(nil)
      local memory = torch.FloatTensor(count / 4 + 1000):fill(MARK)
      local y = lent(memory:narrow(1, 1, count / 4))
      assert.is_true(torch.equal(want, y))
      assert.is_true(torch.ne(memory:narrow(1, 1, count / 4), MARK):sum() > 0)
      assert.equal(0, torch.ne(memory:narrow(1, count / 4 + 1, 1000), MARK):sum())
   end)

   it('stays as it is where the workspaces do not fit, and once it was taken back', function()
      local memory = torch.FloatTensor(2 ^ 12):fill(MARK)
      assert.is_true(torch.equal(want, (lent(memory))))
      assert.equal(0, torch.ne(memory, MARK):sum())
      local _, count = lent(nil)
      memory = torch.FloatTensor(count / 4):fill(MARK)
      C.th_scratch_lend(memory:data(), memory:bytes())
      C.th_scratch_lent()
      assert.is_true(torch.equal(want, convolution()))
      assert.equal(0, torch.ne(memory, MARK):sum())
   end)

   it('is taken back when the node that has it fails', function()
      local _, count = lent(nil)
      local n = { buffers = { workspace = torch.FloatTensor(count / 4):fill(MARK) } }
      local some = weights.new(torch.FloatTensor(4))
      local function fail() error('no luck', 0) end
      assert.has_error(function() some:run(fail, {}, n) end, 'no luck')
      assert.is_true(torch.equal(want, convolution()))
      assert.equal(0, torch.ne(n.buffers.workspace, MARK):sum())
   end)
end)

describe('a model', function()
   -- Two convolutions of 3 x 3, and a product.
   local function file()
      local nodes = {
         node('Conv', { 'x', 'v' }, { 'a' }), node('Relu', { 'a' }, { 'b' }),
         node('Conv', { 'b', 'w' }, { 'c' }), node('GlobalAveragePool', { 'c' }, { 'y' })
      }
      local list = {
         tensor('v', 'float', { 64, 16, 3, 3 }, numbers(64 * 16 * 9, 1)),
         tensor('w', 'float', { 64, 64, 3, 3 }, numbers(64 * 64 * 9, 2))
      }
      local name = temporary.name '.onnx'
      bytes.write(name, bytes.model(nodes, { info('x', 'float', { 'n', 16, 'h', 'h' }) },
         { info('y', 'float') }, list))
      return name
   end

   -- The workspaces of its plans, in bytes.
   local function workspaces(m)
      local list = {}
      for _, key in ipairs(m.plans) do
         for _, buffers in pairs(m.plans[key].buffers) do
            if buffers.workspace then list[#list + 1] = buffers.workspace:bytes() end
         end
      end
      return list
   end

   it('gives the same bits in the first run, which counts, and in later ones', function()
      local m = onnx.load(file())
      local before = torch.conv.engine
      torch.conv.engine = 'winograd'
      local ok, why = pcall(function()
         for i, s in ipairs { { 1, 60 }, { 3, 33 }, { 1, 60 } } do
            local image = waves(s[1], 16, s[2], s[2])
            local first = onnx.load(file()):forward(image)
            for _ = 1, 3 do assert.is_true(torch.equal(first, m:forward(image)), i) end
         end
         assert.is_true(#workspaces(m) > 0)
      end)
      torch.conv.engine = before
      assert(ok, why)
   end)

   it('does not count workspaces as results in use', function()
      local m = onnx.load(file())
      local image = waves(1, 16, 60, 60)
      local report = m:explain(image)
      assert.equal(4 * 64 * (58 * 58 + 56 * 56), report.live)
   end)
end)
