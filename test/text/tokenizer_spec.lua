-- test/text/tokenizer_spec.lua - text.Tokenizer: encode, decode, offsets, options, batches and their errors.
-- runs once: nothing here depends on the level
local ffi = require 'ffi'
local torch = require 'torch'
local base64 = require 'torch.base64'
local refuses = require 'test.support.refuses'
local samples = require 'test.support.vocabularies'
local temporary = require 'test.support.temporary'
local text = require 'text'

local bytes, words, scores, pair_of_words

local function list(t) return t:nElement() > 0 and t:totable() or {} end

setup(function()
   local all = samples.all()
   bytes = text.load(temporary.put(all.bytes.bytes, '.json'))
   words = text.load(temporary.put(all.wordpiece.bytes, '.json'))
   scores = text.load(temporary.put(all.scores.bytes, '.model'))
   pair_of_words = text.load(temporary.put('[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\ncat\nsat\n##s\n', '.txt'))
end)
teardown(temporary.remove)

local function random_bytes(n)
   local s = {}
   for i = 1, n do s[i] = string.char(torch.random(0, 255)) end
   return table.concat(s)
end

describe('text.Tokenizer:encode', function()
   it('gives the ids that tokenizers 0.23.3 and sentencepiece 0.2.3 gave for these files', function()
      local line = "the cat and the hat, it's 42"
      assert.same({ 268, 258, 262, 256, 267, 259, 263, 256, 44, 264, 116, 39, 115, 265 }, list(bytes:encode(line)))
      assert.same({ 268, 32, 259, 10, 10, 262, 256, 39, 115 }, list(bytes:encode "  the\n\n cat's"))
      assert.same({ 1, 1, 2, 3, 0, 1, 0, 0, 0, 0, 0, 0, 2 }, list(words:encode(line)))
      assert.same({ 1, 1, 2, 3, 0, 1, 2 }, list(words:encode 'Thé CAT 我the'))
      assert.same({ 268, 270, 259, 264, 113, 103, 268, 259, 261, 266, 47, 259, 108, 260, 42, 118, 259, 55, 53 }, list(scores:encode(line)))
      assert.same({ 268, 13, 13, 270, 42, 118 }, list(scores:encode "  the\n\n cat's"))
      assert.same({ 259, 272, 197, 192, 242, 175, 132, 259, 123 }, list(scores:encode 'é½ﬁ x'))
      assert.same({ 268, 259, 273, 263, 266 }, list(scores:encode 'the <x>cat'))
   end)

   it('gives an empty LongTensor for an empty text, and the tokens of the model with special tokens', function()
      assert.equal(0, bytes:encode('', { special = false }):nElement())
      assert.equal('torch.LongTensor', bytes:encode('', { special = false }):type())
      assert.same({ 268 }, list(bytes:encode ''))
   end)

   it('reads a special token that a text spells, and with parse = false the letters', function()
      assert.same({ 268, 268, 97 }, list(bytes:encode '<s>a'))
      assert.same({ 60, 115, 62, 97 }, list(bytes:encode('<s>a', { special = false, parse = false })))
   end)

   it('adds base to every id', function()
      assert.same({ 269, 98 }, list(bytes:encode('a', { base = 1 })))
   end)

   it('gives types and the second text of a pair', function()
      local ids, offsets, types = pair_of_words:encode('the cat', { pair = 'cats', types = true, offsets = true })
      assert.same({ 2, 4, 5, 3, 5, 7, 3 }, list(ids))
      assert.same({ 0, 0, 0, 0, 1, 1, 1 }, list(types))
      assert.same({ { 0, 0 }, { 1, 3 }, { 5, 7 }, { 0, 0 }, { 1, 3 }, { 4, 4 }, { 0, 0 } }, offsets:totable())
   end)

   it('cuts at length, without cutting the tokens around the text, the longer text of a pair first', function()
      assert.same({ 2, 4, 3 }, list(pair_of_words:encode('the cat sat', { length = 3 })))
      assert.same({ 2, 4, 5, 3, 5, 3 }, list(pair_of_words:encode('the cat the cat', { pair = 'cats', length = 6 })))
   end)

   it('finds the longest added token, with its spaces and only as whole words where the file says so', function()
      local added = [[,"added_tokens":[{"id":270,"content":"<a>","special":false,"lstrip":true,"normalized":false},
{"id":271,"content":"<a>b","special":false,"rstrip":true,"normalized":false},
{"id":272,"content":"zz","special":false,"single_word":true,"normalized":false}]}]]
      local t = text.load(temporary.put((samples.byte_level('the cat', 0, added):gsub('}}$', '}')), '.json'))
      assert.same({ 'x', '<a>', 'c', '<a>b', 'd' }, t:tokens 'x \t<a>c<a>b  d')
      assert.same({ 'zz', 'Ġ', 'z', 'z', 'y', 'Ġ', 'zz', '.' }, t:tokens 'zz zzy zz.')
   end)

   it('keeps the bytes of invalid UTF-8 in byte-level models, and reads U+FFFD for each elsewhere', function()
      assert.same({ 255, 254, 97 }, list(bytes:encode('\255\254a', { special = false })))
      assert.same(list(scores:encode 't\239\191\189h'), list(scores:encode 't\255h'))
   end)

   it('encodes a text of a million characters in one piece', function()
      local s = ('the cat '):rep(125000)
      assert.equal(250000, scores:encode(s):nElement())
      assert.equal(s, bytes:decode(bytes:encode(s)))
      assert.equal(10 ^ 6, words:encode(('x '):rep(10 ^ 6), { special = false }):nElement())
      assert.same({ 1, 0, 2 }, list(words:encode(('x'):rep(10 ^ 6))))
   end)

   it('joins the pair of the lowest rank first, the leftmost of equal ones', function()
      local function word(n)
         local letters = {}
         for i = 1, n do letters[i] = ('abc'):sub(torch.random(3)):sub(1, 1) end
         return letters
      end
      local sample = {}
      for i = 1, 60 do sample[i] = table.concat(word(12)) end
      local tokens, merges = samples.train(table.concat(sample, ' '), 80)
      local t = text.load(temporary.put(samples.byte_level(table.concat(sample, ' '), 80), '.json'))
      local id, rank = {}, {}
      for i, token in ipairs(tokens) do id[token] = i - 1 end
      for i, pair in ipairs(merges) do rank[pair] = i end
      for n = 1, 300 do
         local parts, ids = word(n), {}
         local whole = table.concat(parts)
         repeat
            local best, place = math.huge, nil
            for i = 1, #parts - 1 do
               local r = rank[parts[i] .. ' ' .. parts[i + 1]]
               if r and r < best then best, place = r, i end
            end
            if place then parts[place] = parts[place] .. table.remove(parts, place + 1) end
         until not place
         for i, part in ipairs(parts) do ids[i] = id[part] end
         assert.same(ids, list(t:encode(whole)))
      end
   end)

   it('replaces the longest characters of a precompiled map, and knows damaged maps', function()
      -- The trie of darts-clone: unit 0 leads to 256; 'a' (text 0) to 512, 'ab' (text 3) to 768,
      -- 'q' (text 100) to 1024, 'w' (text 5, which has no end) to 1152.
      local units, texts = ffi.new 'uint32_t[1280]', 'xy\0z\0w'
      local function link(from, letter, base, text)
         local at = bit.bxor(from, letter:byte())
         units[at] = bit.bor(letter:byte(), 256, bit.lshift(bit.bxor(at, base), 10))
         units[base] = text
      end
      units[0] = bit.lshift(256, 10)
      link(256, 'a', 512, 0)
      link(512, 'b', 768, 3)
      link(256, 'q', 1024, 100)
      link(256, 'w', 1152, 5)
      local bytes_of_units = ffi.string(units, ffi.sizeof(units))
      local map = ffi.string(ffi.new('uint32_t[1]', #bytes_of_units), 4) .. bytes_of_units .. texts
      local t = text.load(temporary.put(samples.byte_level('c', 0,
         ',"normalizer":{"type":"Precompiled","precompiled_charsmap":"' .. base64.encode(map)
            .. '"}'), '.json'))
      local ids, offsets = t:encode('cabaéa', { offsets = true })
      assert.equal('czxyéxy', t:decode(ids))
      assert.same({ { 1, 1 }, { 2, 3 }, { 4, 4 }, { 4, 4 }, { 5, 5 }, { 6, 6 }, { 7, 7 },
         { 7, 7 } }, offsets:totable())
      for _, damaged in ipairs { 'q', 'w' } do
         refuses('the map of characters is damaged', t.encode, t, damaged)
      end
   end)

   it('gives the same ids after words were seen, and after more words than are remembered', function()
      local first = list(bytes:encode 'the cat and the hat')
      for i = 1, 40000 do bytes:encode(' w' .. i) end
      assert.same(first, list(bytes:encode 'the cat and the hat'))
   end)

   it('refuses what is no text and no option', function()
      refuses('text.Tokenizer:encode: text must be a string, got nil', bytes.encode, bytes)
      refuses('text.Tokenizer:encode: text must be a string, got a number (3)', bytes.encode, bytes, 3)
      refuses('text.Tokenizer:encode: options must be a table, got a boolean (true)', bytes.encode, bytes, 'a', true)
      refuses("text.Tokenizer:encode: there is no option 'specials'; there are special parse", bytes.encode, bytes, 'a', { specials = false })
      refuses('text.Tokenizer:encode: special must be true or false, got a number (1)', bytes.encode, bytes, 'a', { special = 1 })
      refuses('text.Tokenizer:encode: base must be a whole number, got a number (0.5)', bytes.encode, bytes, 'a', { base = 0.5 })
      refuses('text.Tokenizer:encode: base must be a whole number, got a number (nan)', bytes.encode, bytes, 'a', { base = 0 / 0 })
      refuses('text.Tokenizer:encode: length must be at least 1, got a number (0)', bytes.encode, bytes, 'a', { length = 0 })
      refuses('text.Tokenizer:encode: length must be at least 2, the number of special tokens, got 1', words.encode, words, 'a', { length = 1 })
      refuses('text.Tokenizer:encode: the model takes no pairs of texts', bytes.encode, bytes, 'a', { pair = 'b' })
      refuses('encode: argument 1 must be a text.Tokenizer, got nil', bytes.encode)
   end)
end)

describe('text.Tokenizer:decode', function()
   it('gives back any bytes that a byte-level model encoded', function()
      for n = 0, 200 do
         local s = random_bytes(n)
         assert.equal(s, bytes:decode(bytes:encode(s, { parse = false })))
      end
   end)

   it('leaves special tokens out unless it is asked for them', function()
      assert.equal('a', bytes:decode { 268, 97 })
      assert.equal('<s>a', bytes:decode({ 268, 97 }, { special = true }))
      assert.equal('a', bytes:decode(torch.LongTensor { 269, 98 }, { base = 1 }))
      assert.equal('', bytes:decode(torch.LongTensor()))
   end)

   it('joins words as the model joins them', function()
      assert.equal('the cat', words:decode { 1, 2, 3 })
      assert.equal('the cats', pair_of_words:decode(pair_of_words:encode 'The  CATS'))
      assert.equal('the\n cat é', scores:decode(scores:encode ' the\n cat é'))
   end)

   it('refuses ids that are none', function()
      refuses('text.Tokenizer:decode: ids must be a tensor or a list of ids, got a string', bytes.decode, bytes, 'a')
      refuses('text.Tokenizer:decode: id 2 must lie in 0..268, got 269', bytes.decode, bytes, { 0, 269 })
      refuses('text.Tokenizer:decode: id 1 must lie in 1..269, got 0', bytes.decode, bytes, { 0 }, { base = 1 })
      refuses('text.Tokenizer:decode: id 1 must lie in 0..268, got 1.5', bytes.decode, bytes, { 1.5 })
      refuses('text.Tokenizer:decode: id 1 must lie in 0..268, got x', bytes.decode, bytes, { 'x' })
      refuses('text.Tokenizer:decode: id 1 must lie in 0..268, got nan', bytes.decode, bytes, { 0 / 0 })
   end)
end)

describe('text.Tokenizer: offsets', function()
   it('cover the text of a byte-level model without gaps', function()
      for n = 1, 100 do
         local s = random_bytes(n)
         local ids, offsets = bytes:encode(s, { special = false, parse = false, offsets = true })
         local last = 0
         for i = 1, ids:nElement() do
            assert.equal(last + 1, offsets[i][1])
            last = offsets[i][2]
         end
         assert.equal(n, last)
      end
   end)

   it('are the bytes that a token comes from, also where steps change the text', function()
      local function parts(t, s)
         local _, offsets = t:encode(s, { special = false, offsets = true })
         local made = {}
         for i = 1, offsets:size(1) do made[i] = s:sub(offsets[i][1], offsets[i][2]) end
         return made
      end
      assert.same({ 'Thé', 'C', 'AT', '我' }, parts(words, ' Thé\t CAT 我'))
      assert.same({ 'The', 'ca\204\129t' }, parts(pair_of_words, 'The ca\204\129t'))
      assert.same({ 'the', '   cat' }, parts(scores, '  the   cat '))
   end)
end)

describe('text.Tokenizer:encodeBatch', function()
   it('pads to the longest text, on the right or on the left, with a mask', function()
      local ids, mask = pair_of_words:encodeBatch { 'the', 'the cats' }
      assert.same({ { 2, 4, 3, 0, 0 }, { 2, 4, 5, 7, 3 } }, ids:totable())
      assert.same({ { 1, 1, 1, 0, 0 }, { 1, 1, 1, 1, 1 } }, mask:totable())
      assert.equal('torch.LongTensor torch.ByteTensor', ids:type() .. ' ' .. mask:type())
      ids, mask = pair_of_words:encodeBatch({ 'the', 'the cats' }, { padding = 'left', base = 1, special = false })
      assert.same({ { 1, 1, 5 }, { 5, 6, 8 } }, ids:totable())
      assert.same({ { 0, 0, 1 }, { 1, 1, 1 } }, mask:totable())
   end)

   it('pads and cuts to length', function()
      local ids = pair_of_words:encodeBatch({ 'the', 'the cats sat' }, { length = 4, pad = 6 })
      assert.same({ { 2, 4, 3, 6 }, { 2, 4, 5, 3 } }, ids:totable())
      ids = pair_of_words:encodeBatch({ 'the', 'the cats sat' }, { length = 4, truncation = false })
      assert.same({ 2, 6 }, ids:size():totable())
   end)

   it('takes pairs, and gives their types', function()
      local ids, _, types = pair_of_words:encodeBatch({ { 'the', 'cat' }, 'sat' }, { types = true })
      assert.same({ { 2, 4, 3, 5, 3 }, { 2, 6, 3, 0, 0 } }, ids:totable())
      assert.same({ { 0, 0, 0, 1, 1 }, { 0, 0, 0, 0, 0 } }, types:totable())
   end)

   it('agrees with encode for random texts', function()
      local texts = {}
      for i = 1, 20 do texts[i] = random_bytes(torch.random(0, 30)) end
      local ids, mask = bytes:encodeBatch(texts)
      for i, s in ipairs(texts) do
         local n = mask[i]:sum()
         assert.same(list(bytes:encode(s)), list(ids[i]:narrow(1, 1, n)))
      end
   end)

   it('refuses lists that are none, and texts of different lengths without padding', function()
      refuses('text.Tokenizer:encodeBatch: list must be a list of texts, got a string', bytes.encodeBatch, bytes, 'a')
      refuses('text.Tokenizer:encodeBatch: list must be a list of texts, got a table', bytes.encodeBatch, bytes, {})
      refuses('text.Tokenizer:encodeBatch: text 2 must be a string, got a number (1)', bytes.encodeBatch, bytes, { 'a', 1 })
      refuses('text.Tokenizer:encodeBatch: text 2 of pair 1 must be a string, got nil', words.encodeBatch, words, { { 'a' } })
      refuses('text.Tokenizer:encodeBatch: text 2 has 3 ids, and the ones before have 2; padding makes them equal', bytes.encodeBatch,
         bytes, { 'a', '1b' }, { padding = false })
      refuses("text.Tokenizer:encodeBatch: padding must be 'left', 'right' or false, got a string", bytes.encodeBatch, bytes, { 'a' },
         { padding = 'up' })
   end)
end)

describe('text.Tokenizer: tokens', function()
   it('knows ids, tokens and their number', function()
      assert.equal(269, #bytes)
      assert.equal(269, bytes:size())
      assert.equal('at', bytes:token(256))
      assert.equal(256, bytes:id 'at')
      assert.equal('at', bytes[257])
      assert.is_nil(bytes:id 'nothing')
      assert.is_nil(bytes:token(1000))
      assert.is_true(bytes:isSpecial(268))
      assert.is_false(bytes:isSpecial(97))
      assert.same({ '<s>', 'the', 'Ġc', 'at' }, bytes:tokens 'the cat')
      assert.same({ 'a', 'b' }, bytes:tokens { 97, 98 })
      assert.equal('text.Tokenizer: 269 tokens', tostring(bytes))
   end)

   it('refuses wrong arguments', function()
      refuses('text.Tokenizer:id: token must be a string, got a number (3)', bytes.id, bytes, 3)
      refuses('text.Tokenizer:token: id must be a number, got nil', bytes.token, bytes)
      refuses('text.Tokenizer:tokens: id 1 must lie in 0..268, got -1', bytes.tokens, bytes, { -1 })
      refuses('text.load makes tokenizers', text.Tokenizer)
      refuses('argument 1 must be a text.Tokenizer', bytes.encode, setmetatable({}, getmetatable(bytes)), 'a')
      refuses('load it again with text.load', torch.serialize, bytes)
   end)
end)
