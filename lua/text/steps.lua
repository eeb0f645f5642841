-- text.steps - the steps of a text before its model: functions of a th_text, made once for each tokenizer.
local lib = require 'text.lib'
local pattern = require 'text.pattern'
local C, check = lib.C, lib.check

local steps = {}

--- A pattern given as a regular expression, or as a pattern.
local function compiled(p) return type(p) == 'string' and pattern.new(p) or p end

--- Bytes that are no characters become U+FFFD.
function steps.repair() return function(t) check(C.th_text_repair(t)) end end

--- A normal form: 'NFC', 'NFD', 'NFKC' or 'NFKD'.
function steps.form(name)
   local form = C['TH_TEXT_' .. name]
   return function(t) check(C.th_text_normalize(t, form)) end
end

function steps.lower() return function(t) check(C.th_text_lower(t)) end end

--- Matches become a text.
function steps.replace(p, text)
   p = compiled(p)
   return function(t) check(C.th_text_replace(t, p, text, #text, 0, '', 0)) end
end

--- Matches get a text before and one behind them.
function steps.surround(p, before, after)
   p = compiled(p)
   return function(t) check(C.th_text_replace(t, p, before, #before, 1, after, #after)) end
end

local whens = { always = 0, unless_same = 1, first = 2, first_unless_same = 3 }

--- A text before each piece; `when` is a name of `whens`.
function steps.prepend(text, when)
   local number = whens[when]
   return function(t) check(C.th_text_prepend(t, text, #text, number)) end
end

--- The map of characters of SentencePiece. It is tried once, so that a damaged head is an error of loading.
function steps.charsmap(map)
   local function step(t) check(C.th_text_charsmap(t, map, #map)) end
   step(lib.text())
   return step
end

local behaviours = { Removed = 0, Isolated = 1, MergedWithPrevious = 2, MergedWithNext = 3, Contiguous = 4 }

--- Splits at matches. `behaviour` has the names of HuggingFace's tokenizers; nil: there is no such one.
function steps.split(p, behaviour, invert)
   p = compiled(p)
   local number = behaviours[behaviour]
   if not number then error(("there is no behaviour '%s'"):format(tostring(behaviour)), 0) end
   return function(t) check(C.th_text_split(t, p, number, invert and 1 or 0)) end
end

-- ---- whole families ------------------------------------------------------------------------------------------------

local CHINESE = [=[[\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{20000}-\x{2A6DF}\x{2A700}-\x{2B73F}\x{2B740}-\x{2B81F}]=] ..
   [=[\x{2B920}-\x{2CEAF}\x{F900}-\x{FAFF}\x{2F800}-\x{2FA1F}]]=]
steps.PUNCTUATION = [=[[\p{P}!-/:-@\[-`{-~]]=]
steps.GPT2 = [['s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+]]

local function add(list, ...) for _, step in ipairs { ... } do list[#list + 1] = step end end

--- BERT: control characters vanish, spaces become plain, Chinese characters stand alone, accents and capitals vanish.
-- @param o  the fields clean, chinese, accents (true: remove), lower
function steps.bert(o)
   local list = {}
   if o.clean then
      add(list, steps.replace([=[[\x{0}\x{FFFD}\p{C}&&[^\t\n\r]]]=], ''), steps.replace([=[[\s&&[^ ]]]=], ' '))
   end
   if o.chinese then add(list, steps.surround(CHINESE, ' ', ' ')) end
   if o.accents then add(list, steps.form 'NFD', steps.replace([[\p{Mn}]], '')) end
   if o.lower then add(list, steps.lower()) end
   return list
end

function steps.bert_split()
   return { steps.split([[\s]], 'Removed'), steps.split(steps.PUNCTUATION, 'Isolated') }
end

--- SentencePiece: a map of characters, single spaces, a space before the text, and a visible character for spaces.
-- @param o  the fields map (or nil), squeeze, prefix ('always', 'first' or nil), escape
function steps.sentencepiece(o)
   local list = { steps.repair() }
   if o.map and #o.map > 0 then add(list, steps.charsmap(o.map)) end
   if o.squeeze then
      add(list, steps.replace([[\A +]], ''), steps.replace([[ +\z]], ''), steps.replace([[ {2,}]], ' '))
   end
   if o.prefix then add(list, steps.prepend(' ', o.prefix)) end
   if o.escape then add(list, steps.replace(' ', '▁')) end
   return list
end

return steps
