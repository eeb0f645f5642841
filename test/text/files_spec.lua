-- test/text/files_spec.lua - text.load: files of each kind, damaged and hostile ones.
-- runs once: nothing here depends on the level
local ffi = require 'ffi'
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local samples = require 'test.support.vocabularies'
local temporary = require 'test.support.temporary'
local text = require 'text'

teardown(temporary.remove)

local function load(s, extension, options) return text.load(temporary.put(s, extension), options) end
local function refused(why, s, extension, options)
   return refuses(why, load, s, extension or '.json', options)
end
local function tokens(t, s) return t:tokens(s, { special = false }) end

-- tokenizer.json of words, with these fields.
local function json(fields, model)
   return ('{"model":%s%s}'):format(model or '{"type":"WordLevel","vocab":{"a":0,"b":1,"?":2},"unk_token":"?"}',
      fields and ',' .. fields or '')
end

describe('text.load', function()
   it('reads a model of SentencePiece by merges and by sums of scores, with bytes for what has no token', function()
      local pieces = samples.pieces()
      assert.same({ '▁the', '▁cat' }, tokens(load(samples.sentencepiece(pieces, 2, true), '.model'), 'the cat'))
      local t = load(samples.sentencepiece(pieces, 1, true), '.model')
      assert.same({ '▁the', '▁', 'h', 'at', '<0x7A>' }, tokens(t, ' the  hatz '))
      assert.equal('the hatz', t:decode(t:encode ' the  hatz '))
      t = load(samples.sentencepiece(pieces, 1, false, string.char(24, 0, 32, 0)), '.model')
      assert.same({ 't', '▁', '▁', 'h' }, tokens(t, 't  h'))
   end)

   it('chooses the parts of Unigram with the greatest sum, and joins neighbours without token', function()
      local t = load(samples.sentencepiece({ { '<unk>', 0, 2 }, { '▁', -1 }, { 'a', -1 }, { 'b', -1 }, { 'ab', -1.5 }, { 'aab', -3.2 } }, 1), '.model')
      assert.same({ '▁', 'a', 'ab' }, tokens(t, 'aab'))
      assert.same({ 1, 0, 2 }, t:encode('xyza'):totable())
      assert.equal(' ⁇ a', t:decode(t:encode 'xyza'))
   end)

   it('reads GGUF files: bytes, scores, words and sums', function()
      local all = samples.all()
      assert.same({ 'the', 'Ġc', 'at' }, tokens(load(all.gguf.bytes, '.gguf'), 'the cat'))
      assert.same({ 1, 268, 270 }, load(all.spm.bytes, '.gguf'):encode 'the cat':totable())
      local bert = samples.gguf { { 'model', 'bert' }, { 'tokens', { '[PAD]', '[UNK]', '[CLS]', '[SEP]', '▁the', '▁cat', 's' } },
         { 'token_type', { whole = { 3, 3, 3, 3, 1, 1, 1 } } }, { 'unknown_token_id', 1 }, { 'bos_token_id', 2 }, { 'eos_token_id', 3 } }
      local t = load(bert, '.gguf')
      assert.same({ 2, 4, 5, 6, 1, 3 }, t:encode('The CATS xyz'):totable())
      assert.equal('the cats', t:decode { 2, 4, 5, 6, 3 })
      local t5 = samples.gguf { { 'model', 't5' }, { 'tokens', { '<unk>', '</s>', '▁a', '▁', 'b' } }, { 'unknown_token_id', 0 },
         { 'token_type', { whole = { 2, 3, 1, 1, 1 } } }, { 'scores', { floats = { 0, 0, -1, -2, -3 } } }, { 'eos_token_id', 1 } }
      assert.same({ 2, 4, 1 }, load(t5, '.gguf'):encode('ab'):totable())
   end)

   it('reads vocab.json with merges.txt beside it or elsewhere, and vocab.txt with or without capitals', function()
      local all = samples.all()
      local vocabulary, merges = temporary.put(all.merges.bytes, '.json'), temporary.put(all.merges.merges, '.txt')
      assert.same({ 'the', 'Ġc', 'at' }, tokens(text.load(vocabulary, { merges = merges }), 'the cat'))
      local words = '[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\nThe\n'
      assert.same({ 'the', 'the' }, tokens(load(words, '.txt'), 'the The'))
      assert.same({ 'the', 'The' }, tokens(load(words:gsub('\n', '\r\n'), '.txt', { lower = false }), 'the The'))
   end)

   it('finds the file of a folder, and settings beside it', function()
      local folder = os.tmpname()
      os.remove(folder)
      assert(os.execute("mkdir '" .. folder .. "'") == 0)
      refuses('it has none of tokenizer.json, tokenizer.model', text.load, folder)
      local function put(name, s)
         local f = assert(io.open(folder .. '/' .. name, 'w'))
         f:write(s)
         f:close()
      end
      put('vocab.txt', '[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\nThe\n')
      put('tokenizer_config.json', '{"do_lower_case":false}')
      assert.same({ 'The' }, tokens(text.load(folder), 'The'))
      put('vocab.json', samples.all().merges.bytes)
      refuses("it has no 'model', and there is no file " .. folder .. '/merges.txt', text.load, folder .. '/')
      put('merges.txt', samples.all().merges.merges)
      assert.same({ 'the' }, tokens(text.load(folder), 'the'))
      put('tokenizer.json', json())
      assert.same({ 'a' }, tokens(text.load(folder), 'a'))
      os.execute("rm -r '" .. folder .. "'")
   end)

   it('runs each normalizer and pre-tokenizer of tokenizer.json', function()
      local function gives(wanted, s, normalizer, splitter)
         local vocabulary = {}
         for i, token in ipairs(wanted) do vocabulary[i] = token end
         vocabulary[#vocabulary + 1] = '?'
         local model = ('{"type":"WordLevel","vocab":%s,"unk_token":"?"}'):format(samples.object(vocabulary))
         local fields = ('"normalizer":%s,"pre_tokenizer":%s'):format(normalizer or 'null', splitter or 'null')
         assert.same(wanted, tokens(load(json(fields, model), '.json'), s))
      end
      gives({ 'ab c' }, 'AB C', '{"type":"Lowercase"}')
      gives({ 'a b' }, ' \ta b\n', '{"type":"Strip","strip_left":true,"strip_right":true}')
      gives({ 'cafe' }, 'cafe\204\129', '{"type":"StripAccents"}')
      gives({ 'xbxb' }, 'aab', '{"type":"Sequence","normalizers":[{"type":"Replace","pattern":{"Regex":"a"},"content":"x"},' ..
         '{"type":"Replace","pattern":{"String":"xx"},"content":"xbx"}]}')
      gives({ '-a' }, 'a', '{"type":"Prepend","prepend":"-"}')
      gives({ 'a b' }, 'a\226\128\139b\1', '{"type":"Nmt"}')
      gives({ 'a', 'b,', 'c' }, 'a b, c', nil, '{"type":"WhitespaceSplit"}')
      gives({ 'a', 'b', ',', 'c' }, 'a b, c', nil, '{"type":"Whitespace"}')
      gives({ 'a', ',', ',', 'b' }, 'a,,b', nil, '{"type":"Punctuation","behavior":"Isolated"}')
      gives({ 'a', '12', 'b' }, 'a12b', nil, '{"type":"Digits","individual_digits":false}')
      gives({ 'a', '1', '2', 'b' }, 'a12b', nil, '{"type":"Digits","individual_digits":true}')
      gives({ 'a', 'b' }, 'a/b', nil, '{"type":"CharDelimiterSplit","delimiter":"/"}')
      gives({ 'abc', 'd' }, 'abcd', nil, '{"type":"FixedLength","length":3}')
      gives({ '▁a', '▁b' }, 'a b', nil, '{"type":"Metaspace","replacement":"▁","prepend_scheme":"always"}')
      for behaviour, wanted in pairs { Removed = { 'a', 'b' }, Isolated = { 'a', '-', '-', 'b' }, MergedWithPrevious = { 'a-', '-', 'b' },
         MergedWithNext = { 'a', '-', '-b' }, Contiguous = { 'a', '--', 'b' } } do
         gives(wanted, 'a--b', nil, ('{"type":"Split","pattern":{"String":"-"},"behavior":"%s","invert":false}'):format(behaviour))
      end
      gives({ '--' }, 'a--b', nil, '{"type":"Split","pattern":{"Regex":"[^-]+"},"behavior":"Removed"}')
   end)

   it('runs each decoder of tokenizer.json', function()
      local function gives(wanted, list, decoder)
         local t = load(json('"decoder":' .. decoder, ('{"type":"WordLevel","vocab":%s}'):format(samples.object(list))), '.json')
         local ids = {}
         for i = 1, #list do ids[i] = i - 1 end
         assert.equal(wanted, t:decode(ids))
      end
      gives('a b', { 'a', 'b' }, 'null')
      gives("abc, don't", { 'a', '##bc', ',', 'do', "##n't" }, '{"type":"WordPiece","prefix":"##","cleanup":true}')
      gives('a bc', { 'a</w>', 'b', 'c</w>' }, '{"type":"BPEDecoder","suffix":"</w>"}')
      gives('a é', { '▁a', '▁', '<0xC3>', '<0xA9>' }, '{"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},"content":" "},' ..
         '{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]}')
      gives('a.b', { 'aX', 'b' }, '{"type":"Replace","pattern":{"Regex":"[X-Z]"},"content":"."}')
      gives('ab c', { 'a', '<pad>', 'b', '|', 'c' }, '{"type":"CTC","pad_token":"<pad>","word_delimiter_token":"|","cleanup":true}')
   end)

   it('refuses names, options and files that it cannot use', function()
      refuses('text.load: path must be a string, got nil', text.load)
      refuses("text.load: path must be the name of a file or folder, got ''", text.load, '')
      refuses('text.load: path must not hold a byte 0', text.load, 'a\0b')
      refuses('No such file', text.load, '/nowhere.json')
      refuses('text.load: options must be a table, got a string', text.load, 'a', 'b')
      refuses("text.load: there is no option 'case'; there are merges, lower", text.load, 'a', { case = 1 })
      refuses('text.load: lower must be true or false, got a number (1)', text.load, 'a', { lower = 1 })
      refuses('text.load: merges must be a string, got a number (1)', text.load, 'a', { merges = 1 })
      refused('it is no file of a tokenizer', 'hello', '.bin')
      refused('it has no tokens', '', '.txt')
      refused('it has no tokens', '', '.model')
   end)
end)

describe('text.load: a hostile file', function()
   it('is refused with its name and the place of the fault', function()
      refused('byte 2: a name in quotes is expected', '{')
      refused("'vocab' must be a table, got nothing", json(nil, '{"type":"BPE"}'))
      refused("the model 'X' is not supported", json(nil, '{"type":"X"}'))
      refused("the token 'a' must have an id of 0 or more, got '-1'", json(nil, '{"type":"WordLevel","vocab":{"a":-1}}'))
      refused("the token 'a' must have an id of 0 or more, got '1.5'", json(nil, '{"type":"WordLevel","vocab":{"a":1.5}}'))
      refused("must have an id of 0 or more, got '1e+15'", json(nil, '{"type":"WordLevel","vocab":{"a":1e15}}'))
      refused('the id 16000000 is too large for 1 tokens', json(nil, '{"type":"WordLevel","vocab":{"a":16000000}}'))
      refused('the id 60000 is too large for 3 tokens', json('"added_tokens":[{"id":30000,"content":"b"},{"id":60000,"content":"c"}]',
         '{"type":"WordLevel","vocab":{"a":0}}'))
      refused('it has no tokens', json(nil, '{"type":"WordLevel","vocab":{}}'))
      refused("the unknown token 'z' is not in the vocabulary", json(nil, '{"type":"BPE","vocab":{"a":0},"merges":[],"unk_token":"z"}'))
      refused("merge 1, 'a b', needs tokens that the vocabulary lacks", json(nil, '{"type":"BPE","vocab":{"a":0,"b":1},"merges":["a b"]}'))
      refused("merge 1, 'ab', needs tokens that the vocabulary lacks", json(nil, '{"type":"BPE","vocab":{"a":0,"b":1},"merges":["ab"]}'))
      refused('merge 1 must be two tokens', json(nil, '{"type":"BPE","vocab":{"a":0},"merges":[["a"]]}'))
      refused('token 0 of the vocabulary must be a string and a number', json(nil, '{"type":"Unigram","vocab":[["a"]]}'))
      refused('the score of token 0 is no number', json(nil, '{"type":"Unigram","vocab":[["a",-1e99]]}'))
      refused("'unk_id' is not in the vocabulary", json(nil, '{"type":"Unigram","vocab":[["a",-1]],"unk_id":1}'))
      refused("the normalizer 'X' is not supported", json '"normalizer":{"type":"X"}')
      refused('normalizer must be an object', json '"normalizer":{"type":"Sequence","normalizers":[1]}')
      refused('normalizer is nested more than 20 deep', json('"normalizer":' .. ('{"type":"Sequence","normalizers":['):rep(30) ..
         '{"type":"NFC"}' .. (']}'):rep(30)))
      refused('it has more than 64 steps', json('"normalizer":{"type":"Sequence","normalizers":[' ..
         ('{"type":"NFC"},'):rep(99) .. '{"type":"NFC"}]}'))
      refused("pattern, byte 2: ')' is expected", json '"pre_tokenizer":{"type":"Split","pattern":{"Regex":"("},"behavior":"Isolated"}')
      refused("there is no behaviour 'X'", json '"pre_tokenizer":{"type":"Split","pattern":{"Regex":"a"},"behavior":"X"}')
      refused('the map of characters is cut off', json '"normalizer":{"type":"Precompiled","precompiled_charsmap":"//////////8="}')
      refused('a template has the id 9, which is no token', json '"post_processor":{"type":"BertProcessing","sep":["a",9],"cls":["b",1]}')
      refused("a template has no sequence 'C'", json '"post_processor":{"type":"TemplateProcessing","single":[{"Sequence":{"id":"C"}}]}')
      refused("the added token 'x' must have an id", json '"added_tokens":[{"content":"x"}]')
      refused("the vocabulary model 'x' is not supported", samples.gguf { { 'model', 'x' } }, '.gguf')
      refused("the split pattern 'x' is not supported", samples.gguf { { 'model', 'gpt2' }, { 'pre', 'x' }, { 'tokens', { 'a' } }, { 'merges', {} } }, '.gguf')
      refused('token 1 has no score', samples.gguf { { 'model', 'llama' }, { 'tokens', { 'a', 'b' } }, { 'scores', { floats = { 1 } } } }, '.gguf')
      refused("'tokenizer.ggml.bos_token_id' must be one of 1 tokens, got 7", samples.gguf { { 'model', 'llama' }, { 'tokens', { 'a' } },
         { 'scores', { floats = { 1 } } }, { 'bos_token_id', 7 } }, '.gguf')
      refused("the name 'tokenizer.ggml.model' comes twice", samples.gguf { { 'model', 'x' }, { 'model', 'x' } }, '.gguf')
      refused('version 9 of GGUF is not supported', samples.gguf({}, 9), '.gguf')
      local fields = 'GGUF\3\0\0\0' .. ('\0'):rep(8)
      refused('values are too many', fields .. ('\255'):rep(7) .. '\127', '.gguf')
      refused('a text of', fields .. '\1' .. ('\0'):rep(7) .. ('\255'):rep(7) .. '\127' .. ('x'):rep(9), '.gguf')
      local name = '\1' .. ('\0'):rep(7) .. 'a'
      refused('an array of', fields .. '\1' .. ('\0'):rep(7) .. name .. '\9\0\0\0\4\0\0\0' .. ('\255'):rep(7) .. '\127', '.gguf')
      local array = '\9\0\0\0\1' .. ('\0'):rep(7)
      refused('arrays are nested more than 3 deep', fields .. '\1' .. ('\0'):rep(7) .. name .. '\9\0\0\0' .. array:rep(9), '.gguf')
   end)

   it('may have scores that are no numbers, in bits that LuaJIT uses for other types', function()
      refused('token 0 has no score', (samples.gguf { { 'model', 'llama' }, { 'tokens', { 'a' } }, { 'scores', { floats = { 1.5 } } } }
         :gsub('%z%z\192%?', '\255\255\255\255')), '.gguf')
      refused('the score of token 0 is no number', (samples.sentencepiece({ { 'a', 1.5 } }, 1):gsub('%z%z\192%?', '\255\255\255\255')), '.model')
   end)

   it('may have equal, empty and missing tokens', function()
      local t = load('a\na\n\nb\n', '.txt')
      assert.equal(4, #t)
      assert.equal(1, t:id 'a')
      assert.same({ 1, 3 }, t:encode('a b'):totable())
      t = load(json(nil, '{"type":"WordLevel","vocab":{"a":0,"b":5}}'), '.json')
      assert.equal(6, #t)
      assert.is_nil(t:token(3))
      assert.equal('a b', t:decode { 0, 3, 5 })
      assert.same({ '', 'b' }, t:tokens { 3, 5 })
   end)

   it('cannot make a text endless, nor a search', function()
      local content = ('x'):rep(100000)
      local t = load(json('"normalizer":{"type":"Replace","pattern":{"String":"a"},"content":"' .. content .. '"}'), '.json')
      refuses('text.Tokenizer:encode: a step makes more than 65', t.encode, t, 'aaa')
      assert.same({ 2 }, t:encode('b?'):totable())                        -- the tokenizer works after the error
      t = load(json '"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a|a)+b"},"behavior":"Isolated"}', '.json')
      refuses('text.Tokenizer:encode: the pattern needs too many steps for this text', t.encode, t, ('a'):rep(100))
      refused('something that can be empty repeats without end', json '"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(a*)*b"},"behavior":"Isolated"}')
      t = load(json '"pre_tokenizer":{"type":"Split","pattern":{"Regex":"\\\\s+$"},"behavior":"Isolated"}', '.json')
      assert.equal(1, t:encode((' '):rep(10 ^ 6) .. 'a'):nElement())
   end)

   it('is an error or a tokenizer, whatever is damaged', function()
      local names = { [0] = '.json', '.txt', '.model', '.gguf', '.json' }
      for seed = 1, 60 do
         torch.manualSeed(seed)
         for _, sample in pairs(samples.all()) do
            local s = sample.bytes
            for _ = 1, torch.random(4) do
               local i = torch.random(#s)
               s = s:sub(1, i - 1) .. string.char(torch.random(0, 255)) .. s:sub(i + torch.random(0, 2))
            end
            local options = sample.merges and { merges = temporary.put(sample.merges, '.txt') } or nil
            local ok, t = pcall(load, s, names[sample.kind], options)
            if ok then ok, t = pcall(t.encode, t, sample.text) end
            assert(ok or (tostring(t):find 'text.load: /' or tostring(t):find 'text.Tokenizer:encode: ') and
               not tostring(t):find 'attempt to', t)
         end
         temporary.remove()
      end
   end)

   it('is refused when it is cut off anywhere', function()
      local s = samples.all().gguf.bytes
      for n = 5, #s - 1, 41 do assert.is_false((pcall(load, s:sub(1, n), '.gguf'))) end
   end)
end)

describe('text.unicode', function()
   it('is a version', function() assert.truthy(text.unicode:find '^%d+%.%d+%.%d+$') end)
   it('is that of the C library', function() assert.equal(text.unicode, ffi.string(require 'text.lib'.C.th_unicode_version())) end)
end)
