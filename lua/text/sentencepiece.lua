-- text.sentencepiece - reads the model files of SentencePiece: Unigram and byte-pair encoding.
local decode = require 'text.decode'
local fields = require 'text.fields'
local protobuf = require 'torch.protobuf'
local steps = require 'text.steps'

local M = {}

local NORMAL, UNKNOWN, CONTROL, USER = 1, 2, 3, 4
local UNIGRAM, BPE, CHAR = 1, 2, 4

local piece = { [1] = { 'text', 'string' }, [2] = { 'score', 'float' }, [3] = { 'type', 'int64' } }
local trainer = { [3] = { 'kind', 'int64' }, [24] = { 'suffix', 'int64' },
   [35] = { 'byte_fallback', 'int64' },
   [40] = { 'unk', 'int64' }, [41] = { 'bos', 'int64' }, [42] = { 'eos', 'int64' }, [43] =
      { 'pad', 'int64' },
   [44] = { 'surface', 'string' } }
local normalizer = { [2] = { 'map', 'string' }, [3] = { 'prefix', 'int64' },
   [4] = { 'squeeze', 'int64' },
   [5] = { 'escape', 'int64' } }
local model = { [1] = { 'pieces', piece, 'repeated' }, [2] = { 'trainer', trainer },
   [3] = { 'normalizer', normalizer } }

-- A boolean with a default.
local function flag(v, default)
   if v == nil then return default end
   return v ~= 0
end

local function read_pieces(d, pieces)
   local types = {}
   for i, p in ipairs(pieces) do
      local kind = p.type or NORMAL
      d.tokens[i], d.scores[i], types[i] = p.text or '', p.score or 0, kind
      d.unused[i] = kind ~= NORMAL and kind ~= USER
      if kind == USER or kind == CONTROL then
         d.added[#d.added + 1] = { id = i - 1, content = d.tokens[i], special = kind == CONTROL,
            normalized = kind == USER, plain = true }
      elseif kind == UNKNOWN then d.options.unknown = i - 1 end
   end
   if #pieces == 0 then error('it has no tokens', 0) end
   return types
end

-- The unknown token becomes a mark.
local function unknown_as(token, surface)
   return function(list)
      local made = {}
      for i, s in ipairs(list) do made[i] = s == token and surface or s end
      return made
   end
end

local function make_steps(d, n, surface)
   d.before = steps.sentencepiece { map = n.map, squeeze = flag(n.squeeze, true), escape = flag(n.escape, true),
      prefix = flag(n.prefix, true) and 'first' or nil }
   d.split = {}
   d.decoders = { decode.byte_fallback(), decode.metaspace('▁', flag(n.prefix, true)) }
   local unknown = d.options.unknown and d.tokens[d.options.unknown + 1]
   if unknown then table.insert(d.decoders, unknown_as(unknown, surface)) end
end

--- The definition in a file.
function M.read(s)
   local m = protobuf.read(s, #s, model)
   local t, n = m.trainer or {}, m.normalizer or {}
   local d = { options = { join_unknown = true }, tokens = {}, scores = {}, unused = {}, added = {} }
   local kind = t.kind or UNIGRAM
   if kind ~= UNIGRAM and kind ~= BPE and kind ~= CHAR then error(('the model type %.0f is not supported'):format(kind), 0) end
   if flag(t.suffix, false) then error('spaces as suffixes are not supported', 0) end
   read_pieces(d, m.pieces or {})
   d.kind = kind == UNIGRAM and 'UNIGRAM' or 'BPE'
   d.by_score = kind == BPE
   if flag(t.byte_fallback, false) then d.options.bytes = fields.byte_ids(fields.ids_of(d.tokens)) end
   local pad = t.pad
   if pad and pad >= 0 and pad < #d.tokens then d.pad = pad end
   make_steps(d, n, t.surface or ' ⁇ ')
   return d
end

return M
