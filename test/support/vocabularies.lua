-- test/support/vocabularies.lua - small vocabularies of each kind, and a trainer of byte-pair encoding for specs and
-- measurements.
local ffi = require 'ffi'

local M = {}

-- ---- JSON ----------------------------------------------------------------------------------------------------------

--- A string in JSON.
function M.quoted(s)
   return '"' .. s:gsub('[%c"\\]', function(c) return ('\\u%04x'):format(c:byte()) end) .. '"'
end

--- A list of strings as an object with the ids 0, 1, ...
function M.object(tokens)
   local parts = {}
   for i, token in ipairs(tokens) do parts[i] = M.quoted(token) .. ':' .. i - 1 end
   return '{' .. table.concat(parts, ',') .. '}'
end

function M.list(strings)
   local parts = {}
   for i, s in ipairs(strings) do parts[i] = M.quoted(s) end
   return '[' .. table.concat(parts, ',') .. ']'
end

-- ---- training ------------------------------------------------------------------------------------------------------

--- GPT-2's alphabet: byte -> character.
M.alphabet = {}
do
   local hidden = 256
   local function utf8(c) return c < 0x80 and string.char(c) or string.char(0xC0 + math.floor(c / 64), 0x80 + c % 64) end
   for b = 0, 255 do
      local visible = b >= 33 and b <= 126 or b >= 161 and b ~= 173
      M.alphabet[b] = utf8(visible and b or hidden)
      if not visible then hidden = hidden + 1 end
   end
end

--- A string in GPT-2's alphabet.
function M.written(s)
   return (s:gsub('.', function(c) return M.alphabet[c:byte()] end))
end

-- word -> how often it comes, as lists of symbols; a space belongs to the word behind it.
local function words_of(text)
   local counts, list = {}, {}
   for word in text:gmatch ' ?[^ ]+' do counts[word] = (counts[word] or 0) + 1 end
   for word, n in pairs(counts) do list[#list + 1] = { word = word, n = n } end
   table.sort(list, function(a, b) return a.word < b.word end)
   for _, w in ipairs(list) do for i = 1, #w.word do w[i] = w.word:sub(i, i) end end
   return list
end

local function best_pair(list)
   local counts, best, most = {}, nil, 1
   for _, w in ipairs(list) do
      for i = 1, #w - 1 do
         local pair = w[i] .. '\0' .. w[i + 1]
         counts[pair] = (counts[pair] or 0) + w.n
      end
   end
   for pair, n in pairs(counts) do
      if n > most or n == most and best and pair < best then best, most = pair, n end
   end
   return best
end

--- Byte-pair encoding of a text: `n` merges at most. @return the tokens from id 0 and the merges 'a b', in GPT-2's alphabet
function M.train(text, n)
   local tokens, merges, list = {}, {}, words_of(text)
   for b = 0, 255 do tokens[b + 1] = M.alphabet[b] end
   for _ = 1, n do
      local pair = best_pair(list)
      if not pair then break end
      local a, b = pair:match '^(.-)%z(.*)$'
      merges[#merges + 1] = M.written(a) .. ' ' .. M.written(b)
      tokens[#tokens + 1] = M.written(a .. b)
      for _, w in ipairs(list) do
         local i = 1
         while i < #w do
            if w[i] == a and w[i + 1] == b then w[i] = a .. table.remove(w, i + 1) end
            i = i + 1
         end
      end
   end
   return tokens, merges
end

-- ---- files of each kind --------------------------------------------------------------------------------------------

local BYTE_LEVEL = '{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,"use_regex":true}'

--- tokenizer.json with byte-pair encoding of bytes; `more` is further JSON.
function M.byte_level(text, n, more)
   local tokens, merges = M.train(text, n)
   return ('{"model":{"type":"BPE","vocab":%s,"merges":%s},"pre_tokenizer":%s,"decoder":%s%s}'):format(M.object(tokens),
      M.list(merges), BYTE_LEVEL, BYTE_LEVEL, more or '')
end

--- A message of Protocol Buffers: bytes in a field.
function M.field(number, s)
   local length, parts = #s, {}
   repeat
      parts[#parts + 1] = string.char(length % 128 + (length >= 128 and 128 or 0))
      length = math.floor(length / 128)
   until length == 0
   return string.char(8 * number + 2) .. table.concat(parts) .. s
end

local function float(x) return ffi.string(ffi.new('float[1]', x), 4) end

--- A model of SentencePiece: pieces { text, score, type }, kind 1 (Unigram) or 2 (BPE), and fields of the normalizer.
function M.sentencepiece(pieces, kind, bytes, normalizer)
   local parts = {}
   for i, p in ipairs(pieces) do
      parts[i] = M.field(1, M.field(1, p[1]) .. string.char(21) .. float(p[2]) .. string.char(24, p[3] or 1))
   end
   local trainer = string.char(24, kind) .. (bytes and string.char(0x98, 2, 1) or '')
   return table.concat(parts) .. M.field(2, trainer) .. M.field(3, normalizer or '')
end

local function u32(n) return ffi.string(ffi.new('uint32_t[1]', n), 4) end
local function u64(n) return ffi.string(ffi.new('uint64_t[1]', n), 8) end
local function gguf_text(s) return u64(#s) .. s end

local writers = {
   string = function(v) return u32(8) .. gguf_text(v) end,
   number = function(v) return u32(4) .. u32(v) end,
   boolean = function(v) return u32(7) .. string.char(v and 1 or 0) end,
   table = function(v)
      local parts = {}
      if v.floats then
         for i, x in ipairs(v.floats) do parts[i] = float(x) end
         return u32(9) .. u32(6) .. u64(#parts) .. table.concat(parts)
      elseif v.whole then
         for i, x in ipairs(v.whole) do parts[i] = u32(x) end
         return u32(9) .. u32(5) .. u64(#parts) .. table.concat(parts)
      end
      for i, s in ipairs(v) do parts[i] = gguf_text(s) end
      return u32(9) .. u32(8) .. u64(#parts) .. table.concat(parts)
   end,
}

--- A GGUF file with these fields: a list of { name, value }. Values: strings, numbers, booleans, lists of strings,
-- { floats = list }, { whole = list }.
function M.gguf(fields, version)
   local parts = { 'GGUF', u32(version or 3), u64(0), u64(#fields) }
   for _, field in ipairs(fields) do
      parts[#parts + 1] = gguf_text('tokenizer.ggml.' .. field[1]) .. writers[type(field[2])](field[2])
   end
   return table.concat(parts)
end

--- Pieces for models with scores: all bytes, some words.
function M.pieces()
   local pieces = { { '<unk>', 0, 2 }, { '<s>', 0, 3 }, { '</s>', 0, 3 } }
   for b = 0, 255 do pieces[#pieces + 1] = { ('<0x%02X>'):format(b), 0, 6 } end
   for i, s in ipairs { '▁', 't', 'h', 'e', 'c', 'a', 'he', 'at', '▁t', '▁the', '▁c', '▁cat', 'th', 'é' } do
      pieces[#pieces + 1] = { s, -i, 1 }
   end
   pieces[#pieces + 1] = { '<x>', 0, 4 }
   return pieces
end

--- A vocabulary of each kind: name -> { kind (of the fuzz target), text, bytes, merges }.
function M.all()
   local text = ("the cat and the hat, it's 42 "):rep(3)
   local tokens, merges = M.train(text, 12)
   local pieces, strings, scores, types = M.pieces(), {}, {}, {}
   for i, p in ipairs(pieces) do strings[i], scores[i], types[i] = p[1], p[2], p[3] or 1 end
   return {
      bytes = { kind = 0, text = text, bytes = M.byte_level(text, 12,
         [=[,"added_tokens":[{"id":268,"content":"<s>","single_word":false,"lstrip":false,
"rstrip":false,"normalized":false,"special":true}],
"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"<s>","type_id":0}},{"Sequence":{"id":"A",
"type_id":0}}],
"pair":[],"special_tokens":{"<s>":{"id":"<s>","ids":[268],"tokens":["<s>"]}}}]=]) },
      wordpiece = { kind = 0, text = 'Thé CAT 我', bytes =
         [=[{"model":{"type":"WordPiece","vocab":{"[UNK]":0,"the":1,"c":2,"##at":3},
"unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100},"normalizer":{"type":"BertNormalizer",
"clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
"pre_tokenizer":{"type":"BertPreTokenizer"},"decoder":{"type":"WordPiece",
"prefix":"##","cleanup":true},"post_processor":{"type":"BertProcessing","sep":["c",2],"cls":["the",1]}}]=] },
      unigram = { kind = 0, text = ' the  cat', bytes =
         [=[{"model":{"type":"Unigram","unk_id":0,"vocab":[["<unk>",0],["▁the",-1],["▁",-2],["c",-3],
["at",-2.5]]},"normalizer":{"type":"Sequence","normalizers":[{"type":"NFKC"},{"type":"Replace",
"pattern":{"Regex":" {2,}"},"content":" "},
{"type":"Precompiled","precompiled_charsmap":"BAAAAAAAAAA="}]},"pre_tokenizer":{"type":"Metaspace","replacement":"▁",
"prepend_scheme":"first",
"split":true},"decoder":{"type":"Metaspace","replacement":"▁","prepend_scheme":"first","split":true}}]=] },
      words = { kind = 1, text = 'the cats', bytes = '[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\ncat\n##s\n' },
      scores = { kind = 2, text = 'the <x>cat\255', bytes = M.sentencepiece(pieces, 2, true) },
      sums = { kind = 2, text = 'the <x>cat', bytes = M.sentencepiece(pieces, 1, false) },
      gguf = { kind = 3, text = text, bytes = M.gguf { { 'model', 'gpt2' }, { 'pre', 'llama-bpe' }, { 'tokens',
         tokens }, { 'merges', merges } } },
      spm = { kind = 3, text = text, bytes = M.gguf { { 'model', 'llama' }, { 'tokens', strings }, { 'scores',
         { floats = scores } },
         { 'token_type', { whole = types } }, { 'bos_token_id', 1 } } },
      merges = { kind = 4, text = text, bytes = M.object(tokens), merges = '#version: 0.2\n' .. table.concat(merges,
         '\n') .. '\n' },
   }
end

return M
