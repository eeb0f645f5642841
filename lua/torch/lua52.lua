-- torch.lua52 - the extensions of Lua 5.2 that LuaJIT has only if it was built with them, for the
-- programs that th runs. Torch7 came with such a LuaJIT, and its programs use them.
--
-- `#t` asks __len of a table, a call may begin on a new line, `break` may stand anywhere in a
-- block, and a semicolon is a statement: these need another text. The functions below that compile
-- text put `(('').th_length('t',t))` in place of `#t`, which works in any environment (setfenv) and
-- in dumped functions, and is no tail call. Lines keep their numbers.
local original = require 'torch.original'
local fuse = require 'torch.fuse'
local type, getmetatable = original.type, original.getmetatable
local find, byte, sub = string.find, string.byte, string.sub

local M = {}

-- ---- the length of a value ----------------------------------------------------------------------

-- What an error calls the operand, as LuaJIT does: local 'x'. `name` is x, or .x for a field.
local function called(name)
   if not name then return '' end
   if sub(name, 1, 1) == '.' then return (" field '%s'"):format(sub(name, 2)) end
   local i, kind = 1, 'global'
   local f = debug.getinfo(3, 'f').func
   while debug.getupvalue(f, i) do
      if debug.getupvalue(f, i) == name then kind = 'upvalue' end
      i = i + 1
   end
   i = 1
   while debug.getlocal(3, i) do
      if debug.getlocal(3, i) == name then kind = 'local' end
      i = i + 1
   end
   return (" %s '%s'"):format(kind, name)
end

local has_length = { string = true, cdata = true, userdata = true }

-- #x. The name of x is for errors.
local function length(name, x)
   local kind = type(x)
   if kind == 'table' then
      local mt = getmetatable(x)
      local f = mt ~= nil and type(mt) == 'table' and rawget(mt, '__len')
      if f then return (f(x)) end
      return #x
   end
   if has_length[kind] then return #x end
   error(('attempt to get length of%s%s'):format(called(name),
      (name and ' (a %s value)' or ' a %s value'):format(kind)), 2)
end

--- Lets functions run that were compiled from such a text, also in a LuaJIT without th.
function M.know_length() string.th_length = length end

-- ---- the tokens of a text -----------------------------------------------------------------------

local KEYWORDS = {}
for word in ([[and break do else elseif end false for function if in local nil not or repeat return
   then true until while]]):gmatch '%a+' do KEYWORDS[word] = true end

-- The last byte of the string, comment or number that begins at `at`, and its kind; nil: none does.
local function literal(text, at)
   local c = sub(text, at, at)
   if c == '"' or c == "'" then
      local i = at + 1
      while true do
         i = find(text, '[\\' .. c .. ']', i)
         if not i then return nil end
         if byte(text, i) ~= 92 then return i, 'string' end
         i = i + 2
      end
   end
   local open, level, _, last
   if c == '-' and byte(text, at + 1) == 45 then
      _, open, level = find(text, '^%[(=*)%[', at + 2)
      if not open then return (find(text, '\n', at, true) or #text + 1) - 1, 'comment' end
   elseif c == '[' then
      _, open, level = find(text, '^%[(=*)%[', at)
   elseif find(text, '^%.?%d', at) then
      _, last = find(text, '^[%w_.]+', at)
      while find(text, '^[eEpP][+-]', last) do _, last = find(text, '^[+-][%w_.]*', last + 1) end
      return last, 'number'
   end
   if not open then return nil end
   local _, close = find(text, ']' .. level .. ']', open + 1, true)
   return close, c == '[' and 'string' or 'comment'
end

-- The tokens, without a first line that begins with #: their kinds ('name', 'string', 'number', or
-- the token itself), their texts, and what precedes each and the end of the text. Wrong texts have
-- some tokens, too.
local function tokens(text)
   local kind, word, before, n, from = {}, {}, {}, 0, 1
   local at = find(text, '^#') and (find(text, '\n', 1, true) or #text) or 1
   while true do
      at = find(text, '%S', at)
      if not at then
         before[n + 1] = sub(text, from)
         return kind, word, before
      end
      local stop, what = literal(text, at)
      local _
      if not stop then
         _, stop = find(text, '^[%a_\128-\255][%w_\128-\255]*', at)
         what = stop and not KEYWORDS[sub(text, at, stop)] and 'name'
         if not stop then _, stop = find(text, '^%.%.%.?', at) end
         stop = stop or at
      end
      if what ~= 'comment' then
         n = n + 1
         word[n], before[n] = sub(text, at, stop), sub(text, from, at - 1)
         kind[n] = what or word[n]
         from = stop + 1
      end
      at = stop + 1
   end
end

-- ---- other texts --------------------------------------------------------------------------------

-- For each bracket that opens the number of the token that closes it. nil: they do not match.
local function brackets(kind)
   local closing, open = {}, {}
   local pair = { [')'] = '(', [']'] = '[', ['}'] = '{' }
   for i, k in ipairs(kind) do
      if k == '(' or k == '[' or k == '{' then
         open[#open + 1] = i
      elseif pair[k] then
         local other = table.remove(open)
         if not other or kind[other] ~= pair[k] then return nil end
         closing[other] = i
      end
   end
   return #open == 0 and closing or nil
end

-- Tokens that end an expression, so that a parenthesis behind them would begin a call.
local CALLED = {
   name = true, string = true, ['...'] = true, [')'] = true, [']'] = true, ['}'] = true,
}
-- Tokens that continue an expression that ends with a parenthesis.
local CONTINUES = { string = true, ['('] = true, ['['] = true, ['{'] = true, ['^'] = true }

-- The last token of the variable or call whose length is asked by token i, and the number of its
-- name if it ends with one. nil: another expression, whose length LuaJIT knows, or wrong syntax.
local function operand(kind, closing, i)
   if CALLED[kind[i - 1]] then return nil end
   i = i + 1
   local name = kind[i] == 'name' and i or nil
   if kind[i] == '(' then
      i = closing[i]
   elseif kind[i] ~= 'name' and kind[i] ~= '...' then
      return nil
   end
   while kind[i] ~= '...' do
      local k = kind[i + 1]
      if (k == '.' or k == ':') and kind[i + 2] == 'name' then
         i = i + 2
         name = k == '.' and i or nil
      elseif k == '(' or k == '[' or k == '{' then
         i, name = closing[i + 1], nil
      elseif k == 'string' then
         i, name = i + 1, nil
      else
         break
      end
   end
   if CONTINUES[kind[i + 1]] then return nil end               -- ^, too: #x^2 is #(x^2)
   return i, name
end

local function joined(word, before)
   local out = {}
   for i = 1, #word do out[2 * i - 1], out[2 * i] = before[i], word[i] end
   out[#out + 1] = before[#word + 1]
   return table.concat(out)
end

-- The text with a call of `length` in place of each # before a variable or a call.
local function with_lengths(text)
   local kind, word, before = tokens(text)
   local closing = brackets(kind)
   if not closing then return text end
   for i, k in ipairs(kind) do
      local stop, name = nil, nil
      if k == '#' then stop, name = operand(kind, closing, i) end
      if stop then
         local dot = name and kind[name - 1] == '.' and '.' or ''
         local quoted = name and ("'%s%s'"):format(dot, word[name]) or 'nil'
         word[i] = ("(('').th_length(%s,"):format(quoted)
         word[stop] = word[stop] .. '))'
      end
   end
   return joined(word, before)
end

-- Tokens behind which a semicolon is an empty statement. A text begins as a block does.
local OPENS = { ['do'] = true, ['then'] = true, ['else'] = true, ['repeat'] = true, [';'] = true }

-- The text without what only Lua 5.2 takes: each parenthesis that begins a line stands at the end
-- of the token before it, `break` need not end a block, and a semicolon alone is a statement.
local function with_old_syntax(text)
   local kind, word, before = tokens(text)
   for i, k in ipairs(kind) do
      if k == '(' and i > 1 and find(before[i], '\n', 1, true) then
         word[i - 1], word[i] = word[i - 1] .. '(', ''
      elseif k == 'break' then
         word[i] = 'do break end'
      elseif k == ';' and OPENS[kind[i - 1] or 'do'] then
         word[i] = ' do end '
      end
   end
   return joined(word, before)
end

-- ---- functions that compile text ----------------------------------------------------------------

local AMBIGUOUS = 'ambiguous syntax (function call x new statement)'

local function load_with_lengths(text, name, mode, env)
   return find(text, '#', 1, true) and original.load(with_lengths(text), name, mode, env)
end

-- load of Lua. Messages are those for the text itself, unless that is ambiguous.
local function compile(text, name, mode, env)
   if byte(text) == 27 then return original.load(text, name, mode, env) end
   local f = load_with_lengths(text, name, mode, env)
   if f then return f end
   local g, why = original.load(text, name, mode, env)
   if g then return g end
   local old = with_old_syntax(text)
   if old ~= text then
      f = load_with_lengths(old, name, mode, env)
      if f then return f end
      local other
      g, other = original.load(old, name, mode, env)
      if g then return g end
      if find(why, AMBIGUOUS, 1, true) then why = other end
   end
   return nil, why
end

-- What a reader function gives, piece by piece; nil and a message.
local function all_of(reader)
   local pieces = {}
   while true do
      local ok, piece = pcall(reader)
      if not ok then return nil, piece end
      if piece == nil or piece == '' then return table.concat(pieces) end
      if type(piece) ~= 'string' then return nil, 'reader function must return a string' end
      pieces[#pieces + 1] = piece
   end
end

local functions = {}

function functions.load(text, name, mode, env)
   if type(text) == 'function' then
      local why
      text, why = all_of(text)
      if not text then return nil, why end
      name = name or '=(load)'
   elseif type(text) ~= 'string' then
      return original.load(text, name, mode, env)
   end
   return compile(text, name or text, mode, env)
end

function functions.loadstring(text, name)
   if type(text) ~= 'string' then return original.loadstring(text, name) end
   return compile(text, name or text)
end

function functions.loadfile(path, mode, env)
   if path ~= nil and type(path) ~= 'string' then return original.loadfile(path, mode, env) end
   local f = path == nil and io.stdin or io.open(path, 'rb')
   local text = f and f:read '*a'
   if f and path ~= nil then f:close() end
   if not text then return original.loadfile(path, mode, env) end    -- for its message
   return compile(text, path == nil and '=stdin' or '@' .. path, mode, env)
end

-- ---- pairs and ipairs ---------------------------------------------------------------------------

-- Replaces `next` where LuaJIT compiles that wrongly: loops that call this one run in the
-- interpreter.
local lua_next = original.next
local function step(t, k) return lua_next(t, k) end
jit.off(step)

-- pairs or ipairs that calls the metamethod `event`, as in a LuaJIT built with the extensions.
local function asking(iterate, event)
   local stepping = event == '__pairs' and fuse.wrong_loops
   return function(t)
      local mt = type(t) == 'table' and getmetatable(t)
      local f = type(mt) == 'table' and rawget(mt, event)
      if f then
         local own, state, first = f(t)
         return own, state, first
      end
      if stepping and type(t) == 'table' then return step, t, nil end
      return iterate(t)                     -- a tail call: errors blame the caller
   end
end

local function honours(iterate, event)
   local asked = false
   iterate(setmetatable({}, { [event] = function(t)
      asked = true
      return next, t
   end }))
   return asked
end

-- ---- all of it ----------------------------------------------------------------------------------

--- Adds what this LuaJIT lacks to the globals.
function M.add()
   local lua = {
      table = { pack = function(...) return { n = select('#', ...), ... } end, unpack = unpack },
      package = { searchers = package.loaders },
      _G = { rawlen = function(x)
         if type(x) == 'string' then return #x end
         if type(x) ~= 'table' then
            error('rawlen: expected a table or a string, got ' .. type(x), 2)
         end
         return #x                          -- this LuaJIT asks no __len of a table
      end },
   }
   for library, values in pairs(lua) do
      for name, f in pairs(values) do
         if rawget(_G[library], name) == nil then rawset(_G[library], name, f) end
      end
   end
   for _, name in ipairs { 'pairs', 'ipairs' } do
      if not honours(original[name], '__' .. name) then
         rawset(_G, name, asking(original[name], '__' .. name))
      end
   end
   if fuse.wrong_loops then rawset(_G, 'next', step) end
   if #setmetatable({}, { __len = function() return 1 end }) == 0 then
      M.know_length()
      for name, f in pairs(functions) do rawset(_G, name, f) end
   end
end

return M
