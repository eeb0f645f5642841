-- test/onnx/weights_spec.lua - weights of a model lie in memory once: they are dropped where an
-- engine has them in another layout, and read from the file where they are needed.
local bytes = require 'test.support.onnx_bytes'
local layout = require 'onnx.layout'
local lib = require 'torch.lib'
local refuses = require 'test.support.refuses'
local run = require 'test.support.run_th'
local temporary = require 'test.support.temporary'
local onnx = require 'onnx'

teardown(temporary.remove)

local info, node, tensor, numbers = bytes.info, bytes.node, bytes.tensor, bytes.numbers

-- Where convolutions read weights in another layout than files have.
local quick = layout.is_quick()

local images = { info('x', 'float', { 'n', 128, 'h', 'h' }) }

-- A convolution and a product, with weights of 128 KB each.
local function chain()
   local nodes = {
      node('Conv', { 'x', 'w' }, { 'c' }), node('GlobalAveragePool', { 'c' }, { 'p' }),
      node('Flatten', { 'p' }, { 'f' }),
      node('Gemm', { 'f', 'v', 'b' }, { 'z' }, { transB = 1 })
   }
   local weights = {
      tensor('w', 'float', { 256, 128, 1, 1 }, numbers(2 ^ 15, 1)),
      tensor('v', 'float', { 128, 256 }, numbers(2 ^ 15, 2)),
      tensor('b', 'float', { 128 }, numbers(128, 3))
   }
   return bytes.model(nodes, images, { info('z', 'float') }, weights)
end

local function write(m)
   local name = temporary.name '.onnx'
   bytes.write(name, m)
   return name
end

local function image(n, h)
   local x = torch.FloatTensor(n, 128, h, h)
   return x:copy(torch.range(1, x:nElement())):mul(0.37):sin()
end

-- How many weights of a model have dropped numbers.
local function dropped(m)
   local count = 0
   for _, w in pairs(m.graph.weights) do if w.dropped then count = count + 1 end end
   return count
end

local sizes = { { 5, 9 }, { 1, 9 }, { 5, 12 }, { 5, 9 }, { 8, 6 }, { 2, 20 }, { 5, 9 } }

describe('the weights of a model', function()
   it('are dropped by the first run, and read again for other sizes, with the same bits', function()
      local name = write(chain())
      local m = onnx.load(name)
      for i, s in ipairs(sizes) do
         local x = image(s[1], s[2])
         local want = onnx.load(name):forward(x)
         for _ = 1, 3 do assert.is_true(torch.equal(want, m:forward(x)), i) end
         if i == 1 then assert.equal(quick and 2 or 0, dropped(m)) end
      end
   end)

   it('are read by the first run, from a file that was not written since', function()
      local x, name = image(5, 9), write(chain())
      local m = onnx.load(name)
      assert.equal(2, dropped(m))
      local w = torch.FloatTensor(numbers(2 ^ 15, 1)):view(256, 128, 1, 1)
      local v = torch.FloatTensor(numbers(2 ^ 15, 2)):view(128, 256)
      local p = torch.conv2d(x, w):mean(4):mean(3):view(5, 256)
      local bias = torch.FloatTensor(numbers(128, 3)):view(1, 128)
      local want = torch.mm(p, v:t()):add(bias:expand(5, 128))
      assert.is_true((m:forward(x) - want):abs():max() < 1e-3)

      name = write(chain())
      m = onnx.load(name)
      local f = assert(io.open(name, 'r+b'))
      f:write 'x'
      f:close()
      refuses(name .. ' has changed: it has been written since', m.forward, m, x)
   end)

   it('are read by loading where nodes of constants or ops of the program read them', function()
      local pair = { tensor('a', 'float', { 64, 64 }, numbers(4096, 1)),
         tensor('b', 'float', { 64, 64 }, numbers(4096, 2)) }
      local name = write(bytes.model({ node('MatMul', { 'a', 'b' }, { 'c' }),
         node('Add', { 'x', 'c' }, { 'z' }) }, { info('x', 'float', { 64, 64 }) },
         { info('z', 'float') }, pair))
      local a = torch.FloatTensor(numbers(4096, 1)):view(64, 64)
      local b = torch.FloatTensor(numbers(4096, 2)):view(64, 64)
      local got = onnx.load(name):forward(torch.FloatTensor(64, 64):zero())
      assert.is_true((got - torch.mm(a, b)):abs():max() < 1e-3)

      name = write(bytes.model({ node('Conv', { 'x', 'w' }, { 'z' }) }, images,
         { info('z', 'float') }, { tensor('w', 'float', { 128, 128, 1, 1 }, numbers(2 ^ 14, 1)) }))
      local out = run.script(([=[
         local onnx = require 'onnx'
         onnx.op('Conv', function(node, x, w) return w:clone() end)
         local w = onnx.load '%s':forward(torch.FloatTensor(1, 128, 2, 2):zero())
         io.write(('%%.4f'):format(w:abs():sum()))
      ]=]):format(name))
      assert.equal(('%.4f'):format(torch.FloatTensor(numbers(2 ^ 14, 1)):abs():sum()), out)
   end)

   it('take the memory of one copy', function()
      local m = onnx.load(write(chain()))
      local x = image(5, 9)
      m:forward(x)
      for _, w in pairs(m.graph.weights) do
         if w.dropped then
            local kept = tonumber(lib.C.th_conv_keeper_bytes(w.keeper))
            assert.is_true(kept >= 2 ^ 17 and kept < 2 ^ 17 + 4096)
         end
      end
   end)

   it('are those of the file in net(), before and after runs', function()
      local name, x = write(chain()), image(5, 9)
      local want = (onnx.load(name):net(x):getParameters())
      local m = onnx.load(name)
      m:forward(x)
      assert.is_true(torch.equal(want, (m:net(x):getParameters())))
      local z = onnx.load(name):forward(x)
      assert.is_true(torch.equal(z, m:forward(x)))
      assert.is_true(torch.equal(z, m:forward(x)))
      assert.equal(quick and 2 or 0, dropped(m))
   end)

   it('come from the file where a batch normalisation scales them, with the same bits', function()
      local per = { 's', 'o', 'm', 'v' }
      local weights = { tensor('w', 'float', { 256, 128, 1, 1 }, numbers(2 ^ 15, 1)) }
      for i, key in ipairs(per) do
         local list = numbers(256, i)
         for k = 1, 256 do list[k] = math.abs(list[k]) + 0.5 end
         weights[#weights + 1] = tensor(key, 'float', { 256 }, list)
      end
      local name = write(bytes.model({ node('Conv', { 'x', 'w' }, { 'c' }),
         node('BatchNormalization', { 'c', 's', 'o', 'm', 'v' }, { 'z' }) }, images,
         { info('z', 'float') }, weights))
      local m, params = onnx.load(name), (onnx.load(name):net(image(1, 6)):getParameters())
      for _, s in ipairs(sizes) do
         local x = image(s[1], s[2])
         local want = onnx.load(name):forward(x)
         for _ = 1, 2 do assert.is_true(torch.equal(want, m:forward(x))) end
      end
      assert.equal(quick and 2 or 1, dropped(m))              -- those of the file at any level
      assert.is_true(torch.equal(params, (m:net(image(1, 6)):getParameters())))
   end)

   it('may lie in a file that was removed, and not in one that was written since', function()
      local x, other = image(5, 9), image(3, 12)
      local name = write(chain())
      local want = onnx.load(name):forward(other)
      local m = onnx.load(name)
      m:forward(x)
      os.remove(name)
      assert.is_true(torch.equal(want, m:forward(other)))

      name = write(chain())
      m = onnx.load(name)
      local first = m:forward(x)
      local f = assert(io.open(name, 'r+b'))
      f:write 'x'
      f:close()
      assert.is_true(torch.equal(first, m:forward(x)))        -- needs the file no more
      refuses(name .. ' has changed: it has been written since', m.net, m, x)
      if quick then
         refuses(name .. ' has changed: it has been written since', m.forward, m, other)
         assert.is_true(torch.equal(first, m:forward(x)))
      else
         assert.is_true(torch.equal(want, m:forward(other)))
      end
   end)

   it('are read again from a file of external data', function()
      local list = numbers(2 ^ 15, 1)
      local data, name = temporary.name '.bin', temporary.name '.onnx'
      local f = assert(io.open(data, 'wb'))
      f:write('abc', bytes.raw('float', list))
      f:close()
      local w = { name = 'w', data_type = 1, dims = { 256, 128, 1, 1 }, data_location = 1,
         external_data = { { key = 'location', value = data:match '[^/]*$' },
            { key = 'offset', value = '3' }, { key = 'length', value = tostring(2 ^ 17) } } }
      bytes.write(name, bytes.model({ node('Conv', { 'x', 'w' }, { 'z' }) }, images,
         { info('z', 'float') }, { w }))
      local m = onnx.load(name)
      for _, s in ipairs(sizes) do
         local x = image(s[1], s[2])
         assert.is_true(torch.equal(onnx.load(name):forward(x), m:forward(x)))
      end
      assert.equal(quick and 1 or 0, dropped(m))
      local x = image(5, 9)
      local want, changed = m:forward(x), assert(io.open(data, 'r+b'))
      assert.is_true((m:net(x):forward(x) - want):abs():max() < 1e-3)
      changed:write 'x'
      changed:close()
      refuses(data:match '[^/]*$' .. ' has changed: it has been written since', m.net, m, x)
   end)

   it('stay where another node, an output or a subgraph reads them too', function()
      local w = tensor('w', 'float', { 128, 128, 1, 1 }, numbers(2 ^ 14, 1))
      local function check(nodes, outputs)
         local name = write(bytes.model(nodes, images, outputs, { w }))
         local m = onnx.load(name)
         for _, s in ipairs(sizes) do
            local from = image(s[1], s[2])
            local want, got = onnx.load(name):forward(from), m:forward(from)
            if type(want) ~= 'table' then want, got = { want }, { got } end
            for key, y in pairs(want) do assert.is_true(torch.equal(y, got[key])) end
         end
         assert.equal(0, dropped(m))
      end
      local first = node('Conv', { 'x', 'w' }, { 'c' })
      check({ first, node('Conv', { 'c', 'w' }, { 'z' }) }, { info('z') })
      check({ first, node('Identity', { 'w' }, { 'z' }) }, { info('c'), info('z') })
      check({ first, node('Transpose', { 'w' }, { 't' }, { perm = { ints = { 1, 0, 2, 3 } } }),
         node('Conv', { 'c', 't' }, { 'z' }) }, { info('z') })
   end)

   it('of products that are joined come back for a single row', function()
      local nodes, weights = {}, {}
      for i, key in ipairs { 'q', 'k', 'v' } do
         nodes[#nodes + 1] = node('MatMul', { 'x', 'w' .. key }, { key })
         nodes[#nodes + 1] = node('Reshape', { key, 's' }, { 'r' .. key })
         weights[i] = tensor('w' .. key, 'float', { 64, 64 }, numbers(4096, i))
      end
      nodes[#nodes + 1] = node('Sum', { 'rq', 'rk', 'rv' }, { 'z' })
      weights[4] = tensor('s', 'int64', { 3 }, { 0, 8, 8 })
      local name = write(bytes.model(nodes, { info('x', 'float', { 'n', 64 }) }, { info('z') },
         weights))
      local m = onnx.load(name)
      for _, rows in ipairs { 16, 1, 16, 40, 2, 1 } do
         local x = image(rows, 1):narrow(2, 1, 64):clone():view(rows, 64)
         local want = onnx.load(name):forward(x)
         for _ = 1, 2 do assert.is_true(torch.equal(want, m:forward(x)), rows) end
      end
   end)

   it('are freed with a model that nothing uses, though its loops were compiled', function()
      local nodes, weights, value = {}, {}, 'x'
      local most = 600                         -- a model of so many values is read by compiled code
      for i = 1, most do
         local w, y = 'w' .. i, i == most and 'z' or 'y' .. i
         nodes[i] = node('Conv', { value, w }, { y })
         weights[i] = tensor(w, 'float', { 4, 4, 1, 1 }, numbers(16, i))
         value = y
      end
      local name = write(bytes.model(nodes, { info('x', 'float', { 'n', 4, 'h', 'h' }) },
         { info('z', 'float') }, weights))
      -- In a new process: LuaJIT treats the first functions that a line of code makes as constants.
      local out = run.script(([=[
         local onnx = require 'onnx'
         local seen = setmetatable({}, { __mode = 'v' })
         local function use()
            local m, x = onnx.load '%s', torch.FloatTensor(1, 4, 5, 5):fill(1)
            for _ = 1, 5 do m:forward(x) end
            seen[1], seen[2], seen[3] = m, m.graph, m.plans[m.plans[1]]
         end
         use()
         collectgarbage()
         collectgarbage()
         io.write(tostring(seen[1]), ' ', tostring(seen[2]), ' ', tostring(seen[3]))
      ]=]):format(name))
      assert.equal('nil nil nil', out)
   end)
end)
