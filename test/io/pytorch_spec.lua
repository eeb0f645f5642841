-- test/io/pytorch_spec.lua - files of PyTorch: recorded ones, saving, and an installed PyTorch that reads ours.
-- runs once: files are read and written by code that has no CPU levels
local torch = require 'torch'
local temporary = require 'test.support.temporary'
local ffi = require 'ffi'

local python = os.getenv 'PYTHON' or 'python3'
local FOLDER = 'test/support/pytorch'
local NAMES = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }

local function recorded(name) return torch.load(FOLDER .. '/' .. name) end

-- Compares all tensors that the index of a folder lists. Returns the numbers of files and tensors.
local function compare(folder)
   local files, n, count = {}, 0, 0
   for _, row in ipairs(assert(loadstring(temporary.get(folder .. '/index.txt')))()) do
      local file, path, kind, size, elements = unpack(row)
      if files[file] == nil then files[file], n = { torch.load(folder .. '/' .. file) }, n + 1 end
      local v, what = files[file][1], file .. ' ' .. table.concat(path, '.')
      for _, k in ipairs(path) do v = v[k] end
      assert.equal('torch.' .. kind .. 'Tensor', torch.typename(v), what)
      if #elements > 0 or #size > 1 then assert.same(size, v:size():totable(), what) end
      assert.equal(#elements, v:nElement(), what)
      if #elements > 0 then assert.same(elements, v:double():contiguous():view(-1):totable(), what) end
      count = count + 1
   end
   return n, count
end

after_each(temporary.remove)

describe('torch.load of a file of PyTorch', function()
   it('gives the tensors of every type in every form', function()
      local files, tensors = compare(FOLDER)
      assert.is_true(files >= 24 and tensors >= 100, ('%d files, %d tensors'):format(files, tensors))
   end)

   it('knows the file by its content, not by its name', function()
      for _, name in ipairs { 'tensor.pt', 'tensor.old.pt', 'oldest.tar' } do
         assert.same(torch.typename(recorded(name)), torch.typename(temporary.load(temporary.get(FOLDER .. '/' .. name))))
      end
   end)

   it('keeps views views of one storage', function()
      for _, name in ipairs { 'views.pt', 'views.old.pt' } do
         local v = recorded(name)
         assert.same({ 1, 12, 4 }, v.t:stride():totable())
         assert.equal(17, v.row:storageOffset())
         assert.same({ 0, 1 }, v.broadcast:stride():totable())
         assert.equal(0, v.single:dim())
         v.whole:fill(-1)
         for _, k in ipairs { 't', 'row', 'column', 'single', 'broadcast', 'steps' } do
            assert.equal(-v[k]:nElement(), v[k]:sum(), name .. ' ' .. k)
         end
      end
   end)

   it('keeps values that occur twice, and those that contain themselves', function()
      for _, name in ipairs { 'cycle.pt', 'cycle.old.pt' } do
         local v = recorded(name)
         assert.equal(v, v.self)
         assert.equal(v, v.list[1])
         v.x:fill(3)
         assert.same({ 3, 3 }, v.z:totable())
         assert.equal(18, v.y:sum())
      end
   end)

   it('makes numbers, strings and tables of what else Python has', function()
      for _, name in ipairs { 'checkpoint.pt', 'checkpoint.old.pt' } do
         local c = recorded(name)
         assert.equal(3, c.epoch)
         assert.equal(0.75, c.best)
         assert.equal('a\195\188\240\159\152\128', c.name)
         assert.is_true(c.done)
         assert.is_false(c['false'])
         assert.is_nil(c.nothing)
         assert.equal(math.huge, c.inf)
         assert.equal(-5, c.minus)
         assert.equal('seven', c[7])
         assert.equal('half', c[2.5])
         assert.equal(1, c[true])
         assert.equal('\0\255\254', c.bytes)
         assert.equal('\128x', c.array)
         assert.same({ 1, 2 }, c.complex)
         assert.same({ 7 }, c.set)
         assert.same({ a = 2, b = 1 }, c.counter)
         assert.same({ a = { 1 } }, c.default)
         assert.same({ lr = 0.5, name = 'n' }, c.namespace)
         assert.equal('torch.HalfTensor', c.dtype)
         assert.equal('cuda:1', c.device)
         assert.same({ 2, 3, 4 }, c.size:totable())
         assert.equal('torch.LongStorage', torch.typename(c.size))
         assert.equal(1, c.optimizer.state[0].step:sum())
         assert.same({ 0, 1 }, c.optimizer.param_groups[1].params)
      end
   end)

   it('gives a list with None its length in the field n', function()
      local c = recorded 'checkpoint.pt'
      assert.equal(5, c.list.n)
      assert.is_nil(c.list[2])
      assert.equal('x', c.list[3])
      assert.same({ 2, n = 2 }, c.tuple[2])
      assert.is_nil(c.optimizer.param_groups[1].params.n)
   end)

   it('gives integers beyond 2^53 as int64_t and uint64_t, exact', function()
      local c = recorded 'checkpoint.pt'
      assert.is_true(ffi.istype('int64_t', c.large) and c.large == 9007199254740993LL)
      assert.is_true(ffi.istype('uint64_t', c.larger) and c.larger == 9223372036854775813ULL)
      assert.is_true(ffi.istype('int64_t', c.negative) and c.negative == -2LL ^ 62)
   end)

   it('keeps the order of keys for torch.keys', function()
      local names = { 'conv.weight', 'conv.bias', 'norm.weight', 'norm.bias', 'norm.running_mean', 'norm.running_var',
         'norm.num_batches_tracked', 'zlast.weight', 'zlast.bias', 'alast.weight', 'alast.bias' }
      for _, name in ipairs { 'state.pt', 'state.old.pt' } do assert.same(names, torch.keys(recorded(name))) end
      assert.same({ 1, 2, true, 'a', 'b2', 'b10' }, torch.keys { 1, 2, [true] = 0, b10 = 1, b2 = 1, a = 1 })
      local v = recorded 'state.pt'
      v['conv.bias'], v.new = nil, 1
      assert.equal('norm.weight', torch.keys(v)[2])
      assert.equal('new', torch.keys(v)[11])
   end)

   it('gives complex tensors a last dimension of 2', function()
      local t = recorded 'types.pt'
      assert.same({ 2, 3, 2 }, t.complex64:size():totable())
      assert.equal('torch.DoubleTensor', torch.typename(t.complex128))
      assert.is_true(t.bool:max() <= 1)
   end)

   it('reads numbers and arrays of NumPy', function()
      local c = recorded 'numpy.pt'
      assert.equal(0.25, c.scalar)
      assert.equal(1.5, c.single)
      assert.equal(7, c.count)
      assert.same({ { 0, 1, 2 }, { 3, 4, 5 } }, c.columns:totable())
      assert.same({ 1, 2 }, c.columns:stride():totable())
      assert.same({ 0, 1, 2 }, c.big:totable())
   end)

   it('reads the attributes of a TorchScript archive, and none of its code', function()
      local c = recorded 'script.pt'
      assert.same({ 3, 2 }, c.fc.weight:size():totable())
      assert.is_true(c.training)
   end)

   it('refuses models and tensors that have no place here, with advice', function()
      for name, text in pairs { model = 'whole model of the class torch%.nn%.modules%.linear%.Linear.*model%.state_dict%(%)',
         quantized = 'quantized tensor; save x%.dequantize%(%)', sparse = 'sparse tensor; save x%.to_dense%(%)',
         uint16 = "type 'torch%.uint16', which has no type here", float8 = "type 'torch%.float8_e5m2'", meta = 'device meta',
         conjugate = 'save x%.resolve_conj%(%)%.resolve_neg%(%) instead' } do
         temporary.refused(text, temporary.get(FOLDER .. '/' .. name .. '.pt'))
      end
   end)

   it('reads what an installed PyTorch writes, in all forms', function()
      local folder = temporary.name '.d'
      local p = io.popen(("%s -W ignore -c 'import torch' 2>&1 && %s -W ignore test/support/pytorch_files.py %s all 2>&1; echo $?"):format(python,
         python, folder))
      local text = p:read '*a'
      p:close()
      if text:find 'No module named' or text:find 'not found' then
         return pending(python .. ' has no PyTorch: set PYTHON to one that has it')
      end
      assert.equal('0', text:match '(%d+)%s*$', text)
      local files, tensors = compare(folder)
      os.execute('rm -r ' .. folder)
      assert.is_true(files >= 50 and tensors >= 700, ('%d files, %d tensors'):format(files, tensors))
   end)
end)

describe('torch.save of a .pt file', function()
   local function again(v) return temporary.load(temporary.saved(v, '.pt')) end

   it('brings every type back, strided, empty and single ones too', function()
      local v = { empty = torch.FloatTensor(2, 0, 3), single = torch.tensor(2.5), none = torch.IntTensor() }
      for _, name in ipairs(NAMES) do v[name] = torch[name .. 'Tensor'] { { 1, 2, 3 }, { 4, 5, 100 } }:t() end
      local w = again(v)
      for k, t in pairs(v) do
         assert.equal(torch.typename(t), torch.typename(w[k]))
         assert.same(t:size():totable(), w[k]:size():totable())
         assert.same(t:stride():totable(), w[k]:stride():totable())
         if t:nElement() > 0 then assert.is_true(torch.equal(t, w[k])) end
      end
      assert.equal('torch.DoubleTensor', torch.typename(again(torch.ones(2))))
   end)

   it('brings values, tables and shared storages back', function()
      local x = torch.range(1, 6)
      local v = { 1, -2.5, 'text', true, false, { a = { { {} } } }, n = 'n', [7.5] = 1, [false] = 2, bytes = '\255\0', big = 2 ^ 53,
         huge = 1e300, long = 2LL ^ 62, ulong = 2ULL ^ 63 + 1, size = torch.LongStorage { 2, 3 }, x = x, y = x:narrow(1, 2, 3) }
      v.self = v
      local w = again(v)
      assert.equal(w, w.self)
      w.x:zero()
      assert.equal(0, w.y:sum())
      assert.equal(2, w.y:storageOffset())
      assert.is_true(w.long == 2LL ^ 62 and w.ulong == 2ULL ^ 63 + 1)
      assert.same({ 2, 3 }, w.size:totable())
      for _, k in ipairs { 1, 2, 3, 4, 5, 6, 'n', 7.5, false, 'bytes', 'big', 'huge' } do assert.same(v[k], w[k]) end
   end)

   it('brings strings of all lengths back, which cross the windows of the reader', function()
      local v = {}
      for i = 1, 300 do v[i] = string.char(97 + i % 26):rep((i * 7919) % (i % 50 == 0 and 200000 or 700)) end
      assert.same(v, again(v))
   end)

   it('keeps the kinds and the order that a file had', function()
      local c = recorded 'checkpoint.pt'
      local w = again(c)
      assert.same(torch.keys(c), torch.keys(w))
      assert.equal(5, w.list.n)
      assert.same(c.optimizer.param_groups, w.optimizer.param_groups)
      assert.same(torch.keys(recorded 'state.pt'), torch.keys(again(recorded 'state.pt')))
   end)

   it('makes the same bytes each time, members aligned to 64', function()
      local v = { b = torch.ones(3), a = torch.FloatTensor { 1, 2 } }
      local bytes = temporary.saved(v, '.pth')
      assert.equal(bytes, temporary.saved({ a = v.a, b = v.b }, '.pt'))
      local first = bytes:find(ffi.string(v.a:data(), 8), 1, true)
      assert.equal(1, first % 64)
   end)

   it('refuses what it cannot hold; the old file stays', function()
      local name = temporary.put('old', '.pt')
      local function why(object)
         local ok, text = pcall(torch.save, name, object)
         assert.is_false(ok)
         assert.equal('old', temporary.get(name))
         return text
      end
      assert.matches('torch.save: object must be a tensor, a number, a string, a boolean or a table of these for a .pt file, got nil', why(nil))
      assert.matches('object.net must be .* got a torch.Timer.*use the ending .t7', why { net = torch.Timer() })
      assert.matches("object%['a b'%]%[2%] must be .* got a function", why { ['a b'] = { 1, print } })
      assert.matches('the keys of object.a must be strings, numbers or booleans for a .pt file, got a table', why { a = { [{}] = 1 } })
      assert.matches('got a torch.FloatStorage', why(torch.FloatStorage(2)))
      local deep = {}
      for _ = 1, 600 do deep = { deep } end
      assert.matches('object has more than 500 tables in each other', why(deep))
   end)

   it('still writes .t7 where a mode is given', function()
      local t = temporary.load(temporary.saved(torch.ones(2), '.pt', 'binary'))
      assert.equal(2, t:sum())
   end)

   it('is read by an installed PyTorch with weights_only=True', function()
      local x = torch.range(1, 24):resize(2, 3, 4)
      local names = {}
      local function put(object)
         names[#names + 1] = temporary.name '.pt'
         torch.save(names[#names], object)
      end
      for _, kind in ipairs(NAMES) do put { x = torch[kind .. 'Tensor'] { { 1, 2 }, { 3, 100 } }, t = torch[kind .. 'Tensor'] { { 1, 2 }, { 3, 4 } }:t() } end
      put { whole = x, t = x:transpose(1, 3), row = x[2][1], one = torch.tensor(3), none = torch.FloatTensor(), flat = torch.FloatTensor(2, 0, 3) }
      put { 1, 2.5, 'text', true, { a = {} }, '\255' }
      put(recorded 'checkpoint.pt')
      put(recorded 'state.pt')
      put(recorded 'cycle.pt')
      local script = temporary.put([[
import sys, torch
def total(v, seen):
    if id(v) in seen: return 0
    if isinstance(v, torch.Tensor): return v.double().sum().item()
    if isinstance(v, (dict, list, tuple)):
        seen.add(id(v))
        return sum(total(e, seen) for e in (v.values() if isinstance(v, dict) else v))
    return 0
for name in sys.argv[1:]: print('%.6f' % total(torch.load(name, weights_only=True), set()))
]], '.py')
      local p = io.popen(('%s -W ignore %s %s 2>&1'):format(python, script, table.concat(names, ' ')))
      local text = p:read '*a'
      p:close()
      if text:find 'No module named' or text:find 'not found' then
         return pending(python .. ' has no PyTorch: set PYTHON to one that has it')
      end
      local function total(v, seen)
         if torch.isTensor(v) then return v:nElement() > 0 and v:double():sum() or 0 end
         if type(v) ~= 'table' or seen[v] then return 0 end
         seen[v] = true
         local sum = 0
         for _, e in pairs(v) do sum = sum + total(e, seen) end
         return sum
      end
      local i = 0
      for line in text:gmatch '[^\n]+' do
         i = i + 1
         local want = total(torch.load(names[i]), {})
         assert.is_true(tonumber(line) ~= nil and math.abs(tonumber(line) - want) <= 1e-5 * math.max(1, math.abs(want)), names[i] .. ': ' .. text)
      end
      assert.equal(#names, i)
   end)
end)
