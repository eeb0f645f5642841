-- test/io/hdf5_spec.lua - the package hdf5: data sets, groups, parts, options, files of h5py, and refusals.
-- runs once: nothing here computes
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'
local hdf5 = require 'hdf5'

local there, why = pcall(require 'hdf5.library'.open)
local function it_with_library(title, f)
   it(title, there and f or function() pending(tostring(why)) end)
end

local TYPES = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'BFloat16', 'Float', 'Double' }
local PYTHON = 'test/support/h5py.h5'

local opened = {}
local function open(...)
   local f = hdf5.open(...)
   opened[#opened + 1] = f
   return f
end
after_each(function()
   for _, f in ipairs(opened) do f:close() end
   opened = {}
end)
teardown(temporary.remove)

-- A new file; and the same, opened again to be read.
local function new() return open(temporary.name '.h5', 'w') end
local function again(f)
   f:close()
   return open(f:filename(), 'r')
end

local function same(want, x)
   assert.equal(want:type(), x:type())
   assert.same(want:size():totable(), x:size():totable())
   assert.equal(0, want:double():csub(x:double()):abs():sum())
end

describe('hdf5: a data set', function()
   it_with_library('comes back with its type and sizes, for every type of tensor', function()
      local f = new()
      for _, name in ipairs(TYPES) do f:write('/' .. name, torch[name .. 'Tensor'] { { 1, 2, 3 }, { 4, 5, 6 } }) end
      f = again(f)
      for _, name in ipairs(TYPES) do
         same(torch[name .. 'Tensor'] { { 1, 2, 3 }, { 4, 5, 6 } }, f:read('/' .. name):all())
         assert.same({ 2, 3 }, f:read(name):dataspaceSize())
      end
   end)

   it_with_library('is written from any view, and may have no or no dimension', function()
      local f, x = new(), torch.range(1, 12):view(3, 4)
      f:write('/view', x:t():narrow(1, 2, 2))
      f:write('/scalar', torch.tensor(2.5))
      f:write('/number', 7)
      f:write('/empty', torch.Tensor())
      f = again(f)
      same(x:t():narrow(1, 2, 2):clone(), f:read '/view':all())
      same(torch.tensor(2.5), f:read '/scalar':all())
      assert.equal(7, f:read '/number':all():item())
      assert.equal(0, f:read '/empty':all():nElement())
   end)

   it_with_library('gives parts by ranges that include both ends', function()
      local f, x = new(), torch.range(1, 60):int():view(3, 4, 5)
      f:write('/x', x)
      local d = again(f):read '/x'
      same(x:sub(2, 2, 1, 4, 3, 5):clone(), d:partial({ 2, 2 }, { 1, 4 }, { 3, 5 }))
      refuses("'/x': partial: range 1 must lie in 1..3, got {1, 4}", function() d:partial({ 1, 4 }, { 1, 1 }, { 1, 1 }) end)
      refuses('must lie in 1..3, got {0, 1}', function() d:partial({ 0, 1 }, { 1, 1 }, { 1, 1 }) end)
      refuses('must lie in 1..3, got {nan, 1}', function() d:partial({ 0 / 0, 1 }, { 1, 1 }, { 1, 1 }) end)
      refuses('it has 3 dimensions, but 1 ranges are given', function() d:partial { 1, 1 } end)
      refuses('range 1 must be {first, last}, got', function() d:partial(1) end)
   end)

   it_with_library('is smaller on disk with chunks and deflate', function()
      local f = new()
      f:write('/x', torch.zeros(300, 300), hdf5.DataSetOptions():setChunked(100, 100):setDeflate())
      f:write('/own', torch.zeros(300, 300), hdf5.DataSetOptions():setDeflate(9))
      f:write('/wide', torch.ones(2, 3), hdf5.DataSetOptions():setChunked(100, 100))
      f = again(f)
      assert.is_true(f:bytes() < 30000)
      same(torch.zeros(300, 300), f:read '/x':all())
      same(torch.zeros(300, 300), f:read '/own':all())
      same(torch.ones(2, 3), f:read '/wide':all())
   end)

   it_with_library('grows by append', function()
      local f = new()
      f:append('/rows', torch.ones(2, 3))
      f:append('/rows', torch.ones(4, 3):mul(2), nil)
      f:append('/packed', torch.range(1, 4), hdf5.DataSetOptions():setChunked(2):setDeflate(1))
      f:append('/packed', torch.range(5, 6))
      refuses('append: it has the sizes 6x3, which rows of 1x2 do not fit', function() f:append('/rows', torch.ones(1, 2)) end)
      f:write('/fixed', torch.ones(2, 3))
      refuses('append: it may have 2 rows at most', function() f:append('/fixed', torch.ones(2, 3)) end)
      f = again(f)
      same(torch.cat(torch.ones(2, 3), torch.ones(4, 3):mul(2), 1), f:read '/rows':all())
      same(torch.range(1, 6), f:read '/packed':all())
   end)

   it_with_library('is replaced by a second write, of any size', function()
      local f = new()
      f:write('/x', torch.ones(3))
      f:write('/x', torch.zeros(3))
      same(torch.zeros(3), f:read '/x':all())
      f:write('/x', torch.IntTensor { 1, 2 })
      same(torch.IntTensor { 1, 2 }, again(f):read '/x':all())
   end)
end)

describe('hdf5: a group', function()
   it_with_library('is a table, written and read', function()
      local f = new()
      local info = { name = 'linear', labels = { 'a', '', 'long one' }, [3] = torch.zeros(1) }
      f:write('/model', { weight = torch.ones(2, 2), info = info })
      f:write('/model', { bias = torch.zeros(2) })
      f = again(f)
      local t = f:all().model
      same(torch.ones(2, 2), t.weight)
      same(torch.zeros(2), t.bias)
      assert.equal('linear', t.info.name)
      assert.same({ 'a', '', 'long one' }, t.info.labels)
      same(torch.zeros(1), t.info['3'])
      same(torch.ones(2, 2), f:read '/model':read 'weight':all())
      same(torch.ones(2, 2), f:read '/model':all().weight)
      local names = {}
      f:read '/model':forEachChild(function(name) names[#names + 1] = name end)
      assert.same({ 'bias', 'info', 'weight' }, names)
   end)

   it_with_library('refuses what a file cannot hold, and writes nothing of it', function()
      local f = new()
      refuses("'/t/f': a file holds tensors, numbers, strings and tables of them, got", function()
         f:write('/t', { a = 1, f = print })
      end)
      refuses('cannot be the name of a member', function() f:write('/t', { ['a/b'] = torch.ones(1) }) end)
      local loop = {}
      loop.me = loop
      refuses('tables are nested more than 64 deep', function() f:write('/t', loop) end)
      refuses("cannot open '/t'", function() f:read '/t' end)
      f:write('/g/x', 1)
      refuses("'/g' is a group already", function() f:write('/g', torch.ones(1)) end)
      refuses("'/' is a group: expected a table", function() f:write('/', torch.ones(1)) end)
      refuses('the options must be hdf5.DataSetOptions', function() f:write('/o', torch.ones(1), { 3 }) end)
      refuses('chunks of 1 dimensions do not fit data of 2', function()
         f:write('/o', torch.ones(1, 1), hdf5.DataSetOptions():setChunked(1))
      end)
   end)

   it_with_library('has attributes, and so has a data set', function()
      local f = new()
      f:write('/x', torch.ones(1))
      f:writeAttribute('title', 'numbers')
      f:writeAttribute('title', 'other')
      f:read '/x':writeAttribute('mean', torch.FloatTensor { 1, 2 })
      f = again(f)
      assert.equal('other', f:readAttribute 'title')
      assert.is_nil(f:readAttribute 'nothing')
      same(torch.FloatTensor { 1, 2 }, f:read '/x':readAttribute 'mean')
   end)
end)

describe('hdf5: a file of h5py', function()
   it_with_library('gives numbers of every type without loss', function()
      local f = open(PYTHON, 'r')
      local types = { u1 = 'Byte', i1 = 'Char', u2 = 'Int', i2 = 'Short', u4 = 'Long', i4 = 'Int', u8 = 'Long',
         i8 = 'Long', f2 = 'Half', f4 = 'Float', f8 = 'Double', bf4 = 'Float', bi8 = 'Long' }
      local t = f:read '/n':all()
      for name, kind in pairs(types) do same(torch[kind .. 'Tensor'] { 1, 2, 100 }, t[name]) end
      same(torch.ByteTensor { 1, 0 }, f:read '/bool':all())
      same(torch.tensor(5.5), f:read '/scalar':all())
      same(torch.range(0, 11):long():view(3, 4), f:read '/packed':all())
      same(torch.LongTensor { { 5, 6 } }, f:read '/packed':partial({ 2, 2 }, { 2, 3 }))
      same(torch.ByteTensor { 1, 2, 100 }, f:read '/soft':all())
      assert.equal(0, f:read '/none':all():nElement())
   end)

   it_with_library('gives strings, tables of strings and attributes', function()
      local f = open(PYTHON, 'r')
      assert.equal('hello', f:read '/s':all())
      assert.same({ 'ab', '' }, f:read '/list':all())
      assert.same({ { 'a', 'bc' } }, f:read '/fixed':all())
      assert.equal('text', f:readAttribute 'title')
      same(torch.tensor(0.5, 'torch.FloatTensor'), f:read '/packed':readAttribute 'scale')
   end)

   it_with_library('is refused where no tensor holds its elements, and leads to no other file', function()
      local f = open(PYTHON, 'r')
      refuses("'/large': it has numbers above 2^63 - 1", function() f:read '/large':all() end)
      refuses("'/compound': its elements are a compound", function() f:read '/compound':all() end)
      refuses("cannot open '/outside'", function() f:read '/outside' end)
      refuses('groups are nested more than 64 deep', function() f:read '/loop':all() end)
   end)
end)

describe('hdf5.open', function()
   it_with_library('has modes that read, change, make, and refuse what exists', function()
      local name = temporary.name '.h5'
      refuses('cannot open', hdf5.open, name, 'r')
      refuses('No such file', hdf5.open, name, 'r+')
      local f = open(name)
      f:write('/a', 1)
      f:close()
      f:close()
      refuses('File exists', hdf5.open, name, 'w-')
      f = open(name, 'a')
      f:write('/b', 2)
      f = again(f)
      assert.equal(1, f:read 'a':all():item())
      refuses('no write intent', function() f:write('/c', 3) end)
      local d = f:read 'b'
      f:close()
      refuses("'/b': the file is closed", function() d:all() end)
      refuses('the file is closed', function() f:read 'a' end)
      f = open(name, 'w')
      refuses("cannot open '/a'", function() f:read '/a' end)
   end)

   it('says which arguments it takes', function()
      refuses('hdf5.open: name must be the name of a file', hdf5.open, 3)
      refuses("there is no mode 'q'", hdf5.open, 'x.h5', 'q')
      refuses('options must be a table {most = bytes}', hdf5.open, 'x.h5', 'r', 3)
      refuses('level must be a whole number in 0..9', function() hdf5.DataSetOptions():setDeflate(10) end)
      refuses('each size must be a whole number from 1 on', function() hdf5.DataSetOptions():setChunked(0) end)
   end)

   it('says where the library comes from when it is missing', function()
      local th = os.getenv 'TH' or 'build/bin/th'
      local p = io.popen(([[TH_HDF5=/nowhere '%s' -e "package.loaded['feed.library'] = function() error('no', 0) end
print(pcall(require 'hdf5'.open, '/tmp/x.h5'))" 2>&1]]):format(th))
      local out = p:read '*a'
      p:close()
      assert.matches('libhdf5 is not installed %(Debian: libhdf5%-103%-1%); TH_HDF5 may name its file', out)
   end)
end)

describe('hdf5: a damaged file', function()
   it_with_library('is an error at every length that cuts it off', function()
      local whole = temporary.get(PYTHON)
      for n = 0, #whole - 1, 331 do
         refuses('hdf5.open: cannot open', hdf5.open, temporary.put(whole:sub(1, n), '.h5'), 'r')
      end
   end)

   -- The bytes of a file whose one data set has 7777 numbers, with another count in its shape.
   local function lying(count, options)
      local f = new()
      f:write('/x', torch.zeros(7777), options)
      f:close()
      local bytes, n = temporary.get(f:filename()):gsub('\97\30%z%z%z%z%z%z', function()
         local s = {}
         for i = 1, 8 do
            s[i] = string.char(count % 256)
            count = math.floor(count / 256)
         end
         return table.concat(s)
      end, 1)
      assert(n == 1)
      return open(temporary.put(bytes, '.h5'), 'r')
   end

   it_with_library('cannot take more memory than its size allows', function()
      local before = torch.memory().peak
      refuses('but its elements need 8796093022208', function() lying(2 ^ 40):read '/x':all() end)
      local packed = hdf5.DataSetOptions():setDeflate()
      refuses('for which', function() lying(2 ^ 40, packed):read '/x':all() end)
      refuses('for which', function() lying(2 ^ 40, packed):all() end)
      refuses('it has 62216 bytes, but its elements need 62224', function() lying(7778):read '/x':all() end)
      assert.is_true(torch.memory().peak - before < 2 ^ 26)
   end)

   it_with_library('may take what the option `most` allows', function()
      local name = temporary.name '.h5'
      local f = open(name, 'w')
      f:append('/x', torch.zeros(1000), hdf5.DataSetOptions():setChunked(1000))
      f:close()
      refuses('it needs 8000 bytes of memory, but the file has', function() open(name, 'r', { most = 7999 }):read '/x':all() end)
      same(torch.zeros(1000), open(name, 'r', { most = 8000 }):read '/x':all())
   end)
end)

describe('hdf5: the process of a file', function()
   local function signal(f, name) os.execute(('kill -s %s %d'):format(name, f._process.pid)) end
   local function lives(pid)
      local h = io.open(('/proc/%d/stat'):format(pid))
      if h then h:close() end
      return h ~= nil
   end

   it_with_library('is ended when a call takes too much time of the processor', function()
      local f = open(PYTHON, 'r')
      signal(f, 'XCPU')
      refuses('libhdf5 took too much time of the processor: the file is damaged', function() f:all() end)
   end)

   it_with_library('ends when the file is closed or collected, or the program ends', function()
      local f = open(PYTHON, 'r')
      local pid = f._process.pid
      f:close()
      assert.is_false(lives(pid))
      f = hdf5.open(PYTHON, 'r')
      pid, f = f._process.pid, nil                            -- luacheck: ignore f
      for _ = 1, 3 do collectgarbage() end
      assert.is_false(lives(pid))
   end)

   it_with_library('has written everything when the program ends without a close', function()
      local f = new()
      f:write('/a', 1)
      f:close()
      local th = os.getenv 'TH' or 'build/bin/th'
      os.execute(("'%s' -e \"require 'hdf5'.open('%s', 'a'):write('/b', torch.ones(2))\""):format(th, f:filename()))
      same(torch.ones(2), open(f:filename(), 'r'):read '/b':all())
   end)

   it_with_library('is shared by those who change a file and read it at the same time', function()
      local f = new()
      f:write('/a', 1)
      assert.equal(1, open(f:filename(), 'r'):read '/a':all():item())      -- both in this process, which has made the file
      f = again(f)
      f:close()
      f = open(f:filename(), 'r+')
      f:write('/a', 2)
      local reader = open(f:filename(), 'r')
      assert.equal(2, reader:read '/a':all():item())
      f:close()
      assert.equal(2, reader:read '/a':all():item())
   end)

   it_with_library('changes a file as a program that makes one does', function()
      local f = new()
      f:close()
      f = open(f:filename(), 'r+')
      f:write('/g', { x = torch.HalfTensor { 1, 2 }, names = { 'a', 'b' }, s = torch.tensor(2.5), e = torch.IntTensor() })
      f:append('/rows', torch.ones(1, 2), hdf5.DataSetOptions():setChunked(2, 2):setDeflate())
      f:read '/g':writeAttribute('n', 3)
      f:read():write('/late', torch.ones(2, 3):t())
      refuses("'/g': a file holds tensors, numbers, strings and tables of them", function() f:write('/g', print) end)
      refuses('append: expected a tensor', function() f:append('/rows', 1) end)
      refuses('the name of an attribute must be a string', function() f:writeAttribute(1, 1) end)
      local before = f:bytes()
      f:flush()
      assert.equal(before, f:bytes())
      f = again(f)
      local t = f:all()
      same(torch.HalfTensor { 1, 2 }, t.g.x)
      same(torch.tensor(2.5), t.g.s)
      assert.equal('torch.IntTensor', t.g.e:type())
      assert.same({ 'a', 'b' }, t.g.names)
      same(torch.ones(1, 2), t.rows)
      same(torch.ones(3, 2), t.late)
      assert.equal(3, f:read '/g':readAttribute 'n':item())
      assert.equal('[HDF5DataSet: /late 3x2]', tostring(f:read '/late'))
      refuses('f must be a function', function() f:read():forEachChild(3) end)
   end)

   it_with_library('is given up when a call is interrupted', function()
      local f = open(PYTHON, 'r')
      local pid = f._process.pid
      f._process.busy = true                                  -- as Ctrl-C leaves it
      refuses('a call was interrupted, which has closed the file', function() f:all() end)
      assert.is_false(lives(pid))
   end)
end)
