-- text.set - sets of code points: sorted lists of ranges { from, to, from, to ... }, and the classes of patterns.
local ffi = require 'ffi'
local C = require 'text.lib'.C

local set = {}

local MOST = 0x10FFFF

--- The ranges of a list in any order, sorted and joined.
function set.of(list)
   local order = {}
   for i = 1, #list, 2 do order[#order + 1] = { list[i], list[i + 1] } end
   table.sort(order, function(a, b) return a[1] < b[1] end)
   local r = {}
   for _, x in ipairs(order) do
      if #r > 0 and x[1] <= r[#r] + 1 then r[#r] = math.max(r[#r], x[2])
      else
         r[#r + 1] = x[1]
         r[#r + 1] = x[2]
      end
   end
   return r
end

-- All elements of two sets.
local function joined(a, b)
   local r, n, i, k = {}, 0, 1, 1
   while a[i] or b[k] do
      local from, to
      if not b[k] or a[i] and a[i] <= b[k] then from, to, i = a[i], a[i + 1], i + 2
      else from, to, k = b[k], b[k + 1], k + 2 end
      if n > 0 and from <= r[n] + 1 then
         if to > r[n] then r[n] = to end
      else
         r[n + 1], r[n + 2] = from, to
         n = n + 2
      end
   end
   return r
end

--- All elements of several sets.
function set.union(...)
   local r = {}
   for _, s in ipairs { ... } do r = joined(r, s) end
   return r
end

--- All code points that a set lacks.
function set.complement(s)
   local r, next_free = {}, 0
   for i = 1, #s, 2 do
      if s[i] > next_free then
         r[#r + 1] = next_free
         r[#r + 1] = s[i] - 1
      end
      next_free = s[i + 1] + 1
   end
   if next_free <= MOST then
      r[#r + 1] = next_free
      r[#r + 1] = MOST
   end
   return r
end

function set.intersection(a, b) return set.complement(set.union(set.complement(a), set.complement(b))) end

--- The only element of a set, or nil.
function set.single(s) return #s == 2 and s[1] == s[2] and s[1] or nil end

-- ---- properties ----------------------------------------------------------------------------------------------------

local categories                             -- 'Lu' -> ranges

local function read_categories()
   categories = {}
   local first, name, last = ffi.new 'uint32_t[1]', ffi.new 'char[2]', nil
   local n = tonumber(C.th_unicode_run(0, first, name))
   for i = 0, n do
      if i < n then C.th_unicode_run(i, first, name) else first[0] = MOST + 1 end
      if last then
         last[#last + 1] = tonumber(first[0]) - 1
      end
      if i == n then break end
      local key = ffi.string(name, 2)
      categories[key] = categories[key] or {}
      last = categories[key]
      last[#last + 1] = tonumber(first[0])
   end
end

-- Scripts that patterns of tokenizers name, by the blocks and characters that belong to them.
local scripts = {
   Han = { 0x2E80, 0x2E99, 0x2E9B, 0x2EF3, 0x2F00, 0x2FD5, 0x3005, 0x3005, 0x3007, 0x3007, 0x3021, 0x3029, 0x3038, 0x303B,
      0x3400, 0x4DBF, 0x4E00, 0x9FFF, 0xF900, 0xFA6D, 0xFA70, 0xFAD9, 0x16FE2, 0x16FE3, 0x16FF0, 0x16FF1, 0x20000, 0x2A6DF,
      0x2A700, 0x2EE5D, 0x2F800, 0x2FA1D, 0x30000, 0x3347F },
   Hiragana = { 0x3041, 0x3096, 0x309D, 0x309F, 0x1B001, 0x1B11F, 0x1B132, 0x1B132, 0x1B150, 0x1B152, 0x1F200, 0x1F200 },
   Katakana = { 0x30A1, 0x30FA, 0x30FD, 0x30FF, 0x31F0, 0x31FF, 0x32D0, 0x32FE, 0x3300, 0x3357, 0xFF66, 0xFF6F, 0xFF71, 0xFF9D,
      0x1AFF0, 0x1AFF3, 0x1AFF5, 0x1AFFB, 0x1AFFD, 0x1AFFE, 0x1B000, 0x1B000, 0x1B120, 0x1B122, 0x1B155, 0x1B155,
      0x1B164, 0x1B167 },
   Hangul = { 0x1100, 0x11FF, 0x302E, 0x302F, 0x3131, 0x318E, 0x3200, 0x321E, 0x3260, 0x327E, 0xA960, 0xA97C, 0xAC00, 0xD7A3,
      0xD7B0, 0xD7C6, 0xD7CB, 0xD7FB, 0xFFA0, 0xFFBE, 0xFFC2, 0xFFC7, 0xFFCA, 0xFFCF, 0xFFD2, 0xFFD7, 0xFFDA, 0xFFDC },
   Thai = { 0x0E01, 0x0E3A, 0x0E40, 0x0E5B },
}

local long_names = { Letter = 'L', Mark = 'M', Number = 'N', Punctuation = 'P', Symbol = 'S', Separator = 'Z', Other = 'C',
   Lowercase_Letter = 'Ll', Uppercase_Letter = 'Lu', Titlecase_Letter = 'Lt', Modifier_Letter = 'Lm', Other_Letter = 'Lo',
   Nonspacing_Mark = 'Mn', Decimal_Number = 'Nd', Letter_Number = 'Nl', Other_Number = 'No' }

local known = {}

--- The set of a category ('L', 'Lu', 'Letter') or of a script ('Han'); nil: there is none.
function set.property(name)
   name = name:match '^Script=(.*)' or name:match '^sc=(.*)' or name
   name = long_names[name] or name
   if known[name] then return known[name] end
   if not categories then read_categories() end
   local s = categories[name] or scripts[name]
   if not s and #name == 1 then
      local all = {}
      for key, ranges in pairs(categories) do if key:sub(1, 1) == name then all[#all + 1] = ranges end end
      s = #all > 0 and set.union(unpack(all)) or nil
   end
   if name == 'Any' then s = { 0, MOST } end
   known[name] = s
   return s
end

set.space = { 9, 13, 32, 32, 0x85, 0x85, 0xA0, 0xA0, 0x1680, 0x1680, 0x2000, 0x200A, 0x2028, 0x2029, 0x202F, 0x202F, 0x205F,
   0x205F, 0x3000, 0x3000 }

local word

--- Letters, marks, numbers that are digits or letters, connectors, circled letters: \w.
function set.word()
   word = word or set.union(set.property 'L', set.property 'M', set.property 'Nd', set.property 'Nl', set.property 'Pc',
      { 0x24B6, 0x24E9, 0x1F130, 0x1F149, 0x1F150, 0x1F169, 0x1F170, 0x1F189 })
   return word
end

-- ---- case ----------------------------------------------------------------------------------------------------------

local others                                 -- lower case -> its other cases
local MOST_FOLDED = 2000

local function read_cases()
   others = {}
   for c = 0, 0x1FFFF do
      local low = C.th_unicode_lower(c)
      if low ~= c then
         others[low] = others[low] or {}
         table.insert(others[low], c)
      end
   end
   others[0x73] = { 0x53, 0x17F }            -- the long s, which is its own lower case
end

--- A set with the other cases of its elements.
function set.without_case(s)
   if not others then read_cases() end
   local all, n = {}, 0
   for i = 1, #s do all[i] = s[i] end
   local function add(c) all[#all + 1], all[#all + 2] = c, c end
   for i = 1, #s, 2 do
      n = n + s[i + 1] - s[i] + 1
      if n > MOST_FOLDED then return s end
      for c = s[i], s[i + 1] do
         local low = c == 0x17F and 0x73 or C.th_unicode_lower(c)
         add(low)
         for _, other in ipairs(others[low] or {}) do add(other) end
      end
   end
   return set.of(all)
end

return set
