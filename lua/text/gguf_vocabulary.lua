-- text.gguf_vocabulary - the definition of a tokenizer from the fields of a GGUF file.
local decode = require 'text.decode'
local fields = require 'text.fields'
local patterns = require 'text.patterns'
local steps = require 'text.steps'
local get, maybe = fields.get, fields.maybe

local M = {}

local UNKNOWN, CONTROL, USER, UNUSED, BYTE = 2, 3, 4, 5, 6

local function field(f, name, kind, default) return get(f, 'tokenizer.ggml.' .. name, kind, default) end

local function id_of(d, f, name)
   local id = maybe(f, 'tokenizer.ggml.' .. name, 'number')
   if id and (id % 1 ~= 0 or id < 0 or id >= #d.tokens) then
      error(("'tokenizer.ggml.%s' must be one of %d tokens, got %s"):format(name, #d.tokens, tostring(id)), 0)
   end
   return id
end

local function read_tokens(d, f)
   local tokens = field(f, 'tokens', 'table')
   local types = field(f, 'token_type', type(f['tokenizer.ggml.token_type']) == 'string' and 'string' or 'table', {})
   if #tokens == 0 then error('it has no tokens', 0) end
   for i, token in ipairs(tokens) do
      if type(token) ~= 'string' then error(('token %d must be a string'):format(i - 1), 0) end
      local kind = type(types) == 'table' and types[i]
      d.tokens[i] = token
      d.unused[i] = kind == UNKNOWN or kind == CONTROL or kind == UNUSED or kind == BYTE
      if kind == CONTROL or kind == USER or kind == UNKNOWN then
         d.added[#d.added + 1] = { id = i - 1, content = token, special = kind ~= USER }
      end
   end
end

local function read_scores(d, f)
   local scores = field(f, 'scores', 'table')
   for i = 1, #d.tokens do
      if type(scores[i]) ~= 'number' or scores[i] ~= scores[i] then error(('token %d has no score'):format(i - 1), 0) end
      d.scores[i] = math.max(-1e30, math.min(1e30, scores[i]))
   end
end

local function read_merges(d, f)
   d.merges, d.separator, d.skip_merges = field(f, 'merges', 'table'), 32, true
   for i, merge in ipairs(d.merges) do
      if type(merge) ~= 'string' then error(('merge %d must be a string'):format(i - 1), 0) end
   end
end

-- ---- models: each fills the definition; the results are whether a text begins with BOS and ends with EOS ------------

local models = {}

function models.gpt2(d, f)
   d.kind, d.alphabet = 'BPE', true
   d.options.single_bytes = true
   read_merges(d, f)
   local pre = field(f, 'pre', 'string', 'default')
   local list = patterns[pre]
   if not list then error(("the split pattern '%s' is not supported"):format(pre), 0) end
   d.before, d.split = {}, {}
   for i, expression in ipairs(list) do d.split[i] = steps.split(expression, 'Isolated') end
   local llama3 = list == patterns.llama3
   d.options.whole_words = llama3 or list == patterns.tekken
   d.decoders = { decode.byte_level() }
   d.unused = nil
   return llama3 or list == patterns.tekken, false
end

function models.llama(d, f)
   d.kind, d.by_score, d.scores = 'BPE', true, {}
   read_scores(d, f)
   d.options.bytes = fields.byte_ids(fields.ids_of(d.tokens))
   local prefix = field(f, 'add_space_prefix', 'boolean', true)
   d.before = steps.sentencepiece { prefix = prefix and 'always' or nil, escape = true }
   d.split = {}
   d.decoders = { decode.byte_fallback(), decode.metaspace('▁', prefix) }
   d.unused = nil
   return true, false
end

function models.gemma4(d, f)
   d.kind = 'BPE'
   read_merges(d, f)
   d.options.bytes = fields.byte_ids(fields.ids_of(d.tokens))
   d.before = steps.sentencepiece { prefix = field(f, 'add_space_prefix', 'boolean', false) and 'always' or nil, escape = true }
   d.split = { steps.split([=[[^\n]+|\n+]=], 'Isolated') }
   d.decoders = { decode.byte_fallback(), decode.metaspace('▁', false) }
   d.unused = nil
   return true, false
end

function models.bert(d)
   d.kind, d.options.first, d.options.most_codes = 'WORDPIECE', '▁', 2 ^ 31 - 1
   d.before = steps.bert { clean = true, chinese = true, accents = true, lower = true }
   table.insert(d.before, 1, steps.repair())
   d.split = steps.bert_split()
   d.decoders = { decode.metaspace('▁', true) }
   d.unused = nil
   return true, true
end

function models.t5(d, f)
   d.kind, d.scores = 'UNIGRAM', {}
   read_scores(d, f)
   d.options.join_unknown = true
   local map = maybe(f, 'tokenizer.ggml.precompiled_charsmap', 'string')
   local prefix = field(f, 'add_space_prefix', 'boolean', true)
   d.before = steps.sentencepiece { map = map, squeeze = field(f, 'remove_extra_whitespaces', 'boolean', false),
      prefix = prefix and 'always' or nil, escape = true }
   d.split = {}
   d.decoders = { decode.metaspace('▁', prefix) }
   return false, true
end

-- The tokens around a text.
local function template_of(d, f, first, last)
   local bos = id_of(d, f, 'bos_token_id') or id_of(d, f, 'cls_token_id')
   local eos = d.kind == 'WORDPIECE' and id_of(d, f, 'seperator_token_id') or id_of(d, f, 'eos_token_id')
   if not (bos and field(f, 'add_bos_token', 'boolean', first)) then bos = nil end
   if not (eos and field(f, 'add_eos_token', 'boolean', last)) then eos = nil end
   local single, pair = {}, {}
   local function add(list, id, sequence, kind) list[#list + 1] = { id = id, sequence = sequence, type = kind } end
   if bos then
      add(single, bos, nil, 0)
      add(pair, bos, nil, 0)
   end
   add(single, nil, 'A', 0)
   add(pair, nil, 'A', 0)
   if eos then
      add(single, eos, nil, 0)
      add(pair, eos, nil, 0)
   end
   add(pair, nil, 'B', 1)
   if eos then add(pair, eos, nil, 1) end
   return { single = single, pair = pair }
end

--- The definition in the fields of a file.
function M.read(f)
   local kind = field(f, 'model', 'string')
   local d = { options = {}, tokens = {}, unused = {}, added = {} }
   if not models[kind] then error(("the vocabulary model '%s' is not supported"):format(kind), 0) end
   read_tokens(d, f)
   local first, last = models[kind](d, f)
   d.options.unknown = id_of(d, f, 'unknown_token_id')
   if kind == 'gpt2' then d.options.unknown = nil end       -- bytes without token vanish
   d.pad = id_of(d, f, 'padding_token_id') or id_of(d, f, 'eos_token_id')
   d.template = template_of(d, f, first, last)
   return d
end

return M
