-- test/feed/files_spec.lua - datasets in files of other programs, valid and damaged.
-- runs once
local torch = require 'torch'
local feed = require 'feed'
local shared = require 'test.support.feed'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local all, bounded, needs_a_file = shared.all, shared.bounded, shared.needs_a_file

teardown(temporary.remove)

describe('feed.npy', function()
   it('reads rows of all types', function()
      local name = temporary.name '.npy'
      for _, word in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Half', 'Float', 'Double' } do
         local x = torch.range(1, 12):view(3, 2, 2):type('torch.' .. word .. 'Tensor')
         torch.save(name, x)
         local d = feed.npy(name)
         assert.equal(3, d:size())
         assert.equal(x:type(), d:get(2):type())
         assert.same(x[2]:double():totable(), d:get(2):double():totable())
         assert.same({ x[3]:double():totable(), x[1]:double():totable(), x[2]:double():totable() },
            d:batch(torch.LongTensor { 3, 1, 2 }):double():totable())
      end
      torch.save(name, torch.range(5, 7))
      assert.same({ 5, 6, 7 }, all(feed.npy(name)))
      bounded('feed.npy', feed.npy(name))
   end)
   it('reads the other byte order', function()
      local head = "{'descr': '>i2', 'fortran_order': False, 'shape': (2, 1), }\n"
      local d = feed.npy(temporary.put('\147NUMPY\1\0' .. string.char(#head) .. '\0' .. head .. '\1\2\3\4'))
      assert.same({ { 258 }, { 772 } }, all(d))
      assert.same({ { 772 }, { 258 } }, d:batch(torch.LongTensor { 2, 1 }):totable())
   end)
   it('refuses what has no rows, or is damaged', function()
      needs_a_file 'feed.npy'
      local function file(order, shape)
         local head = ("{'descr': '<f8', 'fortran_order': %s, 'shape': %s, }\n"):format(order, shape)
         return temporary.put('\147NUMPY\1\0' .. string.char(#head) .. '\0' .. head .. ('\0'):rep(32))
      end
      refuses('it holds a single number, and no rows', feed.npy, file('False', '()'))
      refuses('its columns lie together (fortran_order), so it has no rows to read', feed.npy, file('True', '(2, 2)'))
      refuses('but 32 are left', feed.npy, file('False', '(5,)'))
      refuses('this is no .npy file', feed.npy, temporary.put 'abc')
   end)
end)

describe('feed.idx', function()
   it('reads the digits of the project', function()
      local d = feed.zip(feed.idx 'data/digits-images-idx3-ubyte', feed.idx 'data/digits-labels-idx1-ubyte')
      assert.equal(1797, d:size())
      local images, labels = require 'examples.lib.idx'.readPair('data/digits-images-idx3-ubyte', 'data/digits-labels-idx1-ubyte')
      for _, i in ipairs { 1, 100, 1797 } do
         assert.same(images[i]:totable(), d:get(i)[1]:totable())
         assert.equal(labels[i], d:get(i)[2])
      end
   end)
   it('reads every type', function()
      local function of(kind, bytes) return all(feed.idx(temporary.put('\0\0' .. kind .. '\1\0\0\0\2' .. bytes))) end
      assert.same({ 1, 255 }, of('\8', '\1\255'))
      assert.same({ 1, -1 }, of('\9', '\1\255'))
      assert.same({ 258, -1 }, of('\11', '\1\2\255\255'))
      assert.same({ 16909060, -1 }, of('\12', '\1\2\3\4\255\255\255\255'))
      assert.same({ 1, -2 }, of('\13', '\63\128\0\0\192\0\0\0'))
      assert.same({ 1, -2 }, of('\14', '\63\240\0\0\0\0\0\0\192\0\0\0\0\0\0\0'))
   end)
   it('refuses what is no IDX file, or is damaged', function()
      needs_a_file 'feed.idx'
      refuses('it is no IDX file', feed.idx, temporary.put '')
      refuses('it is no IDX file', feed.idx, temporary.put '\0\0\7\1')
      refuses('it is no IDX file', feed.idx, temporary.put '\0\0\8\0')
      refuses('it ends within its header of 12 bytes', feed.idx, temporary.put '\0\0\8\2\0\0\0\1')
      refuses('its header announces 2 bytes of elements, but 1 follow', feed.idx, temporary.put '\0\0\8\1\0\0\0\2\1')
      refuses('its header announces', feed.idx, temporary.put('\0\0\14\16' .. ('\255'):rep(64)))
      refuses('its rows have no elements', feed.idx, temporary.put('\0\0\8\2' .. ('\255'):rep(4) .. ('\0'):rep(4)))
      assert.equal(0, feed.idx(temporary.put('\0\0\8\2' .. ('\0'):rep(7) .. '\3')):size())
   end)
end)

describe('feed.text', function()
   it('reads lines, whatever their ends', function()
      assert.same({ 'a', '', 'b c', 'd' }, all(feed.text(temporary.put 'a\n\nb c\r\nd')))
      assert.same({ 'a' }, all(feed.text(temporary.put 'a\n')))
      assert.same({}, all(feed.text(temporary.put '')))
      bounded('feed.text', feed.text(temporary.put 'a\nb'))
      needs_a_file 'feed.text'
   end)
   it('reads files that are larger than a block, and long lines', function()
      local list = {}
      for k = 1, 30000 do list[k] = ('%d '):format(k):rep(k % 20) end
      list[500] = ('x'):rep(3000000)
      local d = feed.text(temporary.put(table.concat(list, '\n') .. '\n'))
      assert.equal(30000, d:size())
      for _, k in ipairs { 1, 499, 500, 501, 17777, 29999 } do assert.equal(list[k], d:get(k)) end
   end)
end)

describe('feed.csv', function()
   local function rows(text, options) return all(feed.csv(temporary.put(text), options)) end
   it('reads fields: numbers, words, and what stands in quotes as it is', function()
      assert.same({ { 1, -2.5, 1e3, 'x' }, { '', '0x1f', 'nan', '1 2' } }, rows '1,-2.5,1e3,x\r\n,0x1f,nan,1 2')
      assert.same({ { '1', 'a,b', 'say "no"', 'two\nlines', '' }, { 1, 2, 3, 4, 5 } },
         rows '"1","a,b","say ""no""","two\nlines",""\n1,2,3,4,5\n')
      assert.same({ { 1, '' }, { '', 2 } }, rows('1;\n;2\n', { separator = ';' }))
      assert.same({}, rows '')
   end)
   it('names fields by a header', function()
      assert.same({ { a = 1, b = 'x' } }, rows('a,b\n1,x\n', { header = true }))
      assert.same({}, rows('a,b\n', { header = true }))
   end)
   it('names fields as the header writes them', function()
      assert.same({ { ['007'] = 3, ['1e3'] = 4 } }, rows('007,1e3\n3,4\n', { header = true }))
      assert.same({ { a = 3, b = 4 } }, rows('\239\187\191"a",b\n3,4\n', { header = true }))
      assert.same({}, rows '\239\187\191')
   end)
   it('leaves what a double does not hold a string', function()
      local text = '1e400,-1e400,1e-400,9007199254740993,9007199254740992,9007199254740991,0e5,1e300,-0.0'
      assert.same({ { '1e400', '-1e400', '1e-400', '9007199254740993', '9007199254740992', 2 ^ 53 - 1, 0, 1e300, 0 } }, rows(text))
   end)
   it('makes tensors of numbers', function()
      local d = feed.csv(temporary.put 'a,b\n1,2\n3,4\n', { header = true, tensor = true })
      assert.same({ 3, 4 }, d:get(2):totable())
      assert.same({ { 1, 2 }, { 3, 4 } }, feed.loader { dataset = d, batch = 2, workers = 1 }:epoch()():totable())
   end)
   it('refuses rows that do not fit, and says which', function()
      needs_a_file 'feed.csv'
      local function bad(text, content, options)
         local name = temporary.put(content)
         assert.truthy(refuses(text, function() all(feed.csv(name, options)) end):find('feed.csv: ' .. name .. ': ', 1, true))
      end
      bad('row 2: it has 1 fields, the first row has 2', '1,2\n3\n')
      bad('row 3: field 2 is no number: \'x\'', 'a,b\n1,2\n3,x\n', { header = true, tensor = true })
      bad('row 1: field 1 continues after its closing quote', '"a"b,c')
      bad('a quote that opens has no end', 'a\n"b')
      bad('row 1: field 1 has a quote, but does not begin with one', '5" pipe,1\n6" pipe,2\n')
      bad('row 3: field 2 has a quote, but does not begin with one', 'a,b\n1,2\n3,6" pipe\n4,5\n', { header = true })
      bad("the header names '1' twice", '1,"1"\n2,3\n', { header = true })
      bad('it lacks the header', '', { header = true })
      bad("the header names 'a' twice", 'a,a', { header = true })
      refuses('feed.csv: separator must be one character other than a quote or a line end, got ", "', feed.csv, '/tmp', { separator = ', ' })
      refuses('feed.csv: there is no option sep; there are header, separator, tensor', feed.csv, '/tmp', { sep = ',' })
      refuses('feed.csv: header must be a boolean, got a number (1)', feed.csv, '/tmp', { header = 1 })
      refuses('feed.csv: options must be a table, got a number (1)', feed.csv, '/tmp', 1)
      bounded('feed.csv', feed.csv(temporary.put '1\n2'))
   end)
end)

describe('feed.t7', function()
   it('finds samples in tensors, tables of tensors and lists', function()
      local name = temporary.name '.t7'
      torch.save(name, torch.ones(3, 2))
      assert.equal(3, feed.t7(name):size())
      torch.save(name, { x = torch.ones(4, 2), y = torch.ones(4) })
      assert.equal(1, feed.t7(name):get(4).y)
      torch.save(name, { { 'a', 1 }, { 'b', 2 } })
      assert.same({ 'b', 2 }, feed.t7(name):get(2))
   end)
   it('refuses what holds none, and runs no code', function()
      local name = temporary.name '.t7'
      torch.save(name, 3)
      refuses('feed.t7: ' .. name .. ': samples must be in a tensor, a table of tensors or a list, got a number (3)',
         feed.t7, name)
      refuses('feed.t7: ', feed.t7, temporary.put 'damaged')
      refuses('feed.t7: file must be the name of a file, got nil', feed.t7)
   end)
end)
