-- text.tokenizer_json - reads the file tokenizer.json of HuggingFace's tokenizers: the definition of a tokenizer.
local base64 = require 'torch.base64'
local decode = require 'text.decode'
local fields = require 'text.fields'
local json = require 'torch.json'
local pattern = require 'text.pattern'
local steps = require 'text.steps'
local get, maybe = fields.get, fields.maybe

local M = {}

local DEEPEST = 20                           -- sequences in sequences
local MOST_STEPS = 64
local most_steps

local function limit()
   most_steps = most_steps - 1
   if most_steps < 0 then error(('it has more than %d steps'):format(MOST_STEPS), 0) end
end

local function add(list, more) for _, x in ipairs(more) do list[#list + 1] = x end end

-- Calls makers[part.type](part), and for a Sequence each of its parts; appends the results.
local function build(part, what, plural, makers, list, depth)
   if type(part) ~= 'table' then error(('%s must be an object, got %s'):format(what, fields.describe(part)), 0) end
   local kind = get(part, 'type', 'string')
   if depth > DEEPEST then error(('%s is nested more than %d deep'):format(what, DEEPEST), 0) end
   limit()
   if kind == 'Sequence' then
      for _, inner in ipairs(get(part, plural, 'table')) do build(inner, what, plural, makers, list, depth + 1) end
      return list
   end
   local make = makers[kind]
   if not make then error(("the %s '%s' is not supported"):format(what, kind), 0) end
   add(list, make(part))
   return list
end

-- { Regex = '..' } or { String = '..' }
local function pattern_of(part, name)
   local p = get(part, name or 'pattern', 'table')
   if maybe(p, 'Regex', 'string') then return pattern.new(p.Regex) end
   return pattern.literal(get(p, 'String', 'string'))
end

-- ---- normalizers ---------------------------------------------------------------------------------------------------

local normalizers = {}

for _, form in ipairs { 'NFC', 'NFD', 'NFKC', 'NFKD' } do normalizers[form] = function() return { steps.form(form) } end end
function normalizers.Lowercase() return { steps.lower() } end
function normalizers.StripAccents() return { steps.replace([[\p{M}]], '') } end
function normalizers.Replace(part) return { steps.replace(pattern_of(part), get(part, 'content', 'string')) } end
function normalizers.Prepend(part) return { steps.prepend(get(part, 'prepend', 'string'), 'always') } end

function normalizers.Strip(part)
   local list = {}
   if get(part, 'strip_left', 'boolean', true) then list[1] = steps.replace([[\A\s+]], '') end
   if get(part, 'strip_right', 'boolean', true) then list[#list + 1] = steps.replace([[\s+\z]], '') end
   return list
end

function normalizers.BertNormalizer(part)
   local lower = get(part, 'lowercase', 'boolean', true)
   local accents = maybe(part, 'strip_accents', 'boolean')
   if accents == nil then accents = lower end
   return steps.bert { clean = get(part, 'clean_text', 'boolean', true), accents = accents, lower = lower,
      chinese = get(part, 'handle_chinese_chars', 'boolean', true) }
end

function normalizers.Precompiled(part)
   local map = base64.decode(get(part, 'precompiled_charsmap', 'string', ''))
   if not map then error("'precompiled_charsmap' must be base64", 0) end
   return map ~= '' and { steps.charsmap(map) } or {}
end

function normalizers.Nmt()
   return { steps.replace([=[[\x{1}-\x{8}\x{B}\x{E}-\x{1F}\x{7F}\x{8F}\x{9F}]]=], ''),
      steps.replace([=[[\x{9}\x{A}\x{C}\x{D}\x{1680}\x{200B}-\x{200F}\x{2028}\x{2029}\x{2581}\x{FEFF}\x{FFFD}]]=], ' ') }
end

-- ---- pre-tokenizers ------------------------------------------------------------------------------------------------

local splitters = {}

function splitters.ByteLevel(part)
   local list = {}
   if get(part, 'add_prefix_space', 'boolean', true) then list[1] = steps.prepend(' ', 'unless_same') end
   if get(part, 'use_regex', 'boolean', true) then list[#list + 1] = steps.split(steps.GPT2, 'Isolated') end
   return list
end

function splitters.Split(part)
   return { steps.split(pattern_of(part), get(part, 'behavior', 'string'), get(part, 'invert', 'boolean', false)) }
end

-- Rust's \w has the two joiners, which that of other expressions lacks.
function splitters.Whitespace()
   return { steps.split([=[[\w\x{200C}\x{200D}]+|[^\w\s\x{200C}\x{200D}]+]=], 'Removed', true) }
end
function splitters.WhitespaceSplit() return { steps.split([[\s]], 'Removed') } end
function splitters.BertPreTokenizer() return steps.bert_split() end

function splitters.Punctuation(part) return { steps.split(steps.PUNCTUATION, get(part, 'behavior', 'string', 'Isolated')) } end

function splitters.Digits(part)
   return { steps.split([[\p{N}]], get(part, 'individual_digits', 'boolean', false) and 'Isolated' or 'Contiguous') }
end

function splitters.CharDelimiterSplit(part)
   return { steps.split(pattern.literal(get(part, 'delimiter', 'string')), 'Removed') }
end

function splitters.FixedLength(part)
   local n = get(part, 'length', 'number', 5)
   if n < 1 or n > 1000 or n % 1 ~= 0 then error(("'length' must lie in 1..1000, got %s"):format(tostring(n)), 0) end
   return { steps.split(([=[[\s\S]{1,%d}]=]):format(n), 'Isolated') }
end

-- Where Metaspace puts its character: 'always', 'first' or 'never'.
local function scheme_of(part)
   local scheme = maybe(part, 'prepend_scheme', 'string')
   if scheme and scheme ~= 'always' and scheme ~= 'first' and scheme ~= 'never' then
      error(("'prepend_scheme' must be always, first or never, got '%s'"):format(scheme), 0)
   end
   return scheme or (get(part, 'add_prefix_space', 'boolean', true) and 'always' or 'never')
end

function splitters.Metaspace(part)
   local mark, scheme = get(part, 'replacement', 'string', '▁'), scheme_of(part)
   if mark == '' then error("'replacement' must be a character, got ''", 0) end
   local list = { steps.replace(' ', mark) }
   if scheme == 'always' then list[2] = steps.prepend(mark, 'unless_same')
   elseif scheme == 'first' then list[2] = steps.prepend(mark, 'first_unless_same') end
   if get(part, 'split', 'boolean', true) then list[#list + 1] = steps.split(pattern.literal(mark), 'MergedWithNext') end
   return list
end

-- Whether there is a ByteLevel among the pre-tokenizers.
local function is_byte_level(part, depth)
   if type(part) ~= 'table' or depth > DEEPEST then return false end
   for _, inner in ipairs(type(part.pretokenizers) == 'table' and part.pretokenizers or {}) do
      if is_byte_level(inner, depth + 1) then return true end
   end
   return part.type == 'ByteLevel'
end

-- ---- models --------------------------------------------------------------------------------------------------------

local models = {}

local function unknown_of(d, token)
   if not token then return nil end
   local id = fields.ids_of(d.tokens)[token]
   if not id then error(("the unknown token '%s' is not in the vocabulary"):format(token), 0) end
   return id
end

-- Merges are a list of 'a b' or of { 'a', 'b' }.
local function merges_of(d, list)
   local made, pairs_of = {}, type(list[1]) == 'table'
   for i, m in ipairs(list) do
      if pairs_of and type(m) == 'table' and type(m[1]) == 'string' and type(m[2]) == 'string' then m = m[1] .. '\255' .. m[2]
      elseif pairs_of or type(m) ~= 'string' then error(('merge %d must be two tokens'):format(i), 0) end
      made[i] = m
   end
   d.merges, d.separator = made, pairs_of and 255 or 32
end

function models.BPE(d, model)
   d.kind, d.tokens = 'BPE', fields.list_of(get(model, 'vocab', 'table'))
   merges_of(d, get(model, 'merges', 'table'))
   local o = d.options
   o.unknown = unknown_of(d, maybe(model, 'unk_token', 'string'))
   o.join_unknown = get(model, 'fuse_unk', 'boolean', false)
   o.whole_words = get(model, 'ignore_merges', 'boolean', false)
   o.rest, o.last = maybe(model, 'continuing_subword_prefix', 'string'), maybe(model, 'end_of_word_suffix', 'string')
   if o.rest == '' then o.rest = nil end
   if o.last == '' then o.last = nil end
   o.single_bytes = d.alphabet
   if get(model, 'byte_fallback', 'boolean', false) then o.bytes = fields.byte_ids(fields.ids_of(d.tokens)) end
end

function models.WordPiece(d, model)
   d.kind, d.tokens = 'WORDPIECE', fields.list_of(get(model, 'vocab', 'table'))
   d.options.unknown = unknown_of(d, get(model, 'unk_token', 'string', '[UNK]'))
   d.options.rest = get(model, 'continuing_subword_prefix', 'string', '##')
   d.options.most_codes = get(model, 'max_input_chars_per_word', 'number', 100)
end

function models.WordLevel(d, model)
   d.kind, d.tokens = 'WORDS', fields.list_of(get(model, 'vocab', 'table'))
   local token = maybe(model, 'unk_token', 'string')
   d.options.unknown = token and fields.ids_of(d.tokens)[token]
end

function models.Unigram(d, model)
   d.kind, d.tokens, d.scores = 'UNIGRAM', {}, {}
   for i, entry in ipairs(get(model, 'vocab', 'table')) do
      if type(entry) ~= 'table' or type(entry[1]) ~= 'string' or type(entry[2]) ~= 'number' then
         error(('token %d of the vocabulary must be a string and a number'):format(i - 1), 0)
      end
      d.tokens[i], d.scores[i] = entry[1], entry[2]
   end
   local unknown = maybe(model, 'unk_id', 'number')
   if unknown and fields.id(unknown, 'the unknown token') >= #d.tokens then error("'unk_id' is not in the vocabulary", 0) end
   d.options.unknown, d.options.join_unknown = unknown, true
   if get(model, 'byte_fallback', 'boolean', false) then d.options.bytes = fields.byte_ids(fields.ids_of(d.tokens)) end
end

-- Old files have no type.
local function model_type(model)
   local kind = maybe(model, 'type', 'string')
   if kind then return kind end
   if model.merges then return 'BPE' end
   if model.unk_id then return 'Unigram' end
   return model.max_input_chars_per_word and 'WordPiece' or 'WordLevel'
end

-- ---- templates -----------------------------------------------------------------------------------------------------

local function template_of(list, special)
   local template = {}
   for i, part in ipairs(list) do
      local sequence = type(part) == 'table' and maybe(part, 'Sequence', 'table')
      local token = type(part) == 'table' and maybe(part, 'SpecialToken', 'table')
      if sequence then
         local id = get(sequence, 'id', 'string')
         if id ~= 'A' and id ~= 'B' then error(("a template has no sequence '%s'"):format(id), 0) end
         template[#template + 1] = { sequence = id, type = get(sequence, 'type_id', 'number', 0) }
      elseif token then
         local name = get(token, 'id', 'string')
         local entry = get(special, name, 'table')
         for _, id in ipairs(get(entry, 'ids', 'table')) do
            template[#template + 1] = { id = fields.id(id, 'a token of a template'), type = get(token, 'type_id', 'number', 0) }
         end
      else error(('part %d of a template must be a sequence or a token'):format(i), 0) end
   end
   return template
end

local function token_of(part, name)
   local pair = get(part, name, 'table')
   return fields.id(pair[2], ("'%s'"):format(name))
end

local posts = {}

function posts.TemplateProcessing(part)
   local special = get(part, 'special_tokens', 'table', {})
   return { { single = template_of(get(part, 'single', 'table'), special),
      pair = template_of(get(part, 'pair', 'table', {}), special) } }
end

function posts.BertProcessing(part)
   local cls, sep = token_of(part, 'cls'), token_of(part, 'sep')
   return { { single = { { id = cls, type = 0 }, { sequence = 'A', type = 0 }, { id = sep, type = 0 } },
      pair = { { id = cls, type = 0 }, { sequence = 'A', type = 0 }, { id = sep, type = 0 }, { sequence = 'B', type = 1 },
         { id = sep, type = 1 } } } }
end

function posts.RobertaProcessing(part)
   local t = posts.BertProcessing(part)[1]
   table.insert(t.pair, 4, { id = t.pair[3].id, type = 0 })
   for _, entry in ipairs(t.pair) do entry.type = 0 end
   return { t }
end

function posts.ByteLevel() return {} end

-- ---- decoders ------------------------------------------------------------------------------------------------------

local decoders = {}

function decoders.ByteLevel() return { decode.byte_level() } end
function decoders.ByteFallback() return { decode.byte_fallback() } end
function decoders.Fuse() return { decode.fuse() } end

function decoders.WordPiece(part)
   return { decode.wordpiece(get(part, 'prefix', 'string', '##'), get(part, 'cleanup', 'boolean', true)) }
end

function decoders.Metaspace(part)
   return { decode.metaspace(get(part, 'replacement', 'string', '▁'), scheme_of(part) ~= 'never') }
end

function decoders.BPEDecoder(part) return { decode.suffix(get(part, 'suffix', 'string', '</w>')) } end

function decoders.Strip(part)
   local function times(name)
      local n = get(part, name, 'number', 0)
      if n < 0 or n > 1000 then error(("'%s' must lie in 0..1000, got %s"):format(name, tostring(n)), 0) end
      return n
   end
   return { decode.strip(get(part, 'content', 'string', ' '), times 'start', times 'stop') }
end

function decoders.Replace(part)
   local p, content = get(part, 'pattern', 'table'), get(part, 'content', 'string')
   if maybe(p, 'Regex', 'string') then return { decode.replace_pattern(p.Regex, content) } end
   return { decode.replace(get(p, 'String', 'string'), content) }
end

function decoders.CTC(part)
   return { decode.ctc(get(part, 'pad_token', 'string', '<pad>'), get(part, 'word_delimiter_token', 'string', '|'),
      get(part, 'cleanup', 'boolean', true)) }
end

-- ---- the whole file ------------------------------------------------------------------------------------------------

local function added_of(d, list)
   for i, entry in ipairs(list) do
      if type(entry) ~= 'table' then error(('added token %d must be an object'):format(i), 0) end
      local content = get(entry, 'content', 'string')
      local id = fields.id(entry.id, ("the added token '%s'"):format(content:sub(1, 40)))
      local special = get(entry, 'special', 'boolean', false)
      fields.put(d.tokens, id, content, d.model_size + #list)
      if d.scores then for k = #d.scores + 1, #d.tokens do d.scores[k] = 0 end end
      d.added[#d.added + 1] = { id = id, content = content, special = special,
         single_word = get(entry, 'single_word', 'boolean', false), lstrip = get(entry, 'lstrip', 'boolean', false),
         rstrip = get(entry, 'rstrip', 'boolean', false), normalized = get(entry, 'normalized', 'boolean', not special) }
   end
end

local function pad_of(d, t)
   local padding = maybe(t, 'padding', 'table')
   if padding then return fields.id(padding.pad_id, 'the padding') end
   local ids = fields.ids_of(d.tokens)
   for _, name in ipairs { '[PAD]', '<pad>', '<|endoftext|>' } do if ids[name] then return ids[name] end end
end

--- The definition in a file: `t` is its JSON.
function M.read(t)
   most_steps = MOST_STEPS
   local model = get(t, 'model', 'table')
   local d = { options = {}, added = {}, alphabet = is_byte_level(t.pre_tokenizer, 0), before = {}, split = {}, decoders = {} }
   local kind = model_type(model)
   if not models[kind] then error(("the model '%s' is not supported"):format(kind), 0) end
   models[kind](d, model)
   d.model_size = #d.tokens
   added_of(d, get(t, 'added_tokens', 'table', {}))
   if not d.alphabet then d.before[1] = steps.repair() end
   local normalizer, splitter = maybe(t, 'normalizer', 'table'), maybe(t, 'pre_tokenizer', 'table')
   local post = maybe(t, 'post_processor', 'table')
   if normalizer then build(normalizer, 'normalizer', 'normalizers', normalizers, d.before, 0) end
   if splitter then build(splitter, 'pre-tokenizer', 'pretokenizers', splitters, d.split, 0) end
   if post then
      local list = build(post, 'post-processor', 'processors', posts, {}, 0)
      d.template = list[#list]
   end
   local decoder = maybe(t, 'decoder', 'table')
   if decoder then build(decoder, 'decoder', 'decoders', decoders, d.decoders, 0)
   else d.decoders[1] = function(list) return { table.concat(list, ' ') } end end
   d.pad = pad_of(d, t)
   return d
end

M.null = json.null

return M
