-- lua/onnx/regex.lua - regular expressions in the syntax of RE2, matched against whole strings of UTF-8.
--
-- A pattern becomes a program of an automaton; all its states step over the text together (K. Thompson, Regular expression search
-- algorithm, 1968). So time is at most the length of the text times that of the program, whatever the pattern.
local utf8 = require 'onnx.unicode'

local M = {}

local MOST_DEEP, MOST_REPEATED, MOST_CODE = 200, 1000, 100000

-- ---- sets of characters --------------------------------------------------------------------------------------------

local digits, words, spaces = { { 48, 57 } }, { { 48, 57 }, { 65, 90 }, { 95, 95 }, { 97, 122 } }, { { 9, 10 }, { 12, 13 }, { 32, 32 } }
local perl = { d = digits, w = words, s = spaces }
local posix = {
   alnum = { { 48, 57 }, { 65, 90 }, { 97, 122 } }, alpha = { { 65, 90 }, { 97, 122 } }, ascii = { { 0, 127 } },
   blank = { { 9, 9 }, { 32, 32 } }, cntrl = { { 0, 31 }, { 127, 127 } }, digit = digits, graph = { { 33, 126 } },
   lower = { { 97, 122 } }, print = { { 32, 126 } }, punct = { { 33, 47 }, { 58, 64 }, { 91, 96 }, { 123, 126 } },
   space = { { 9, 13 }, { 32, 32 } }, upper = { { 65, 90 } }, word = words, xdigit = { { 48, 57 }, { 65, 70 }, { 97, 102 } },
}

local LAST = 0x10FFFF

local function inverted(ranges)
   local sorted, r, from = {}, {}, 0
   for i, range in ipairs(ranges) do sorted[i] = range end
   table.sort(sorted, function(a, b) return a[1] < b[1] end)
   for _, range in ipairs(sorted) do
      if range[1] > from then r[#r + 1] = { from, range[1] - 1 } end
      from = math.max(from, range[2] + 1)
   end
   if from <= LAST then r[#r + 1] = { from, LAST } end
   return r
end

local function holds(ranges, c)
   for _, range in ipairs(ranges) do if c >= range[1] and c <= range[2] then return true end end
   return false
end

-- A node that matches one character. fold: whether letters match in both cases
local function set_node(ranges, negated, fold)
   local function has(c)
      return holds(ranges, c) or fold and (holds(ranges, utf8.lower(c)) or holds(ranges, utf8.upper(c)))
   end
   return { kind = 'set', match = negated and function(c) return not has(c) end or has }
end

-- ---- parser --------------------------------------------------------------------------------------------------------

local function fail(text, ...) error(('pattern: ' .. text):format(...), 0) end

local function peek(p) return p.list[p.at] end
local function byte(c) return c and c < 128 and string.char(c) or nil end
local function ahead(p, text)
   for i = 1, #text do if p.list[p.at + i - 1] ~= text:byte(i) then return false end end
   return true
end
local function accept(p, text)
   if not ahead(p, text) then return false end
   p.at = p.at + #text
   return true
end

local controls = { a = 7, f = 12, n = 10, r = 13, t = 9, v = 11 }

local function hexadecimal(p)
   local braces, digits_, most = accept(p, '{'), {}, 2
   if braces then most = 8 end
   while #digits_ < most and peek(p) and (byte(peek(p)) or ''):find '%x' do
      digits_[#digits_ + 1], p.at = byte(peek(p)), p.at + 1
   end
   if braces and not accept(p, '}') or #digits_ == 0 or not braces and #digits_ < 2 then fail '\\x must have two digits or braces' end
   local c = tonumber(table.concat(digits_), 16)
   if c > LAST then fail '\\x is beyond the last character' end
   return c
end

-- An escape behind its backslash: ranges and whether they are negated; or a single character.
local function escape(p)
   local c = peek(p)
   if not c then fail 'it ends with a backslash' end
   p.at = p.at + 1
   local b = byte(c)
   if not b then fail 'there is no such escape' end
   if perl[b] then return perl[b], false end
   if perl[b:lower()] then return perl[b:lower()], true end
   if controls[b] then return { { controls[b], controls[b] } }, false, controls[b] end
   if b == 'x' then
      local v = hexadecimal(p)
      return { { v, v } }, false, v
   end
   if b:find '[0-7]' and (b == '0' or (byte(peek(p)) or ''):find '[0-7]') then
      local v, count = tonumber(b), 1
      while count < 3 and (byte(peek(p)) or ''):find '[0-7]' do v, count, p.at = v * 8 + tonumber(byte(peek(p))), count + 1, p.at + 1 end
      return { { v, v } }, false, v
   end
   if b:find '%w' then fail('\\%s is not read', b) end
   return { { c, c } }, false, c
end

-- A class behind its bracket.
local function class(p)
   local negated, ranges, first = accept(p, '^'), {}, true
   while first or not ahead(p, ']') do
      first = false
      local c = peek(p)
      if not c then fail 'a bracket is open' end
      local name = ahead(p, '[:') and utf8.encode(p.list, p.at, p.at + 12):match '^%[:(%^?%a+):%]'
      if name then
         local own = posix[name:gsub('^%^', '')] or fail('there is no class %s', name)
         p.at = p.at + #name + 4
         for _, range in ipairs(name:sub(1, 1) == '^' and inverted(own) or own) do ranges[#ranges + 1] = range end
      else
         p.at = p.at + 1
         local low = c
         if c == 92 then
            local own, inverse, single = escape(p)
            low = single
            if not single then for _, range in ipairs(inverse and inverted(own) or own) do ranges[#ranges + 1] = range end end
         end
         if low then
            local high = low
            if ahead(p, '-') and p.list[p.at + 1] and p.list[p.at + 1] ~= 93 then
               p.at = p.at + 1
               high, p.at = p.list[p.at], p.at + 1
               if high == 92 then
                  local _, _, single = escape(p)
                  high = single or fail 'a range must end with a character'
               end
               if high < low then fail 'a range ends before it begins' end
            end
            ranges[#ranges + 1] = { low, high }
         end
      end
   end
   p.at = p.at + 1
   return set_node(ranges, negated, p.flags.i)
end

local alternatives

-- A group behind its parenthesis.
local function group(p)
   local saved, flags = p.flags, {}
   for k, v in pairs(saved) do flags[k] = v end
   if accept(p, '?P<') or ahead(p, '?<') and not ahead(p, '?<=') and not ahead(p, '?<!') and accept(p, '?<') then
      local any = false
      while (byte(peek(p)) or ''):find '[%w_]' do p.at, any = p.at + 1, true end
      if not any or not accept(p, '>') then fail 'a group has no proper name' end
   elseif accept(p, '?') then
      local value = true
      while (byte(peek(p)) or ''):find '[imsU-]' do
         local b = byte(peek(p))
         if b == '-' then value = false else flags[b] = value end
         p.at = p.at + 1
      end
      if accept(p, ')') then
         p.flags = flags                                      -- until the end of the group around it
         return { kind = 'cat' }
      end
      if not accept(p, ':') then fail 'there is no such group' end
   end
   p.depth, p.flags = p.depth + 1, flags
   if p.depth > MOST_DEEP then fail('groups are nested more than %d deep', MOST_DEEP) end
   local node = alternatives(p)
   p.depth, p.flags = p.depth - 1, saved
   if not accept(p, ')') then fail 'a parenthesis is open' end
   return node
end

local asserts = { A = 'begin', z = 'end', b = 'word', B = 'no word' }

local function atom(p)
   local c = peek(p)
   p.at = p.at + 1
   local b = byte(c)
   if b == '(' then return group(p)
   elseif b == '[' then return class(p)
   elseif b == '.' then return set_node(p.flags.s and { { 0, LAST } } or { { 0, 9 }, { 11, LAST } })
   elseif b == '^' then return { kind = 'assert', what = p.flags.m and 'begin of line' or 'begin' }
   elseif b == '$' then return { kind = 'assert', what = p.flags.m and 'end of line' or 'end' }
   elseif b == '\\' then
      local what = asserts[byte(peek(p)) or '']
      if what then
         p.at = p.at + 1
         return { kind = 'assert', what = what }
      elseif accept(p, 'Q') then
         local cat = { kind = 'cat' }
         while peek(p) and not accept(p, '\\E') do
            cat[#cat + 1] = set_node({ { peek(p), peek(p) } }, false, p.flags.i)
            p.at = p.at + 1
         end
         return cat
      end
      local ranges, negated = escape(p)
      return set_node(ranges, negated, p.flags.i)
   elseif b and b:find '[*+?]' then fail('%s has nothing to repeat', b) end
   return set_node({ { c, c } }, false, p.flags.i)
end

-- Fewest and most repetitions of {m}, {m,} or {m,n}; nil if the brace is a character.
local function counts(p)
   local text = utf8.encode(p.list, p.at, p.at + 24)
   local m, comma, n, rest = text:match '^{(%d+)(,?)(%d*)()}'
   if not m or comma == '' and n ~= '' then return nil end
   p.at = p.at + rest
   m, n = tonumber(m), comma == '' and tonumber(m) or tonumber(n)
   if m > MOST_REPEATED or n and (n > MOST_REPEATED or n < m) then fail '{m,n} is out of range' end
   return m, n
end

local function repeated(p)
   local node = atom(p)
   while true do
      local least, most
      if accept(p, '*') then least, most = 0, nil
      elseif accept(p, '+') then least, most = 1, nil
      elseif accept(p, '?') then least, most = 0, 1
      else
         if ahead(p, '{') then least, most = counts(p) end
         if not least then return node end
      end
      accept(p, '?')                                          -- shortest first: the same strings match
      node = { kind = 'repeat', node, least = least, most = most }
   end
end

function alternatives(p)
   local alt, cat = { kind = 'alt' }, { kind = 'cat' }
   alt[1] = cat
   while peek(p) and not ahead(p, ')') do
      if accept(p, '|') then
         cat = { kind = 'cat' }
         alt[#alt + 1] = cat
      else
         cat[#cat + 1] = repeated(p)
      end
   end
   return #alt == 1 and cat or alt
end

-- ---- program -------------------------------------------------------------------------------------------------------

-- Instructions: { match = function(c) }, { what = assertion }, { to } for jumps, { to, to } for choices, { done = true }.
local function put(code, instruction)
   if #code >= MOST_CODE then fail 'it is too large' end
   code[#code + 1] = instruction
   return instruction
end

local emit

local function emit_repeat(code, node)
   for _ = 1, node.least do emit(code, node[1]) end
   if not node.most then
      local start = #code + 1
      local choice = put(code, { start + 1 })
      emit(code, node[1])
      put(code, { start })
      choice[2] = #code + 1
      return
   end
   local choices = {}
   for i = 1, node.most - node.least do
      choices[i] = put(code, { #code + 2 })
      emit(code, node[1])
   end
   for _, choice in ipairs(choices) do choice[2] = #code + 1 end
end

function emit(code, node)
   code.steps = (code.steps or 0) + 1                         -- empty groups emit no code, but take time
   if code.steps > MOST_CODE then fail 'it is too large' end
   if node.kind == 'set' then put(code, { match = node.match })
   elseif node.kind == 'assert' then put(code, { what = node.what })
   elseif node.kind == 'cat' then for _, part in ipairs(node) do emit(code, part) end
   elseif node.kind == 'repeat' then emit_repeat(code, node)
   else
      local jumps = {}
      for i, part in ipairs(node) do
         local choice = i < #node and put(code, { #code + 2 })
         emit(code, part)
         if choice then
            jumps[i] = put(code, {})
            choice[2] = #code + 1
         end
      end
      for _, jump in ipairs(jumps) do jump[1] = #code + 1 end
   end
end

-- ---- matching ------------------------------------------------------------------------------------------------------

local function is_word(c) return c ~= nil and holds(words, c) end

local function true_between(what, before, behind)
   if what == 'begin' then return before == nil
   elseif what == 'end' then return behind == nil
   elseif what == 'begin of line' then return before == nil or before == 10
   elseif what == 'end of line' then return behind == nil or behind == 10 end
   return (is_word(before) ~= is_word(behind)) == (what == 'word')
end

-- Adds the states that can be reached from `from` without a character.
local function follow(code, from, states, seen, before, behind)
   local stack, done = { from }, false
   while #stack > 0 do
      local at = table.remove(stack)
      if not seen[at] then
         seen[at] = true
         local i = code[at]
         if i.done then done = true
         elseif i.match then states[#states + 1] = at
         elseif i.what then
            if true_between(i.what, before, behind) then stack[#stack + 1] = at + 1 end
         else
            if i[2] then stack[#stack + 1] = i[2] end
            stack[#stack + 1] = i[1]
         end
      end
   end
   return done
end

--- A function(text) that says whether a pattern matches a whole string.
function M.compile(pattern)
   local p = { list = utf8.decode(pattern), at = 1, depth = 0, flags = {} }
   local tree = alternatives(p)
   if peek(p) then fail 'a parenthesis has no partner' end
   local code = {}
   emit(code, tree)
   put(code, { done = true })
   return function(text)
      local list = utf8.decode(text)
      local states = {}
      local done = follow(code, 1, states, {}, nil, list[1])
      for k = 1, #list do
         local new, seen, c = {}, {}, list[k]
         done = false
         for _, at in ipairs(states) do
            if code[at].match(c) and follow(code, at + 1, new, seen, c, list[k + 1]) then done = true end
         end
         states = new
         if #states == 0 and not done then return false end
      end
      return done
   end
end

return M
