-- test/text/pattern_spec.lua - regular expressions over Unicode: matches, errors, and time.
-- runs once: nothing here depends on the level
local refuses = require 'test.support.refuses'
local json = require 'torch.json'
local pattern = require 'text.pattern'
local patterns = require 'text.patterns'
local set = require 'text.set'

local function find(p, s, from)
   local a, b = pattern.find(pattern.new(p), s, from)
   return a and s:sub(a, b) or nil, a
end

-- All matches, one after the other.
local function all(p, s)
   local list, place, compiled = {}, 1, pattern.new(p)
   while true do
      local a, b = pattern.find(compiled, s, place)
      if not a then return list end
      list[#list + 1], place = s:sub(a, b), b + 1
   end
end

describe('text.pattern', function()
   it('matches characters, classes and properties', function()
      assert.equal('é', find('[é-ü]', 'aé'))
      assert.equal('我我', find([[\p{Lo}+]], 'ab我我c'))
      assert.equal('我', find([[\p{Han}]], 'あ我'))
      assert.equal('ab1_', find([[\w+]], '-ab1_-'))
      assert.equal('٣', find([[\d]], 'a٣'))
      assert.equal('\194\160', find([[\s]], 'a\194\160'))
      assert.equal('x', find([[\P{L}x]], '1x') and 'x')
      assert.equal('a-z', find('[a\\-z]+', '!a-z!'))
      assert.equal(']', find('[]x]', 'a]'))
      assert.equal('xyz', find([=[[\w&&[^a-m]]+]=], 'abcxyz'))
      assert.equal('b', find('[^\\x{61}\\u0063]', 'acb'))
      assert.equal('😀', find('.', '😀'))
      assert.is_nil(find('.', '\n'))
      assert.equal('\n', find('(?s).', '\n'))
   end)

   it('repeats greedily, lazily and without giving back', function()
      assert.equal('aaab', find('a*ab', 'aaab'))
      assert.equal('ab', find('a+?b', 'ab'))
      assert.equal('aXb', find('a.*?b', 'aXbXb'))
      assert.is_nil(find('a++ab', 'aaab'))
      assert.equal('ab', find('a?+b', 'xab'))
      assert.is_nil(find('(?>a|ab)c', 'abc'))
      assert.equal('abab', find('(?:ab){2,3}', 'ababX'))
      assert.equal('123', find([[\p{N}{1,3}]], '12345'))
      assert.equal('ac', find('a(b|)c', 'ac'))
      assert.equal('a{x}', find('a{x}', 'a{x}'))
   end)

   it('looks ahead, behind, at edges and lines', function()
      assert.same({ '  ', ' ' }, all([[\s+(?!\S)|\s+]], 'a   b'))
      assert.equal('b', find('(?<=a)b(?=c)', 'abcb'))
      assert.same({ 'b', 4 }, { find('(?<!a)b', 'abcb') })
      assert.same({ 'b', 3 }, { find('(?<=é)b', 'éb') })
      assert.same({ 'cat', 5 }, { find([[\bcat\b]], 'cats cat') and 'cat', 5 })
      assert.same({ 'b', 3 }, { find('^b$', 'a\nb\nc') })
      assert.is_nil(find([[\Ab]], 'a\nb'))
      assert.equal('b', find([[b\z]], 'a b'))
   end)

   it('ignores case within (?i:..)', function()
      assert.equal("'LL", find("(?i:'ll|'S)", "I'LL"))
      assert.equal('ſ', find('(?i)S', 'ſ'))
      assert.is_nil(find("(?i:'ll)A", "'lla"))
      assert.equal('É', find('(?i)[à-ï]', 'É'))
   end)

   it('divides a text as GPT-2 and GPT-4 do', function()
      local s = "Hello, y'all!  I'LL take 12345 我 things\n\n  x"
      assert.same({ 'Hello', ',', ' y', "'", 'all', '!', ' ', ' I', "'", 'LL', ' take', ' 12345', ' 我', ' things', '\n\n ', ' x' },
         all(patterns['gpt-2'][1], s))
      assert.same({ 'Hello', ',', ' y', "'all", '!', ' ', ' I', "'LL", ' take', ' ', '123', '45', ' 我', ' things', '\n\n', ' ', ' x' },
         all(patterns.llama3[1], s))
   end)

   it('compiles the patterns of all names', function()
      for name, list in pairs(patterns) do
         for _, p in ipairs(list) do assert(pcall(pattern.new, p), name) end
      end
   end)

   it('takes time in proportion to the text where a run fails again and again', function()
      local s = (' '):rep(200000) .. 'x'
      assert.is_nil(find([[\s+$]], s))
      assert.is_nil(find([[\s+\z]], s))
   end)

   it('reads each invalid byte as one character', function()
      assert.equal('\255', find('[^a]', 'a\255\254'))
      assert.same({ '\255\254', 'a' }, all([[\p{L}+|[^\p{L}]+]], '\255\254a'))
      assert.same({ '\226', '\130' }, all('.', '\226\130'))
   end)

   it('refuses what it does not know', function()
      for p, why in pairs { ['('] = "')' is expected", [')'] = "')' without '('", ['[a'] = 'the class does not end', ['*a'] = 'nothing precedes *',
         ['a{3,2}'] = 'a repeat is out of range', ['a{1001}'] = 'a repeat is out of range', ['\\'] = 'it ends in a backslash',
         ['\\p{Xx}'] = "there is no property 'Xx'", ['\\p'] = '\\p needs a name', ['[b-a]'] = 'a range of a class is out of order',
         ['\\1'] = '\\1 is not supported', ['(?#a)'] = 'this group is not supported', ['(?x:a)'] = "the flags 'x' are not supported",
         ['[[:alpha:]]'] = 'POSIX names are not supported', ['\\x{110000}'] = 'there is no character 110000',
         ['(?:a?)*'] = 'something that can be empty repeats without end', ['(?<=a+)b'] = 'a look behind needs a fixed length',
         ['((((((((((a{9}){9}){9}){9}){9}){9}){9}){9}){9}){9})'] = 'it is too long' } do
         refuses(why, pattern.new, p)
      end
      refuses('it is nested more than 40 deep', pattern.new, ('('):rep(50) .. (')'):rep(50))
      local classes = {}
      for i = 1, 70 do classes[i] = ('[%s%s]'):format(json.utf8(256 + i), json.utf8(512 + i)) end
      refuses('it has more than 64 classes', pattern.new, table.concat(classes))
   end)
end)

describe('text.set', function()
   it('joins, inverts and intersects', function()
      assert.same({ 1, 5, 8, 9 }, set.of { 8, 9, 3, 5, 1, 2 })
      assert.same({ 1, 9 }, set.union({ 1, 3, 7, 9 }, { 4, 6 }))
      assert.same({ 0, 0, 4, 0x10FFFF }, set.complement { 1, 3 })
      assert.same({ 2, 3 }, set.intersection({ 1, 3 }, { 2, 9 }))
      assert.same({}, set.complement { 0, 0x10FFFF })
   end)
end)
