-- test/feed/digits_spec.lua - the digits that come with the project, and files with wrong headers.
-- runs once
local torch = require 'torch'
local idx = require 'examples.lib.idx'
local draw = require 'examples.lib.draw'

local dir

local function path(name) return dir .. '/' .. name end

local function write(name, ...)
   local file = assert(io.open(path(name), 'wb'))
   file:write(...)
   file:close()
   return path(name)
end

local function packed(name, ...)
   assert(os.execute(("gzip -c '%s' > '%s'"):format(write(name, ...), path(name .. '.gz'))) == 0)
   return path(name .. '.gz')
end

local function bytes(file)
   local handle = assert(io.open(file, 'rb'))
   local text = handle:read '*a'
   handle:close()
   return text
end

-- Six bytes as an image of 2 x 3.
local SMALL = '\0\0\8\2' .. '\0\0\0\2' .. '\0\0\0\3' .. '\1\2\3\4\5\255'

local function refuses(message, file)
   local ok, why = pcall(idx.read, file)
   assert.is_false(ok)
   assert.truthy(why:find(message, 1, true), why)
   assert.truthy(why:find(file, 1, true), 'the message names the file: ' .. why)
end

setup(function()
   dir = os.tmpname()
   os.remove(dir)
   assert(os.execute("mkdir '" .. dir .. "'") == 0)
end)

teardown(function() os.execute("rm -r '" .. dir .. "'") end)

describe('the digits of the project', function()
   local images, labels = idx.readPair('data/digits-images-idx3-ubyte', 'data/digits-labels-idx1-ubyte')

   it('are 1,797 images of 8 x 8 pixels from 0 to 16', function()
      assert.same({ 1797, 8, 8 }, images:size():totable())
      assert.equal(0, images:min())
      assert.equal(16, images:max())
   end)

   it('show each digit about 180 times', function()
      local seen = {}
      for digit = 0, 9 do seen[digit + 1] = labels:eq(digit):sum() end
      assert.same({ 178, 182, 177, 183, 181, 182, 181, 179, 174, 180 }, seen)
   end)

   it('have the bytes that data/README.md promises', function()
      local promised = bytes 'data/README.md'
      for _, name in ipairs { 'digits-images-idx3-ubyte', 'digits-labels-idx1-ubyte' } do
         local sum = io.popen('sha256sum data/' .. name)
         local hash = sum:read '*l':match '^%x+'
         sum:close()
         assert.truthy(promised:find(hash, 1, true), name)
      end
   end)

   it('come out of make-digits.lua again, bit by bit', function()
      local rows = {}
      for i = 1, images:size(1) do
         local row = images[i]:view(64):totable()
         row[65] = labels[i]
         rows[i] = table.concat(row, ',')
      end
      local csv = packed('digits.csv', table.concat(rows, '\n'), '\n')
      local maker, lib = path 'make-digits.lua', path 'examples'
      write('make-digits.lua', bytes 'data/make-digits.lua')
      assert(os.execute(("cp -r examples '%s' && mkdir '%s'"):format(lib, path 'data')) == 0)
      local command = "cd '%s' && LUA_PATH='./?.lua' luajit '%s' '%s' > /dev/null"
      assert(os.execute(command:format(dir, maker, csv)) == 0)
      for _, name in ipairs { 'digits-images-idx3-ubyte', 'digits-labels-idx1-ubyte' } do
         assert.equal(bytes('data/' .. name), bytes(path('data/' .. name)))
      end
   end)
end)

describe('idx.read', function()
   it('reads the same from a plain and from a gzipped file', function()
      local expected = { { 1, 2, 3 }, { 4, 5, 255 } }
      assert.same(expected, idx.read(write('small', SMALL)):totable())
      assert.same(expected, idx.read(packed('small', SMALL)):totable())
   end)

   it('refuses a file that is not there', function() refuses('No such file', path 'nothing') end)
   it('refuses a folder', function() refuses('Is a directory', dir) end)
   it('refuses an empty file', function() refuses('ends after 0 bytes', write('empty', '')) end)
   it('refuses a file of three bytes', function() refuses('ends after 3 bytes', write('three', '\0\0\8')) end)

   it('refuses a wrong magic number', function()
      refuses('it begins with 47 49 46 38', write('gif', 'GIF89a', ('x'):rep(100)))
   end)

   it('refuses elements that are not bytes', function()
      refuses('elements of type float', write('float', '\0\0\13\1', '\0\0\0\1', '\0\0\0\0'))
   end)

   it('refuses no dimension and too many', function()
      refuses('has 0 dimensions', write('zero', '\0\0\8\0', '\1\2\3\4'))
      refuses('has 5 dimensions', write('five', '\0\0\8\5', ('\0\0\0\1'):rep(5), '\1'))
   end)

   it('refuses a header that is cut', function()
      refuses('within its header', write('cut', SMALL:sub(1, 10)))
   end)

   it('refuses a dimension of size 0', function()
      refuses('dimension 2 has size 0', write('flat', '\0\0\8\2', '\0\0\0\2', '\0\0\0\0'))
   end)

   it('refuses sizes that lie, before it takes memory for them', function()
      refuses('promises 6 elements (2 x 3)', write('lie1', '\0\0\8\2', '\0\0\0\2', '\0\0\0\3'))
      local huge = '\0\0\8\4' .. ('\255\255\255\255'):rep(4)
      collectgarbage()
      refuses('promises 340282366', write('lie2', huge, 'x'))
      refuses('promises 340282366', packed('lie3', huge, 'x'))
   end)

   it('refuses elements that end early', function()
      refuses('promises 6 elements (2 x 3) but has at most 5 bytes for them',
              write('early', SMALL:sub(1, -2)))
      refuses('ends after 5 of 6 elements', packed('early', SMALL:sub(1, -2)))
   end)

   it('refuses bytes after the elements', function()
      refuses('has bytes after its 6 elements', write('late', SMALL, '!'))
      refuses('has bytes after its 6 elements', packed('late', SMALL, '!'))
   end)

   it('refuses a gzipped file that is cut anywhere', function()
      local whole = bytes(packed('whole', SMALL))
      for n = 2, #whole - 1 do
         assert.is_false(pcall(idx.read, write('part.gz', whole:sub(1, n))), 'cut after ' .. n .. ' bytes')
      end
      refuses('is damaged: unexpected end of file', write('part.gz', whole:sub(1, -5)))
   end)

   it('refuses a gzipped file with a wrong checksum', function()
      local whole = bytes(packed('whole', SMALL))
      refuses('is damaged: incorrect data check', write('sum.gz', whole:sub(1, -9), 'oops', whole:sub(-4)))
   end)
end)

describe('idx.readHalf', function()
   local IMAGES = '\0\0\8\3' .. '\0\0\0\2' .. '\0\0\0\1' .. '\0\0\0\1' .. '\7\8'

   it('finds the files under each of their names', function()
      for _, ending in ipairs { '-ubyte', '-ubyte.gz' } do
         os.execute(("rm -f '%s'/t10k-*"):format(dir))
         local make = ending:find 'gz' and packed or write
         make('t10k-images-idx3-ubyte', IMAGES)
         make('t10k-labels-idx1-ubyte', '\0\0\8\1', '\0\0\0\2', '\3\4')
         if ending:find 'gz' then os.execute(("rm '%s'/t10k-*-ubyte"):format(dir)) end
         local images, labels = idx.readHalf(dir, 't10k')
         assert.same({ { { 7 } }, { { 8 } } }, images:totable())
         assert.same({ 3, 4 }, labels:totable())
      end
   end)

   it('gives nil when neither file is there, and says which one is missing', function()
      assert.is_nil((idx.readHalf(dir, 'train')))
      write('train-images-idx3-ubyte', IMAGES)
      assert.has_error(function() idx.readHalf(dir, 'train') end,
                       ('%s has %s but lacks train-labels-idx1-ubyte'):format(dir, path 'train-images-idx3-ubyte'))
   end)

   it('refuses images and labels that do not belong together', function()
      write('train-images-idx3-ubyte', IMAGES)
      write('train-labels-idx1-ubyte', '\0\0\8\1', '\0\0\0\3', '\1\2\3')
      local ok, why = pcall(idx.readHalf, dir, 'train')
      assert.is_false(ok)
      assert.truthy(why:find('holds 2 images but', 1, true) and why:find('holds 3 labels', 1, true), why)
      write('train-labels-idx1-ubyte', '\0\0\8\1', '\0\0\0\2', '\1\10')
      ok, why = pcall(idx.readHalf, dir, 'train')
      assert.is_false(ok)
      assert.truthy(why:find('holds the label 10, digits are 0 to 9', 1, true), why)
   end)
end)

describe('draw', function()
   local image = torch.FloatTensor { { 0, 16 }, { 16, 0 } }

   it('shades a small image with two columns a pixel', function()
      assert.same({ '  @@', '@@  ' }, (draw.lines(image, 16, false)))
   end)

   it('sets images beside each other and breaks the row at the width', function()
      assert.equal('  @@    @@\n@@    @@  \none   two \n',
                   draw.row({ image, image }, { 'one', 'two' }, 16, false))
      assert.equal('  @@\n@@  \none \n\n  @@\n@@  \ntwo \n',
                   draw.row({ image, image }, { 'one', 'two' }, 16, false, 5))
   end)
end)
