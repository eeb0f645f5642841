-- text.vocabulary_files - reads vocab.txt (WordPiece), and vocab.json with merges.txt (byte-pair encoding).
local decode = require 'text.decode'
local fields = require 'text.fields'
local steps = require 'text.steps'

local M = {}

local function add_special(d, ids, name)
   local id = ids[name]
   if id then d.added[#d.added + 1] = { id = id, content = name, special = true } end
   return id
end

--- WordPiece: a token in each line, from id 0. `lower`: the text becomes lower case without accents.
function M.wordpiece(s, lower)
   local d = { kind = 'WORDPIECE', options = { rest = '##', most_codes = 100 }, tokens = {}, added = {} }
   for line in s:gsub('\r\n', '\n'):gmatch '([^\n]*)\n?' do d.tokens[#d.tokens + 1] = line end
   while #d.tokens > 0 and d.tokens[#d.tokens] == '' do d.tokens[#d.tokens] = nil end
   if #d.tokens == 0 then error('it has no tokens', 0) end
   local ids = fields.ids_of(d.tokens)
   d.options.unknown = add_special(d, ids, '[UNK]')
   local cls, sep = add_special(d, ids, '[CLS]'), add_special(d, ids, '[SEP]')
   d.pad = add_special(d, ids, '[PAD]')
   add_special(d, ids, '[MASK]')
   if cls and sep then
      d.template = { single = { { id = cls, type = 0 }, { sequence = 'A', type = 0 }, { id = sep, type = 0 } },
         pair = { { id = cls, type = 0 }, { sequence = 'A', type = 0 }, { id = sep, type = 0 }, { sequence = 'B', type = 1 },
            { id = sep, type = 1 } } }
   end
   d.before = steps.bert { clean = true, chinese = true, accents = lower, lower = lower }
   table.insert(d.before, 1, steps.repair())
   d.split = steps.bert_split()
   d.decoders = { decode.wordpiece('##', true) }
   return d
end

--- Byte-pair encoding: the tokens of vocab.json and the lines of merges.txt. `special` lists tokens that are special.
function M.bpe(vocabulary, merges, special)
   local d = { kind = 'BPE', options = {}, tokens = fields.list_of(vocabulary), added = {}, merges = {},
      separator = 32, before = {} }
   for line in merges:gsub('\r\n', '\n'):gmatch '[^\n]+' do
      if line:sub(1, 8) ~= '#version' then d.merges[#d.merges + 1] = line end
   end
   local ids = fields.ids_of(d.tokens)
   for _, name in ipairs(special) do add_special(d, ids, name) end
   d.options.unknown = ids['<unk>']
   d.pad = ids['<pad>'] or ids['<|endoftext|>']
   local words = false                       -- the suffix of CLIP's and the first GPT's words
   for token in pairs(ids) do words = words or token:sub(-4) == '</w>' end
   d.alphabet = ids['Ġ'] ~= nil or not words
   if d.alphabet then
      d.options.single_bytes = true
      d.split, d.decoders = { steps.split(steps.GPT2, 'Isolated') }, { decode.byte_level() }
   else
      d.options.last = '</w>'
      d.before = { steps.repair(), steps.form 'NFC', steps.lower() }
      d.split = { steps.split([=[\w+|[^\w\s]+]=], 'Removed', true) }
      d.decoders = { decode.suffix '</w>' }
   end
   return d
end

return M
