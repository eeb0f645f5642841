-- text.build - makes the C objects of a tokenizer from its definition.
--
-- A definition is a table. tokens: a list from id 0, false where an id has none; kind: 'BPE', 'WORDPIECE', 'UNIGRAM' or 'WORDS';
-- options: fields of th_text_options; alphabet: tokens are in GPT-2's alphabet; merges, separator, skip_merges; by_score, scores,
-- unused; added: tokens that texts may spell; before, split, decoders: steps; template; pad; model_size: tokens of the
-- model alone.
local ffi = require 'ffi'
local fields = require 'text.fields'
local lib = require 'text.lib'
local steps = require 'text.steps'
local C, check = lib.C, lib.check

local build = {}

local function options_of(d)
   local o, given, keep = ffi.new 'th_text_options', d.options, {}
   o.kind = C['TH_MODEL_' .. d.kind]
   o.unknown = given.unknown or -1
   o.join_unknown, o.whole_words = given.join_unknown and 1 or 0, given.whole_words and 1 or 0
   o.single_bytes, o.most_codes = given.single_bytes and 1 or 0, given.most_codes or 0
   for b = 0, 255 do o.bytes[b] = given.bytes and given.bytes[b] or -1 end
   for _, name in ipairs { 'first', 'rest', 'last' } do
      local s = given[name] or ''
      o[name], o[name .. '_n'] = s, #s
      keep[#keep + 1] = s
   end
   if d.scores then
      keep.scores = ffi.new('double[?]', #d.tokens + 1, d.scores)
      o.scores = keep.scores
   end
   if d.unused then
      keep.unused = ffi.new('uint8_t[?]', #d.tokens + 1)
      for i, unused in ipairs(d.unused) do keep.unused[i - 1] = unused and 1 or 0 end
      o.unused = keep.unused
   end
   return o, keep
end

local function add_merges(d, model)
   local bytes, ends, n = lib.joined(d.merges)
   local bad = ffi.new 'int64_t[1]'
   check(C.th_text_model_merge(model, bytes, ends, n, d.separator, d.alphabet and 1 or 0, d.skip_merges and 1 or 0, bad))
   if bad[0] >= 0 then
      local text = d.merges[tonumber(bad[0]) + 1]:gsub('\255', ' ')
      error(("merge %d, '%s', needs tokens that the vocabulary lacks"):format(tonumber(bad[0]) + 1, text:sub(1, 80)), 0)
   end
end

-- The ids of single bytes, in a byte-level vocabulary.
local function find_bytes(d, trie)
   local bytes = {}
   for b = 0, 255 do
      local id = tonumber(C.th_trie_get(trie, string.char(b), 1))
      bytes[b] = id >= 0 and id or nil
   end
   d.options.bytes = bytes
end

-- The model, and the trie that it refers to.
local function model_of(d)
   local own = d.tokens
   -- Ids of added tokens lie behind the model's: the trie counts them, without their texts.
   if d.model_size and d.model_size < #d.tokens then
      own = {}
      for i = 1, #d.tokens do own[i] = i <= d.model_size and d.tokens[i] end
   end
   local trie = lib.trie(own, #d.tokens, d.alphabet)
   if d.options.single_bytes then find_bytes(d, trie) end
   local options, keep = options_of(d)
   local model = lib.model(trie, options)
   if d.merges then add_merges(d, model) end
   if d.by_score then check(C.th_text_model_score(model, keep.scores)) end
   return model, trie
end

-- Whether '▁' is a token, and stands in all tokens only at the begin. No merge then joins a word with the space behind it.
local function has_space_words(d)
   local single = false
   for _, token in ipairs(d.tokens) do
      local i = 1
      while token and token:sub(i, i + 2) == '▁' do i = i + 3 end
      if token and token:find('▁', i, true) then return false end
      single = single or token == '▁'
   end
   return single
end

-- The same ids come faster from words than from a long text, because words are remembered.
local function split_words(d)
   if d.kind ~= 'BPE' or d.alphabet or d.options.rest or d.options.last or not has_space_words(d) then return end
   table.insert(d.split, steps.split('▁+[^▁]*|[^▁]+', 'Isolated'))
end

-- ---- tokens that texts spell -----------------------------------------------------------------------------------------

-- What becomes of a token's text in the steps before the split.
local function normalized(d, text, content)
   check(C.th_text_set(text, content, #content))
   for _, step in ipairs(d.before) do step(text) end
   local bytes, n, id = ffi.new 'const char *[1]', ffi.new 'int64_t[1]', ffi.new 'int64_t[1]'
   if C.th_text_piece(text, 0, bytes, n, id) ~= 1 then return '' end
   return ffi.string(bytes[0], n[0])
end

-- { trie, ids, flags } of a list of tokens; nil without any.
local function marks_of(list)
   if #list == 0 then return nil end
   local texts, ids, flags = {}, ffi.new('int32_t[?]', #list), ffi.new('uint8_t[?]', #list)
   for i, token in ipairs(list) do
      texts[i], ids[i - 1] = token.text, token.id
      flags[i - 1] = (token.single_word and 1 or 0) + (token.lstrip and 2 or 0) + (token.rstrip and 4 or 0)
         + (token.special and 8 or 0)
   end
   return { trie = lib.trie(texts), ids = ids, flags = flags }
end

-- A `plain` token is compared after the steps, but written as it stands.
local function marks(d, text)
   local raw, later = {}, {}
   for _, token in ipairs(d.added) do
      token.text = token.normalized and not token.plain and normalized(d, text, token.content) or token.content
      table.insert(token.normalized and later or raw, token)
   end
   return marks_of(raw), marks_of(later)
end

--- The parts of a tokenizer: text, model, trie, raw, later (marks), tokens, ids, special, bytes.
function build.parts(d)
   local p = { text = lib.text(), before = d.before, split = d.split, decoders = d.decoders, template = d.template, pad = d.pad }
   if #d.tokens == 0 then error('it has no tokens', 0) end
   p.model, p.trie = model_of(d)
   split_words(d)
   p.raw, p.later = marks(d, p.text)
   p.tokens, p.ids, p.special, p.added = d.tokens, fields.ids_of(d.tokens), {}, {}
   for _, token in ipairs(d.added) do
      p.special[token.id], p.added[token.id] = token.special or nil, true
      p.ids[token.content] = token.id
   end
   for _, list in pairs(d.template or {}) do
      for _, part in ipairs(list) do
         if part.id and part.id >= #d.tokens then error(('a template has the id %d, which is no token'):format(part.id), 0) end
      end
   end
   return p
end

return build
