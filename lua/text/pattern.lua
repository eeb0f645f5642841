-- text.pattern - compiles regular expressions to programs for lib/text/pattern.c.
local ffi = require 'ffi'
local lib = require 'text.lib'
local parser = require 'text.parse_pattern'
local set = require 'text.set'
local C = lib.C

local pattern = {}

local MOST_WORDS = 2 ^ 16
local MOST_CLASSES = 64
local ENDLESS = parser.ENDLESS

local function op(name) return tonumber(C['TH_PATTERN_' .. name]) end
local MATCH, CODE, CLASS, REPEAT, SPLIT = op 'MATCH', op 'CODE', op 'CLASS', op 'REPEAT', op 'SPLIT'
local JUMP, LOOK, ATOMIC, AT = op 'JUMP', op 'LOOK', op 'ATOMIC', op 'AT'

local function fail(why) error('pattern: ' .. why, 0) end

-- Whether a node matches the empty text.
local function is_empty(node)
   local kind = node.kind
   if kind == 'set' then return false end
   if kind == 'repeat' then return node[2] == 0 or is_empty(node[1]) end
   if kind == 'atomic' then return is_empty(node[1]) end
   if kind == 'look' or kind == 'at' then return true end
   for _, part in ipairs(node[1]) do
      if is_empty(part) ~= (kind == 'all') then return kind == 'any' end
   end
   return kind == 'all'
end

-- The number of characters that a node matches, for looks behind.
local function length_of(node)
   local kind = node.kind
   if kind == 'set' then return 1 end
   if kind == 'look' or kind == 'at' then return 0 end
   if kind == 'atomic' then return length_of(node[1]) end
   if kind == 'repeat' then
      if node[2] ~= node[3] then fail 'a look behind needs a fixed length' end
      return node[2] * length_of(node[1])
   end
   local n
   for _, part in ipairs(node[1]) do
      local k = length_of(part)
      if kind == 'all' then n = (n or 0) + k
      elseif n and n ~= k then fail 'a look behind needs a fixed length'
      else n = k end
   end
   return n or 0
end

local emit

local function word(c, ...)
   for _, x in ipairs { ... } do c.code[#c.code + 1] = x end
   if #c.code > MOST_WORDS then fail 'it is too long' end
   return #c.code
end

local function class_of(c, s)
   local key = table.concat(s, ',')
   if not c.numbers[key] then
      if #c.classes >= MOST_CLASSES then fail(('it has more than %d classes'):format(MOST_CLASSES)) end
      c.classes[#c.classes + 1] = s
      c.numbers[key] = #c.classes - 1
   end
   return c.numbers[key]
end

-- `split` prefers its first branch; a lazy repeat prefers the way out.
local function split(c, lazy) return word(c, SPLIT, 0, 0), lazy end
local function set_split(c, at, lazy, body, out)
   c.code[at - 1], c.code[at] = lazy and out or body, lazy and body or out
end

-- Repeats of a group: copies, and a loop for an endless rest.
local function emit_repeat(c, node)
   local body, least, most, how = node[1], node[2], node[3], node[4]
   if body.kind == 'set' then
      word(c, REPEAT, class_of(c, body[1]), least, most, op(how))
      return
   end
   if most == ENDLESS and is_empty(body) then fail 'something that can be empty repeats without end' end
   local lazy = how == 'LAZY'
   for _ = 1, least do emit(c, body) end
   if most == ENDLESS then
      local begin = #c.code
      local at = split(c)
      emit(c, body)
      word(c, JUMP, begin)
      set_split(c, at, lazy, at, #c.code)
      return
   end
   local splits = {}
   for _ = 1, most - least do
      splits[#splits + 1] = split(c)
      emit(c, body)
   end
   for _, at in ipairs(splits) do set_split(c, at, lazy, at, #c.code) end
end

local emitters = {}

emitters['set'] = function(c, node)
   local code = set.single(node[1])
   if code then word(c, CODE, code) else word(c, CLASS, class_of(c, node[1])) end
end

emitters['all'] = function(c, node) for _, part in ipairs(node[1]) do emit(c, part) end end

emitters['any'] = function(c, node)
   local jumps = {}
   for i, part in ipairs(node[1]) do
      local at = i < #node[1] and split(c)
      emit(c, part)
      if at then
         jumps[#jumps + 1] = word(c, JUMP, 0)
         set_split(c, at, false, at, #c.code)
      end
   end
   for _, at in ipairs(jumps) do c.code[at] = #c.code end
end

emitters['repeat'] = function(c, node)
   if node[4] ~= 'POSSESSIVE' or node[1].kind == 'set' then return emit_repeat(c, node) end
   emit(c, { kind = 'atomic', { kind = 'repeat', node[1], node[2], node[3], 'GREEDY' } })
end

emitters['look'] = function(c, node)
   local at = word(c, LOOK, node[2], 0, node[2] >= 2 and length_of(node[1]) or 0)
   emit(c, node[1])
   c.code[at - 1] = word(c, MATCH)
end

emitters['atomic'] = function(c, node)
   local at = word(c, ATOMIC, 0)
   emit(c, node[1])
   c.code[at] = word(c, MATCH)
end

emitters['at'] = function(c, node) word(c, AT, op(node[1])) end

function emit(c, node) return emitters[node.kind](c, node) end

-- Expression -> pattern. A search leaves nothing in a pattern, so all tokenizers of a state share them.
local compiled, count = {}, 0
local MOST_COMPILED = 64

--- Compiles a regular expression: alternatives, groups, classes with && and \p{..}, \s \d \w \b, greedy, lazy and possessive
-- repeats, looks ahead and behind, (?i:..). Dots, classes and repeats count characters.
function pattern.new(s)
   if compiled[s] then return compiled[s] end
   local c = { code = {}, classes = {}, numbers = {} }
   emit(c, parser.parse(s))
   word(c, MATCH)
   c.classes[#c.classes + 1] = set.word()    -- the last one is for \b
   if count == MOST_COMPILED then compiled, count = {}, 0 end
   compiled[s], count = lib.pattern(c.code, c.classes), count + 1
   return compiled[s]
end

--- The pattern that matches a text.
function pattern.literal(text) return pattern.new((text:gsub('[%^%$%(%)%.%[%]%*%+%-%?{}|\\&#~]', '\\%0'))) end

--- The first match in a text from a place on: its first and last byte, or nil.
function pattern.find(p, s, init)
   local from, to = ffi.new('int64_t[1]', (init or 1) - 1), ffi.new 'int64_t[1]'
   lib.check(C.th_pattern_find(p, s, #s, from, to))
   if from[0] < 0 then return nil end
   return tonumber(from[0]) + 1, tonumber(to[0])
end

return pattern
