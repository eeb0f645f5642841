-- test/torch/memory_spec.lua - memory that runs out is an error and work continues; unused memory is freed.
local torch = require 'torch'
local lib = require 'torch.lib'
local C = lib.C
local memory = C.th_memory_of(0)
local with_little = require 'test.support.little_memory'
local resident = require 'test.support.resident'

-- f(...) is refused for want of memory in the name of `who`, leaves its arguments alone, and is right afterwards.
local function runs_out(who, f, ...)
   local args, before = { ... }, {}
   for i, x in ipairs(args) do before[i] = torch.isTensor(x) and x:clone() or x end
   local ok, why = with_little(1000, f, ...)
   assert.is_false(ok, who .. ' took no memory')
   assert.truthy(why:find 'out of memory: ' or why:find 'scratch memory', why)
   assert.truthy(why:find(who, 1, true), why)
   for i, x in ipairs(args) do
      if torch.isTensor(x) then assert.is_true(torch.equal(before[i], x), who .. ' changed an argument') end
   end
   assert.is_true((pcall(f, ...)), who .. ' does not work any more')
end

describe('when memory runs out', function()
   local x = torch.range(1, 40000):resize(200, 200)
   local p = torch.range(40000, 1, -1):resize(200, 200):div(4e4)

   it('making a tensor is refused, whatever makes it', function()
      runs_out('torch.FloatTensor', torch.FloatTensor, 200, 200)
      runs_out('zeros', torch.zeros, 200, 200)
      runs_out('ones', torch.ones, 200, 200)
      runs_out('range', torch.range, 1, 40000)
      runs_out('clone', x.clone, x)
      runs_out('convert', x.float, x)
      runs_out('torch.DoubleStorage', torch.DoubleStorage, 40000)
      runs_out('rand', torch.rand, 200, 200)
   end)

   it('resizing is refused, and the tensor stays as it was', function()
      local y = torch.ones(3)
      runs_out('resize', function() return y:resize(200, 200) end)
      local z = torch.ones(3)
      assert.is_false((with_little(1000, z.resize, z, 1000, 1000)))
      assert.same({ 1, 1, 1 }, z:totable())
   end)

   it('ops are refused in their own name', function()
      for _, name in ipairs { 'exp', 'cumsum', 'sort', 'abs', 'tril', 'round', 'inverse' } do
         runs_out(name, torch[name], name == 'inverse' and torch.add(p, torch.eye(200)) or x)
      end
      for _, name in ipairs { 'add', 'cmul', 'mm', 'cdiv', 'atan2' } do runs_out(name, torch[name], x, p) end
      runs_out('cat', torch.cat, x, p, 1)
      runs_out('repeatTensor', torch.repeatTensor, x, 2, 2)
      runs_out('reshape', torch.reshape, x, 40000)
      runs_out('index', function(a, i) return a:index(1, i) end, x, torch.range(1, 200):long())
      runs_out('maskedSelect', function(a, mask) return a:maskedSelect(mask) end, x, x:gt(0))
      runs_out('topk', torch.topk, x, 100, 2)
   end)

   it('results that have their place still need room to work, or none', function()
      local y, at = torch.zeros(200, 200), torch.LongTensor(200, 200)
      for _, run in ipairs {
         function() return torch.sort(y, at, p, 1) end, function() return torch.mm(y, x, p) end,
         function() return torch.cumsum(y, x, 1) end, function() return torch.inverse(y, torch.add(p, torch.eye(200))) end,
         function() return y:copy(x:t()) end, function() return torch.kthvalue(x, 3, 1) end,
      } do
         local ok, why = with_little(1, run)
         assert.is_true(ok or tostring(why):find '%a: .*memory' ~= nil, why)
         run()
         local text = tostring(y:sum())
         run()
         assert.equal(text, tostring(y:sum()))
      end
   end)

   it('files are refused in the name of torch.load and torch.save', function()
      local name = os.tmpname()
      for _, extension in ipairs { '.t7', '.npy', '.npz', '.safetensors' } do
         local file = name .. extension
         local object = extension == '.npy' and x or { x = x }
         torch.save(file, object)
         runs_out('torch.load', torch.load, file)
         local back = torch.load(file)
         assert.is_true(torch.equal(x, extension == '.npy' and back or back.x))
         if extension == '.npz' then                          -- the old file stays
            local ok, why = with_little(1000, torch.save, file, { x = x:t() })
            assert.is_false(ok)
            assert.truthy(why:find 'torch%.save: .*out of memory', why)
            assert.is_true(torch.equal(x, torch.load(file).x))
         end
         os.remove(file)
      end
      os.remove(name)
      runs_out('torch.serialize', torch.serialize, { x })
      runs_out('torch.deserialize', torch.deserialize, torch.serialize { x })
   end)
end)

describe('a large tensor', function()
   -- Sizes that grow, because memory of a freed tensor is used again for smaller ones.
   it('takes a large page only where its elements fill three quarters of one', function()
      for _, mb in ipairs { 25.25, 32.75, 51.25 } do
         collectgarbage()
         collectgarbage()
         local before = resident()
         local x = torch.ByteTensor(mb * 2 ^ 20):fill(1)
         local more = resident() - before - x:nElement()
         assert.is_true(more < 2 ^ 18, ('%d bytes more for %g MB'):format(more, mb))
      end
   end)
end)

describe('the memory of many tensors', function()
   it('is given back on request, and those that stay are as they were', function()
      local first = torch.range(1, 12):resize(2, 3, 2)
      local function fill(list)
         for i = 1, 6000 do list[i] = torch.FloatTensor() end
         return torch.range(1, 6):resize(3, 2):t()
      end
      local last = fill {}
      collectgarbage()
      collectgarbage()
      local before = resident()
      lib.trim()
      local freed = before - resident()
      assert.is_true(freed > 2 ^ 19, ('%d bytes freed'):format(freed))
      assert.equal(78, first:sum())
      assert.same({ 2, 3 }, last:size():totable())
      assert.equal(21, last:sum())
      for i = 1, 3000 do
         local x = torch.FloatTensor(2, i % 7 + 1):fill(i)
         assert.equal(i, x[2][i % 7 + 1])
      end
   end)
end)

describe('arguments without other references', function()
   -- Compiled code forgets them when the op has them; the collector runs before the op is tried once more.
   it('live until the op is tried once more', function()
      local function joined(n)
         local x
         for _ = 1, n do x = torch.cat({ torch.range(1, 300), torch.range(1, 300), torch.zeros(4) }, 1) end
         return x
      end
      local a, b = torch.range(1, 300), torch.zeros(4)
      local function again() return torch.cat({ a, b, a }, 1) end
      for _ = 1, 300 do again() end                            -- until it is compiled
      for k = 1, 40 do
         joined(3)                                             -- what the collector finds
         local ok, x = with_little(k * 1000, again)
         assert.is_true(ok and x:sum() == 90300 or not ok and x:find 'out of memory' ~= nil, x)
         memory.most = C.th_memory_of(0).bytes + 1
         ok, x = pcall(again)
         memory.most = 0
         assert.is_true(ok and x:sum() == 90300 or not ok and x:find 'out of memory' ~= nil, x)
      end
   end)
end)
