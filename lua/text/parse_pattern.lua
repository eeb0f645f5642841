-- text.parse_pattern - reads a regular expression, as vocabularies have them, into a tree.
--
-- A node is { kind = 'set', set }, { kind = 'all', nodes }, { kind = 'any', nodes }, { kind = 'repeat', node, least, most, how },
-- { kind = 'look', node, what }, { kind = 'atomic', node } or { kind = 'at', what }. Groups number nothing, and there are no
-- references back.
local json = require 'torch.json'
local set = require 'text.set'

local DEEPEST = 40                           -- nesting of groups
local MOST_TIMES = 1000
local ENDLESS = 2 ^ 31 - 1

local function fail(p, why, ...) error(('pattern, byte %d: ' .. why):format(p.i, ...), 0) end

-- The character at place i and the place behind it.
local function code_at(s, i)
   local c = s:byte(i)
   local n = c < 0x80 and 1 or c < 0xE0 and 2 or c < 0xF0 and 3 or 4
   if n == 1 then return c, i + 1 end
   local code = c % 2 ^ (7 - n)
   for k = 1, n - 1 do code = code * 64 + (s:byte(i + k) or 0) % 64 end
   return code, i + n
end

local function single(c) return { c, c } end

-- ---- escapes -------------------------------------------------------------------------------------------------------

local letters = { n = 10, r = 13, t = 9, f = 12, v = 11, a = 7, e = 27 }
local places = { b = 'WORD_EDGE', B = 'NO_WORD_EDGE', A = 'TEXT_BEGIN', z = 'TEXT_END', Z = 'LAST_LINE' }

local function property(p, inverse)
   local braces, stop = p.s:match('^{([^}]*)}()', p.i)
   local name = braces or p.s:match('^%a', p.i)
   if not name then fail(p, '\\p needs a name') end
   local bare = name:match '^%^(.*)' or name
   local s = set.property(bare)
   if not s then fail(p, "there is no property '%s'", bare) end
   p.i = stop or p.i + 1
   return (bare ~= name) ~= inverse and set.complement(s) or s
end

local function number_escape(p, digits, stop)
   local code = tonumber(digits, 16)
   if not code or code > 0x10FFFF then fail(p, 'there is no character %s', digits or '') end
   p.i = stop
   return single(code)
end

-- The set of what follows a backslash; p.i points at it.
local function escape(p)
   local c = p.s:sub(p.i, p.i)
   if c == '' then fail(p, 'it ends in a backslash') end
   p.i = p.i + 1
   if c == 's' then return set.space elseif c == 'S' then return set.complement(set.space)
   elseif c == 'd' then return set.property 'Nd' elseif c == 'D' then return set.complement(set.property 'Nd')
   elseif c == 'w' then return set.word() elseif c == 'W' then return set.complement(set.word())
   elseif c == 'p' or c == 'P' then return property(p, c == 'P')
   elseif letters[c] then return single(letters[c])
   elseif c == 'x' then
      local digits, stop = p.s:match('^{(%x+)}()', p.i)
      if not digits then digits, stop = p.s:match('^(%x%x)()', p.i) end
      return number_escape(p, digits, stop)
   elseif c == 'u' then return number_escape(p, p.s:match('^(%x%x%x%x)()', p.i))
   elseif c:find '%w' then fail(p, '\\%s is not supported', c) end
   local code
   code, p.i = code_at(p.s, p.i - 1)
   return single(code)
end

-- ---- classes -------------------------------------------------------------------------------------------------------

local read_class

local function class_item(p)
   if p.s:sub(p.i, p.i) == '[' then
      if p.s:sub(p.i, p.i + 1) == '[:' then fail(p, 'POSIX names are not supported') end
      return read_class(p)
   end
   if p.s:sub(p.i, p.i) == '\\' then
      p.i = p.i + 1
      if p.s:sub(p.i, p.i) == 'b' then fail(p, '\\b is not supported in a class') end
      return escape(p)
   end
   local code
   code, p.i = code_at(p.s, p.i)
   return single(code)
end

-- A class whose [ is at p.i.
local function read_new_class(p)
   p.depth = p.depth + 1
   if p.depth > DEEPEST then fail(p, 'it is nested more than %d deep', DEEPEST) end
   local begin = p.i
   p.i = p.i + 1
   local inverse = p.s:sub(p.i, p.i) == '^'
   if inverse then p.i = p.i + 1 end
   local ranges, large, both, first = {}, {}, nil, true
   while first or p.s:sub(p.i, p.i) ~= ']' do
      if p.i > #p.s then
         p.i = begin
         fail(p, 'the class does not end')
      end
      if p.s:sub(p.i, p.i + 1) == '&&' then
         p.i = p.i + 2
         local left = set.union(large, set.of(ranges))
         both, ranges, large = both and set.intersection(both, left) or left, {}, {}
      else
         local item = class_item(p)
         local low = set.single(item)
         if low and p.s:find('^%-[^%]]', p.i) then
            p.i = p.i + 1
            local high = set.single(class_item(p))
            if not high or high < low then fail(p, 'a range of a class is out of order') end
            item = { low, high }
         end
         if #item > 2 then large = set.union(large, item)
         else for k = 1, #item do ranges[#ranges + 1] = item[k] end end
      end
      first = false
   end
   p.i = p.i + 1
   p.depth = p.depth - 1
   local s = set.union(large, set.of(ranges))
   if both then s = set.intersection(both, s) end
   if p.ignore_case then s = set.without_case(s) end
   return inverse and set.complement(s) or s
end

-- The same class is often written several times. A text is its key where its first ']' ends it.
function read_class(p)
   local text = p.s:match('^%[[^%[%]]+%]', p.i)
   local key = text and text ~= '[^]' and not text:find '\\%]$' and text .. tostring(p.ignore_case)
   local known = key and p.classes[key]
   if known then
      p.i = p.i + known.length
      return known.set
   end
   local begin = p.i
   local s = read_new_class(p)
   if key then p.classes[key] = { set = s, length = p.i - begin } end
   return s
end

-- ---- groups and repeats --------------------------------------------------------------------------------------------

local read_any

local looks = { ['='] = 0, ['!'] = 1, ['<='] = 2, ['<!'] = 3 }

local function close(p, node)
   if p.s:sub(p.i, p.i) ~= ')' then fail(p, "')' is expected") end
   p.i = p.i + 1
   return node
end

-- What follows '('. Flags count up to the end of the group.
local function group(p)
   p.depth = p.depth + 1
   if p.depth > DEEPEST then fail(p, 'it is nested more than %d deep', DEEPEST) end
   local ignore, every = p.ignore_case, p.dot_is_all
   local what, stop = p.s:match('^%?(<?[=!])()', p.i)
   local node
   if what then
      p.i = stop
      node = { kind = 'look', close(p, read_any(p)), looks[what] }
   elseif p.s:sub(p.i, p.i + 1) == '?>' then
      p.i = p.i + 2
      node = { kind = 'atomic', close(p, read_any(p)) }
   else
      local on, off, colon, behind = p.s:match('^%?(%a*)%-?(%a*)([:)])()', p.i)
      local name = p.s:match('^%?P?<[%a_][%w_]*>()', p.i)
      if on then
         local known = (on .. off):find '^[isSm]*$'
         if not known then fail(p, "the flags '%s' are not supported", on .. off) end
         if on:find 'i' then p.ignore_case = true elseif off:find 'i' then p.ignore_case = false end
         if on:find 's' then p.dot_is_all = true elseif off:find 's' then p.dot_is_all = false end
         p.i = behind
         if colon == ')' then                -- the flags of the rest of the group around it
            p.depth = p.depth - 1
            return { kind = 'all', {} }
         end
      elseif name then p.i = name
      elseif p.s:sub(p.i, p.i) == '?' then fail(p, 'this group is not supported') end
      node = close(p, read_any(p))
   end
   p.ignore_case, p.dot_is_all = ignore, every
   p.depth = p.depth - 1
   return node
end

local function literal(p, s)
   return { kind = 'set', p.ignore_case and set.without_case(s) or s }
end

local function atom(p)
   local c = p.s:sub(p.i, p.i)
   if c == '[' then return { kind = 'set', read_class(p) } end
   if c == '*' or c == '+' or c == '?' then fail(p, 'nothing precedes %s', c) end
   if c == '(' then
      p.i = p.i + 1
      return group(p)
   end
   if c == '\\' then
      local place = places[p.s:sub(p.i + 1, p.i + 1)]
      if place then
         p.i = p.i + 2
         return { kind = 'at', place }
      end
      p.i = p.i + 1
      return literal(p, escape(p))
   end
   if c == '.' or c == '^' or c == '$' then
      p.i = p.i + 1
      if c == '.' then return { kind = 'set', p.dot_is_all and { 0, 0x10FFFF } or set.complement { 10, 10 } } end
      return { kind = 'at', c == '^' and 'LINE_BEGIN' or 'LINE_END' }
   end
   local code
   code, p.i = code_at(p.s, p.i)
   return literal(p, single(code))
end

-- The repeats behind an atom.
local function repeated(p, node)
   while true do
      local c = p.s:sub(p.i, p.i)
      local least, most
      if c == '*' then least, most, p.i = 0, ENDLESS, p.i + 1
      elseif c == '+' then least, most, p.i = 1, ENDLESS, p.i + 1
      elseif c == '?' then least, most, p.i = 0, 1, p.i + 1
      else
         local low, comma, high, stop = p.s:match('^{(%d*)(,?)(%d*)}()', p.i)
         if not low or low .. high == '' then return node end
         least = tonumber(low) or 0
         most = comma == '' and least or tonumber(high) or ENDLESS
         if least > MOST_TIMES or (most > MOST_TIMES and most < ENDLESS) or most < least then
            fail(p, 'a repeat is out of range')
         end
         p.i = stop
      end
      local how = p.s:match('^[?+]', p.i)
      if how then p.i = p.i + 1 end
      node = { kind = 'repeat', node, least, most, how == '?' and 'LAZY' or how == '+' and 'POSSESSIVE' or 'GREEDY' }
      p.repeats = p.repeats + 1
      if p.repeats > MOST_TIMES then fail(p, 'it has more than %d repeats', MOST_TIMES) end
   end
end

local function read_all(p)
   local nodes = {}
   while p.i <= #p.s do
      local c = p.s:sub(p.i, p.i)
      if c == '|' or c == ')' then break end
      nodes[#nodes + 1] = repeated(p, atom(p))
   end
   return { kind = 'all', nodes }
end

function read_any(p)
   local nodes = { read_all(p) }
   while p.s:sub(p.i, p.i) == '|' do
      p.i = p.i + 1
      nodes[#nodes + 1] = read_all(p)
   end
   return #nodes == 1 and nodes[1] or { kind = 'any', nodes }
end

--- The tree of a regular expression in UTF-8. Errors begin with 'pattern, byte N: '.
local function parse(s)
   local p = { s = s, i = 1, depth = 0, repeats = 0, classes = {} }
   local node = read_any(p)
   if p.i <= #s then fail(p, "')' without '('") end
   return node
end

return { parse = parse, ENDLESS = ENDLESS, utf8 = json.utf8 }
