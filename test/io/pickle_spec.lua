-- test/io/pickle_spec.lua - hostile and damaged files of PyTorch: code, forged storages, bombs, cut and changed bytes.
-- runs once: files are read by code that has no CPU levels
local torch = require 'torch'
local temporary = require 'test.support.temporary'
local pickles = require 'test.support.pickles'
local format = require 'torch.format'

local of, text, name, int, storage, tensor, archive = pickles.of, pickles.text, pickles.name, pickles.int, pickles.storage, pickles.tensor,
   pickles.archive
local le, refused, load = format.le, temporary.refused, temporary.load

local function refused_in_archive(pattern, ...) refused(pattern, archive(of(...))) end

-- Runs f, and wants it to take less than 64 MiB for tensors.
local function with_little_memory(f)
   local before = torch.memory().peak
   f()
   assert.is_true(torch.memory().peak - before < 2 ^ 26)
end

local floats = ('\0\0\128\63'):rep(4)

after_each(temporary.remove)

describe('a file of PyTorch', function()
   local marker = os.tmpname()
   os.remove(marker)
   for _, attack in ipairs(pickles.attacks('touch ' .. marker)) do
      it('cannot run code by ' .. attack[1], function()
         refused('.', attack[2])
         refused('.', archive(attack[2]))
         refused('.', pickles.legacy(attack[2], of ']'))
         assert.is_nil(io.open(marker))
      end)
   end

   it('that wants a function is refused with the name', function()
      refused_in_archive('the file wants os%.system; a file of data has no functions', name('os', 'system'), '(', text 'true', 'tR')
      refused_in_archive('the file wants builtins%.eval', name('__builtin__', 'eval'), '(tR')
      refused_in_archive('the file wants nt%.a%?%?b', name('nt', 'a\27"b'), '(tR')
      refused_in_archive('instruction EXT1', '\130\1')
      refused_in_archive('instruction INT,', 'I1\n')
      refused_in_archive('OrderedDict as a value', ']', name('collections', 'OrderedDict'), 'a')
   end)

   it('is data again when nothing is wrong', function()
      assert.same({ 1, 2, 3, 4 }, load(archive(of(tensor {}))):totable())
      assert.same({ { 1, 2 }, { 3, 4 } }, load(archive(of(tensor { size = { 2, 2 }, stride = { 2, 1 } }))):totable())
      assert.same({ x = 1 }, load(of('}', text 'x', int(1), 's', '0', '}', text 'x', int(1), 's')))
      assert.is_nil(load(of(('N0'):rep(10), 'N')))
      local object = pickles.of(tensor {})
      local after = of(']', text '0', 'a') .. le(8, 4) .. floats
      assert.same({ 1, 1, 1, 1 }, load(pickles.legacy(object, after)):totable())
   end)

   it('cannot forge a persistent id', function()
      refused_in_archive('reference to a storage is damaged', text 'x', 'Q')
      refused_in_archive('reference to a storage is damaged', '}Q')
      refused_in_archive('reference to a storage is damaged', '(', text 'module', text 'a', 'tQ')
      refused_in_archive("has the class 'collections.OrderedDict'", '(', text 'storage', name('collections', 'OrderedDict'), text '0',
         text 'cpu', int(4), 'tQ')
      refused_in_archive("storage '7' is missing", storage { key = '7' })
      refused_in_archive("storage '%.%./version' is missing", storage { key = '../version' })
      refused_in_archive('size of a storage must be a whole number', storage { n = -1 })
      refused_in_archive('size of a storage must be a whole number', storage { n = 'N' })
      refused_in_archive('size of a storage must be a whole number', storage { n = 'G\63\224' .. ('\0'):rep(6) })
      refused_in_archive('needs 20 bytes, but its member has 16', storage { n = 5 })
      refused_in_archive('needs 36028797018963968 bytes', storage { n = '\138\8' .. le(8, 2 ^ 53) })
      refused_in_archive("'0' has 4 elements of float32, and elsewhere 2 of float64", storage {}, '0', storage { class = 'DoubleStorage', n = 2 })
      refused('storages, but this is no file', of(text 'aaaaaaaaaaa', 'Q'))
   end)

   it('cannot make a tensor that leaves its storage', function()
      refused_in_archive('reaches element 5 of a storage of 4', tensor { offset = 1 })
      refused_in_archive('reaches element 7 of a storage of 4', tensor { stride = { 2 } })
      refused_in_archive('offset of a tensor must be a whole number', tensor { offset = -1 })
      refused_in_archive('size of a tensor must be a whole number', tensor { size = { -1 } })
      refused_in_archive('stride of a tensor must be a whole number', tensor { stride = { -1 } })
      refused_in_archive('stride of a tensor must be a whole number', tensor { stride = { text 'x' } })
      refused_in_archive('2 sizes and 1 strides', tensor { size = { 2, 2 } })
      refused_in_archive('reaches element', tensor { size = { '\138\8' .. le(8, 2 ^ 53) }, stride = { '\138\8' .. le(8, 2 ^ 53) } })
      refused_in_archive('size of a tensor must be', tensor { size = { '\138\8' .. ('\255'):rep(7) .. '\127' } })
      local many, zeros = {}, {}
      for i = 1, 17 do many[i], zeros[i] = 1, 0 end
      refused_in_archive('at most 16 dimensions here, the file has one of 17', tensor { size = many, stride = zeros })
      refused_in_archive('impossible', tensor { size = { 2 ^ 31 - 1, 2 ^ 31 - 1, 2 ^ 31 - 1 }, stride = { 0, 0, 0 } })
      refused_in_archive('needs a storage, the file has a string', tensor { storage = text 'x' })
      refused_in_archive('needs a storage, the file has a dict', tensor { storage = '}' })
      refused_in_archive('reaches element', tensor { storage = storage { class = 'ComplexFloatStorage', n = 2 }, size = { 3 } })
   end)

   it('cannot use members that overlap or occur twice, or a damaged archive', function()
      local pickle = of(tensor {})
      refused("two members 'archive/data/0'", archive(pickle, { { 'archive/data/0', floats }, { 'archive/data/0', floats } }))
      refused('two members data%.pkl', archive(pickle, { { 'b/data.pkl', pickle } }))
      refused('no data%.pkl', (archive(pickle, { { 'archive/version', '3\n' } }):gsub('data%.pkl', 'data.pkk')))
      refused('byteorder is damaged', archive(pickle, { { 'archive/data/0', floats }, { 'archive/byteorder', 'middle' } }))
      refused('byteorder.* has 200 bytes', archive(pickle, { { 'archive/byteorder', ('x'):rep(200) } }))
      -- The second member's entry and header say that it begins within the first.
      local inner = 'PK\3\4' .. le(2, 45) .. le(2, 0) .. le(2, 0) .. le(4, 0) .. le(4, 0) .. le(4, 16) .. le(4, 16) .. le(2, 14) .. le(2, 0)
         .. 'archive/data/1' .. floats
      local whole = archive(pickle, { { 'archive/data/0', inner }, { 'archive/data/1', floats } })
      local place = whole:find(inner, 1, true) - 1
      local entry = whole:find('PK\1\2[^P]*archive/data/1')
      local at = whole:find('PK\1\2', whole:find('archive/data/1', whole:find('PK\1\2', 1, true), true) - 46, true)
      assert.is_true(entry ~= nil and at ~= nil)
      whole = whole:sub(1, at + 41) .. le(4, place) .. whole:sub(at + 46)
      refused("members 'archive/data/0' and 'archive/data/1' overlap", whole)
   end)

   it('is big-endian where it says so', function()
      local x = load(archive(of(tensor {}), { { 'archive/data/0', ('\63\128\0\0'):rep(4) }, { 'archive/byteorder', 'big' } }))
      assert.same({ 1, 1, 1, 1 }, x:totable())
   end)

   it('cannot unpack to more than is allowed', function()
      local zeros = ('\0'):rep(2 ^ 26)
      local packed = archive(of(tensor { storage = storage { n = 2 ^ 24 }, size = { 2 ^ 24 } }), { { 'archive/data/0', zeros } }, { deflate = true })
      zeros = nil                                            -- luacheck: ignore
      assert.is_true(#packed < 2 ^ 18)
      with_little_memory(function() refused('are allowed: load it with {most = ', packed) end)
      assert.equal(2 ^ 24, load(packed, { most = 2 ^ 27 }):nElement())
   end)

   it('cannot take memory by what it promises', function()
      with_little_memory(function()
         refused('a string of 4294967295 bytes, but', of('X\255\255\255\255xxxxxxxx'))
         refused('a string of', of('\142' .. ('\255'):rep(7) .. '\127xxx'))
         refused('a frame of', of('\149' .. ('\255'):rep(8) .. 'N'))
         refused('larger than what is left', pickles.legacy(of(tensor { storage = storage { n = 2 ^ 31 - 1 } }), of ']'))
         refused('larger than what is left', pickles.legacy(of('(', tensor {}, storage { key = '1', n = 2 ^ 20 }, 't'), of ']' .. floats))
         refused('an integer of 20 bytes', of('\138\20' .. ('\1'):rep(20) .. '0N'))
         refused('a string of 4294967295 bytes', of('\139\255\255\255\255xxxxxxx'))
      end)
   end)

   it('cannot misuse the stack and the memo', function()
      refused('its stack is empty', of('00000000000'))
      refused('stack is empty', of('(NNNNNNNNt000'))
      refused('a mark is missing', of('NNNNNNNNNNNNt'))
      refused('its stack is empty', of('(((((((((u'))
      refused('recalls value 5', of('NNNNNNNNN', 'h\5'))
      refused('recalls value 4294967295', of('NNNNNNNN', 'j\255\255\255\255'))
      refused('values are left', of('NNNNNNNNNNNN'))
      refused('a key has no value', of('}(NNNNNNNNNu'))
      refused('an element for a dict', of(('N0'):rep(5), '}Na'))
      refused('entries for a list', of('](NNNNNNNNNNu'))
      refused('it ends too early', '\128\2NNNNNNNNNNNN')
      refused('unknown instruction 255', of('NNNNNNNNNNN\255'))
      refused('protocol 9 is not known', of('NNNNNNNNNNN\128\9'))
      refused('bytes follow the pickle', of(('N0'):rep(8), 'N') .. 'x')
      refused('key of a dictionary must be .* a tuple', of('}', ')', int(1), 's', ('N0'):rep(5)))
      refused('key of a dictionary is nan', of('}G\127\248' .. ('\0'):rep(6), int(1), 's'))
      refused('sets the state of a list', of(']', '}', 'b', ('N0'):rep(5)))
   end)

   it('may refer to a value many times, which takes no memory', function()
      local parts = { ']q\0000' }
      for i = 1, 60 do
         local last = 'h' .. string.char(i - 1)
         parts[#parts + 1] = '](' .. last .. last .. 'eq' .. string.char(i) .. '0'
      end
      local v = load(of(table.concat(parts), 'h<'))
      for _ = 1, 60 do
         assert.equal(v[1], v[2])
         v = v[1]
      end
      assert.is_table(v)
   end)

   it('may nest as deep as its bytes allow', function()
      local n = 100000
      local v = load('\128\2' .. (']'):rep(n) .. ('a'):rep(n - 1) .. '.')
      local depth = 0
      while v do v, depth = v[1], depth + 1 end
      assert.equal(n, depth)
      local t = load(of(']q\0', 'h\0a', ('N0'):rep(5)))
      assert.equal(t, t[1])
   end)

   it('is limited in tables and waiting values', function()
      refused('more than 4194304 tables', of((']0'):rep(2 ^ 22 + 1), 'N'))
      refused('more than 4194304 values wait', of(('N'):rep(2 ^ 22 + 1)))
      refused('more than 4194304 marks', of(('('):rep(2 ^ 22 + 1)))
   end)

   it('before version 1.6 must have its magic number, protocol, keys and storages', function()
      local object, key = of(tensor {}), of(']', text '0', 'a')
      refused('protocol', (pickles.legacy(object, key .. le(8, 4) .. floats):gsub('M\233\3', 'M\234\3')))
      refused("storage '0' is missing", pickles.legacy(object, of ']' .. le(8, 4) .. floats))
      refused("storage '1', which is unknown", pickles.legacy(object, of(']', text '1', 'a') .. le(8, 4) .. floats))
      refused("storage '0', which is unknown or there twice", pickles.legacy(object, of(']', text '0', 'a', text '0', 'a') .. le(8, 4) .. floats .. floats))
      refused('where it lies 5', pickles.legacy(object, key .. le(8, 5) .. floats))
      refused('ends before its storages do', pickles.legacy(object, key .. le(8, 4) .. floats:sub(2) .. ''):sub(1, -2))
      refused('has no list of storages', pickles.legacy(object, of '}' .. le(8, 4) .. floats))
      local view = '(' .. text 'storage' .. name('torch', 'FloatStorage') .. text '0' .. text 'cpu' .. int(4)
      local function part(offset, n) return view .. '(' .. text 'v' .. int(offset) .. int(n) .. 'ttQ' end
      local whole = key .. le(8, 4) .. floats
      assert.same({ 1, 1 }, load(pickles.legacy(of(tensor { storage = part(2, 2), size = { 2 } }), whole)):totable())
      refused('reaches element 3 of a storage of 2', pickles.legacy(of(tensor { storage = part(1, 2), size = { 3 } }), whole))
      refused('part of a storage lies outside', pickles.legacy(of(tensor { storage = part(3, 2), size = { 2 } }), whole))
   end)

   it('stays a value or an error under thousands of corruptions', function()
      for _, file in ipairs { 'checkpoint.pt', 'checkpoint.old.pt', 'oldest.tar', 'numpy.pt', 'script.pt', 'views.old.pt' } do
         local good = temporary.get('test/support/pytorch/' .. file)
         local values, errors = temporary.corrupt(1000, function(seed)
            local g = (seed * 7919) % #good + 1
            local bad = good:sub(1, g - 1) .. string.char((seed * 104729 + math.floor(seed / 256)) % 256) .. good:sub(seed % 11 == 0 and g or g + 1)
            return seed % 17 == 0 and bad:sub(1, (seed * 31) % #bad) or bad
         end)
         assert.is_true(values + errors == 1000 and errors > 10, ('%s: %d values, %d errors'):format(file, values, errors))
      end
   end)
end)
