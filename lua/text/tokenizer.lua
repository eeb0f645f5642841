-- lua/text/tokenizer.lua - text.Tokenizer: texts to ids and back.
local ffi = require 'ffi'
local torch = require 'torch'
local arg = require 'torch.arg'
local lib = require 'text.lib'
local C, check = lib.C, lib.check

local home = {}

--- A tokenizer, which text.load makes. `#t` is the number of ids, and t[i] the token with the id i - 1, false if it has none.
-- Ids are the numbers of the model's file, from 0. The option `base = 1` counts them from 1, as nn.LookupTable does.
local Tokenizer = torch.class('text.Tokenizer', home)

local parts = setmetatable({}, { __mode = 'k' })          -- tokenizer -> its C objects and tables
local WHO = 'text.Tokenizer:'

function Tokenizer:__init(p)
   if type(p) ~= 'table' or not p.model then error('text.Tokenizer: text.load makes tokenizers', 2) end
   parts[self] = p
   for i, token in ipairs(p.tokens) do self[i] = token end
end

-- ---- options -------------------------------------------------------------------------------------------------------

local kinds = { special = 'boolean', parse = 'boolean', offsets = 'boolean', types = 'boolean', pair = 'string', base = 'number',
   length = 'number', truncation = 'boolean', padding = 'padding', pad = 'number' }
local expected = { boolean = 'true or false', string = 'a string', number = 'a whole number',
   padding = "'left', 'right' or false" }

local function is_kind(v, kind)
   if kind == 'padding' then return v == 'left' or v == 'right' or type(v) == 'boolean' end
   return type(v) == kind and (kind ~= 'number' or v % 1 == 0 and v >= -2 ^ 31 and v < 2 ^ 31)
end

-- Checks a table of options; `allowed` is a list of names between spaces.
local function options_of(who, o, allowed)
   if o == nil then return {} end
   if type(o) ~= 'table' then arg.refuse(who, 'options', 'a table', o, 3) end
   for name, v in pairs(o) do
      if type(name) ~= 'string' or not allowed:find(' ' .. name .. ' ', 1, true) then
         error(("%s: there is no option '%s'; there are%s"):format(who, tostring(name), allowed:sub(1, -2)), 3)
      end
      if not is_kind(v, kinds[name]) then arg.refuse(who, name, expected[kinds[name]], v, 3) end
   end
   if o.length and o.length < 1 then arg.refuse(who, 'length', 'at least 1', o.length, 3) end
   return o
end

local function need_text(who, s, name)
   if type(s) ~= 'string' then arg.refuse(who, name or 'text', 'a string', s, 3) end
   return s
end

-- Calls f; its errors get the name of the method, and the place of the caller.
local function try(who, f, ...)
   local ok, a, b, c = pcall(f, ...)
   if not ok then error(who .. ': ' .. tostring(a), 3) end
   return a, b, c
end

-- ---- encoding ------------------------------------------------------------------------------------------------------

local function mark(p, marks, special)
   if marks then check(C.th_text_mark(p.text, marks.trie, marks.ids, marks.flags, special and 1 or 0)) end
end

-- Runs all steps; the ids are in p.text then. @return their number
local function run(p, s, parse)
   local t = p.text
   check(C.th_text_set(t, s, #s))
   mark(p, p.raw, parse)
   for i = 1, #p.before do p.before[i](t) end
   mark(p, p.later, parse)
   for i = 1, #p.split do p.split[i](t) end
   check(C.th_text_encode(t, p.model))
   return tonumber(C.th_text_count(t))
end

local ids_t = ffi.typeof 'int64_t[?]'

-- The ids of a text as a table { n, ids, offsets } of arrays.
local function sequence(p, s, o)
   local n = run(p, s, o.parse ~= false)
   local ids = ids_t(n + 1)
   local offsets = o.offsets and ids_t(2 * n + 1)
   C.th_text_take(p.text, 0, n, o.base or 0, ids, offsets or nil)
   return { n = n, ids = ids, offsets = offsets }
end

local plain = { single = { { sequence = 'A', type = 0 } }, pair = { { sequence = 'A', type = 0 }, { sequence = 'B', type = 1 } } }

local function template_of(p, o, pair)
   local t = o.special ~= false and p.template or plain
   local list = pair and t.pair or t.single
   if #list == 0 then error('the model takes no pairs of texts', 0) end
   return list
end

-- Shortens sequences from their ends, the longest first, until all have together at most `most` ids.
local function shorten(a, b, most)
   local over = a.n + (b and b.n or 0) - math.max(most, 0)
   if over <= 0 then return end
   if b then
      local cut = math.min(over, math.abs(a.n - b.n))
      local long = a.n > b.n and a or b
      long.n, over = long.n - cut, over - cut
      b.n = b.n - math.ceil(over / 2)
      a.n = a.n - math.floor(over / 2)
   else a.n = a.n - over end
end

-- A text or a pair between the tokens of the template: ids, offsets and types as LongTensors; the last two may be nil.
local function encode(p, s, pair, o)
   local template = template_of(p, o, pair)
   local a, b, extra = sequence(p, s, o), pair and sequence(p, pair, o), 0
   for _, part in ipairs(template) do if part.id then extra = extra + 1 end end
   if o.length and o.truncation ~= false then
      if extra > o.length then
         error(('length must be at least %d, the number of special tokens, got %d'):format(extra, o.length), 0)
      end
      shorten(a, b, o.length - extra)
   end
   local n = a.n + (b and b.n or 0) + extra
   local ids, offsets, types = torch.LongTensor(n), o.offsets and torch.LongTensor(n, 2):zero(), o.types and torch.LongTensor(n)
   if n == 0 then return ids, offsets and torch.LongTensor() or nil, types or nil end
   local to, at = ids:data(), 0
   for _, part in ipairs(template) do
      local k = 1
      if part.id then to[at] = part.id + (o.base or 0)
      else
         local x = part.sequence == 'A' and a or b
         k = x.n
         ffi.copy(to + at, x.ids, 8 * k)
         if offsets and k > 0 then ffi.copy(offsets:data() + 2 * at, x.offsets, 16 * k) end
      end
      if types then for i = at, at + k - 1 do types:data()[i] = part.type end end
      at = at + k
   end
   return ids, offsets or nil, types or nil
end

--- The ids of a text. Options: `special = false` leaves out the tokens that the model wants around
-- a text. `parse = false` reads special tokens that the text spells as text, which is right for
-- texts of strangers. `offsets` and `types` ask for more results. `pair` is a second text. `length`
-- cuts at so many ids. `base` is added to each id.
-- @return a LongTensor of n ids. With `offsets`, n x 2 positions of the first and last byte in the
--  text, 0 and 0 for tokens of the model. With `types`, n numbers 0 and 1 that tell the texts of a
--  pair apart
function Tokenizer:encode(s, options)
   local who = WHO .. 'encode'
   need_text(who, s)
   local o = options_of(who, options, ' special parse offsets types pair base length ')
   return try(who, encode, parts[self], s, o.pair, o)
end

-- ---- batches -------------------------------------------------------------------------------------------------------

local function pair_of(who, item, i)
   if type(item) == 'table' then
      return need_text(who, item[1], ('text 1 of pair %d'):format(i)), need_text(who, item[2], ('text 2 of pair %d'):format(i))
   end
   return need_text(who, item, ('text %d'):format(i)), nil
end

local function encode_batch(p, texts, pairs_of, o)
   local rows, longest = {}, 0
   for i, s in ipairs(texts) do
      local ids, _, types = encode(p, s, pairs_of[i], o)
      rows[i] = { ids, types }
      local n = ids:nElement()
      if o.padding == false and i > 1 and n ~= longest then
         error(('text %d has %d ids, and the ones before have %d; padding makes them equal'):format(i, n, longest), 0)
      end
      longest = math.max(longest, n)
   end
   local width = o.length and o.padding ~= false and math.max(o.length, longest) or longest
   if width == 0 then return torch.LongTensor(), torch.ByteTensor(), o.types and torch.LongTensor() or nil end
   local ids = torch.LongTensor(#rows, width):fill((o.pad or p.pad or 0) + (o.base or 0))
   local mask, types = torch.ByteTensor(#rows, width):zero(), o.types and torch.LongTensor(#rows, width):zero()
   for i, row in ipairs(rows) do
      local n = row[1]:nElement()
      if n > 0 then
         local first = o.padding == 'left' and width - n + 1 or 1
         ids[i]:narrow(1, first, n):copy(row[1])
         mask[i]:narrow(1, first, n):fill(1)
         if types then types[i]:narrow(1, first, n):copy(row[2]) end
      end
   end
   return ids, mask, types or nil
end

--- The ids of several texts, or of pairs { text, text }, in one tensor. Options: those of encode, and `padding`: 'right'
-- (default) or 'left', where shorter rows get the padding token; false refuses texts of different lengths. `length` is the width: longer texts
-- are cut, shorter ones padded; with `truncation = false` nothing is cut. `pad` is the id to pad with.
-- @return ids: a LongTensor, texts x length; mask: a ByteTensor with 1 at ids of the text, 0 at padding; with `types`,
--  their tensor
function Tokenizer:encodeBatch(list, options)
   local who = WHO .. 'encodeBatch'
   if type(list) ~= 'table' or #list == 0 then arg.refuse(who, 'list', 'a list of texts', list) end
   local o = options_of(who, options, ' special parse types base length truncation padding pad ')
   local texts, seconds = {}, {}
   for i, item in ipairs(list) do texts[i], seconds[i] = pair_of(who, item, i) end
   return try(who, encode_batch, parts[self], texts, seconds, o)
end

-- ---- decoding ------------------------------------------------------------------------------------------------------

-- A list of ids without base, from a tensor or a table.
local function list_of(who, self, ids, base)
   local list, n = {}, #self
   if arg.is_tensor(ids) then
      ids = ids:nElement() > 0 and ids:contiguous():view(-1):totable() or {}
   elseif type(ids) ~= 'table' then arg.refuse(who, 'ids', 'a tensor or a list of ids', ids, 3) end
   for i, id in ipairs(ids) do
      local plain_id = type(id) == 'number' and id - base
      if not plain_id or plain_id % 1 ~= 0 or plain_id < 0 or plain_id >= n then
         error(('%s: id %d must lie in %d..%d, got %s'):format(who, i, base, n - 1 + base, tostring(id)), 3)
      end
      list[i] = plain_id
   end
   return list
end

local function decode(p, list, keep)
   local strings = {}
   for _, id in ipairs(list) do
      local token = p.tokens[id + 1]
      if token and (keep or not p.special[id]) then strings[#strings + 1] = token end
   end
   for _, step in ipairs(p.decoders) do strings = step(strings) end
   return table.concat(strings)
end

--- The text of ids, a tensor or a list. Options: `special = true` keeps special tokens; `base` is what encode added.
-- Bytes that are no valid UTF-8 stay as they are.
function Tokenizer:decode(ids, options)
   local who = WHO .. 'decode'
   local o = options_of(who, options, ' special base ')
   return try(who, decode, parts[self], list_of(who, self, ids, o.base or 0), o.special)
end

--- The tokens of a text, or of ids, as a list of strings, written as the vocabulary writes them.
function Tokenizer:tokens(x, options)
   local who = WHO .. 'tokens'
   local o = options_of(who, options, ' special parse base ')
   if type(x) == 'string' then x = try(who, encode, parts[self], x, nil, o) end
   local made = {}
   for i, id in ipairs(list_of(who, self, x, o.base or 0)) do made[i] = self[id + 1] or '' end
   return made
end

--- The id of a token, written as the vocabulary writes it, or nil.
function Tokenizer:id(token) return parts[self].ids[need_text(WHO .. 'id', token, 'token')] end

--- The token with an id; nil: there is none.
function Tokenizer:token(id)
   if type(id) ~= 'number' then arg.refuse(WHO .. 'token', 'id', 'a number', id) end
   return self[id + 1] or nil
end

--- The number of ids.
function Tokenizer:size() return #self end

--- Whether an id is a special token.
function Tokenizer:isSpecial(id)
   if type(id) ~= 'number' then arg.refuse(WHO .. 'isSpecial', 'id', 'a number', id) end
   return parts[self].special[id] == true
end

function Tokenizer:__tostring__() return ('text.Tokenizer: %d tokens'):format(#self) end

--- Refuses to be saved: the name of the file is enough to load the tokenizer again.
function Tokenizer:write() error('text.Tokenizer: save the name of its file, and load it again with text.load', 2) end

-- An object that a file names has no parts.
arg.guard(Tokenizer, function(v) return parts[v] ~= nil end, 'a text.Tokenizer', nil, { __init = true, __tostring__ = true })

return home.Tokenizer
