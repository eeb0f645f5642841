-- doc/stubs/signature.lua - the calls of a name, read from an op's declaration or from the usage lines of a doc comment.
--
-- A call is { params, results, self }; a parameter { name, kind, optional, text }. A parameter named '...' takes the rest.
local arg = require 'torch.arg'
local doc = require 'torch.doc'
local op = require 'torch.op'
local guess = require 'doc.stubs.guess'
local hints = require 'doc.stubs.hints'

local M = {}

local MOST = 12                             -- overloads of one name

local RESERVED = {}
for word in ([[and break do else elseif end false for function goto if in local nil not or repeat return then true until while
   self]]):gmatch '%S+' do RESERVED[word] = true end

local function valid(name) return RESERVED[name] and name .. '_' or name end

-- ---- ops --------------------------------------------------------------------------------------------------------

local KINDS = {
   out = 'torch.Tensor', self = 'torch.Tensor', inout = 'torch.Tensor', tensor = 'torch.Tensor', number = 'number',
   int = 'number', dim = 'number', bool = 'boolean', string = 'string', list = 'table',
   sizes = 'torch.LongStorage|number[]', gen = 'torch.Generator',
}

local function results_of(form)
   local list = {}
   for _, word in ipairs { 'tensors', 'numbers' } do
      for _, a in ipairs(form.args) do
         local is_tensor = a.word == 'out' or a.word == 'self' or a.word == 'inout'
         if word == 'tensors' and is_tensor then list[#list + 1] = { kind = 'torch.Tensor', name = a.name }
         elseif word == 'numbers' and a.word == 'return' then list[#list + 1] = { kind = 'number', name = a.name } end
      end
   end
   return list
end

-- How many results a call gets as arguments.
local function results_given(pattern)
   local n = 0
   for i = 1, pattern.required do
      local word = pattern[i].word
      if word == 'out' or word == 'self' then n = n + 1 end
   end
   return n
end

-- The calls of an op, without those that differ in names only. Of a method the object, its first tensor, is left out.
local function calls_of_op(name, method)
   local calls, seen = {}, {}
   for _, pattern in ipairs(op.patterns(name, method)) do
      local call = { params = {}, results = results_of(pattern.form) }
      local from = 1
      if method and pattern[1] and KINDS[pattern[1].word] == 'torch.Tensor' then from = 2 end
      local key = {}
      for i = from, #pattern do
         local a = pattern[i]
         local p = { name = valid(a.name), kind = KINDS[a.word], optional = i > pattern.required }
         p.text = a.default and 'default ' .. a.default
         call.params[#call.params + 1] = p
         key[#key + 1] = p.kind .. (p.optional and '?' or '')
      end
      for _, r in ipairs(call.results) do key[#key + 1] = '>' .. r.kind end
      local text = table.concat(key, ' ')
      if not seen[text] and #calls < MOST then
         seen[text] = true
         call.order, call.given = #calls, results_given(pattern)
         calls[#calls + 1] = call
      end
   end
   table.sort(calls, function(a, b)                           -- calls that make their results first: the common ones
      if a.given ~= b.given then return a.given < b.given end
      return a.order < b.order
   end)
   return calls
end

-- ---- usage lines ------------------------------------------------------------------------------------------------

-- '[result,] x, sizes..., [type]' gives a list of { name, optional }.
local function words_of(text)
   local list, depth, word = {}, 0, {}
   local optional = false
   local function close()
      local name = table.concat(word):match '^%s*(.-)%s*$'
      if name ~= '' then list[#list + 1] = { name = name, optional = optional } end
      word, optional = {}, depth > 0
   end
   for c in text:gmatch '.' do
      if c == '[' then
         depth = depth + 1
         optional = true
      elseif c == ']' then
         close()
         depth = depth - 1
         optional = depth > 0
      elseif c == ',' then close()
      else word[#word + 1] = c end
   end
   close()
   return list
end

-- The parameters of a usage line; those that are no names get one.
local function params_of(usage)
   local text = usage:match '%((.*)%)%s*$'
   if not text then return nil end
   if usage:find(')(', 1, true) then return { { name = '...', optional = true } } end    -- f(options)(x)
   local params, used = {}, {}
   for i, word in ipairs(words_of(text)) do
      local name = word.name:match '^[%a_][%w_]*$'
      if word.name:find '%.%.%.$' then
         params[#params + 1] = { name = '...', optional = true }
         break
      end
      name = valid(name or 'argument' .. i)
      while used[name] do name = name .. '_' end
      used[name] = true
      params[#params + 1] = { name = name, optional = word.optional }
   end
   return params
end

local function function_of(key)
   local value = doc.value(key)
   if type(value) ~= 'function' then return nil end
   return arg.behind[value] or value
end

local sources = {}

-- The lines of a function in its file.
local function source_of(f)
   local info = f and debug.getinfo(f, 'S')
   local path = info and info.source:match '^@(.*)$'
   if not path then return '' end
   if not sources[path] then
      sources[path] = {}
      local file = io.open(path)
      if file then
         for line in file:lines() do table.insert(sources[path], line) end
         file:close()
      end
   end
   local lines = sources[path]
   return table.concat(lines, '\n', math.min(info.linedefined, #lines + 1), math.min(info.lastlinedefined, #lines))
end
M.source_of = source_of

-- A method that is a plain function names its object in the usage line.
local function drop_object(key, params, f)
   local first = params[1]
   if not (key:find ':' and first and f) then return params end
   local info = debug.getinfo(f, 'u')
   if debug.getlocal(f, 1) == first.name and info.nparams <= #params then return { unpack(params, 2) } end
   return params
end

-- Options that texts describe as `config.name` become a class of the table `config`.
local function split_texts(entry)
   local texts, fields = {}, {}
   for _, p in ipairs(entry.params) do
      local owner, rest = p.name:match '^([%a_][%w_]*)%.(.+)$'
      for name in (rest or p.name):gmatch '[^,]+' do
         if owner then
            fields[owner] = fields[owner] or {}
            if name:match '^[%a_][%w_]*$' then table.insert(fields[owner], { name = name, text = p.text }) end
         else texts[name] = p.text end
      end
   end
   return texts, fields
end

-- Where a result may be given in front, arguments move: none has a certain type.
local function loosen(params)
   for _, p in ipairs(params) do
      if p.name ~= '...' then p.kind, p.optional = 'any', true end
   end
end

local function describe(params, entry, source, fields)
   local texts = split_texts(entry)
   local optional = false
   for _, p in ipairs(params) do p.text = texts[p.name] end
   for _, p in ipairs(params) do
      if p.name ~= '...' then
         local kind, absent = guess.from_source(source, p.name)
         local by_name, always = guess.by_name(p.name)
         local several = guess.takes_several(source, p.name)
         if several then kind, by_name = nil, nil end
         if guess.is_options(p.name) then kind, always = p.text and not several and 'table' or nil, false
         else kind = p.text and guess.argument(p.text) or kind end
         p.kind = kind or by_name
         always = always and entry.key:match '^nn%.' ~= nil
         p.optional = p.optional or absent or guess.is_options(p.name) or p.text and guess.is_optional(p.text)
            or by_name and not always and not kind
         if fields[p.name] and #fields[p.name] > 0 then p.kind, p.optional = entry.key .. '.' .. p.name, true end
         p.kind = p.kind or 'any'
      end
      if optional and not p.optional and p.text then return loosen(params) end
      optional = optional or p.optional
      p.optional = p.optional or optional or nil
   end
   if params[1] and params[1].name == 'result' then loosen(params) end
end

-- `[result,] x`: a call without the optional parameters in front, and one with them.
local function spread(params)
   local last = 0
   for i, p in ipairs(params) do if not p.optional or p.name == '...' then last = i end end
   local without, front = {}, false
   for i, p in ipairs(params) do
      if p.optional and i < last and p.name ~= '...' then front = true else without[#without + 1] = p end
   end
   if not front then return { params } end
   local with = {}
   for i, p in ipairs(params) do
      with[i] = { name = p.name, kind = p.kind, text = p.text, optional = i > last and p.optional or nil }
   end
   return { without, with }
end

local function results_of_text(entry, key)
   local hint = hints[key]
   if hint then
      local list = {}
      for kind in hint:gmatch '[^,%s]+' do list[#list + 1] = { kind = kind } end
      return list
   end
   local first = entry.returns[1]
   local text = first and first.text or table.concat(entry.text, ' ')
   local kind = guess.result(text)
   if kind == 'self' and not key:find ':' then kind = nil end
   local list = { { kind = kind or 'any', text = first and first.text } }
   local source = source_of(function_of(key))
   local several = source == '' or source:find 'return [^\n]*,' or source:find 'return [%w_%.:]+%('     -- a call may give several
   if kind ~= 'self' and (not kind or first) and several then list[2] = { kind = 'any', name = '...' } end
   return list
end

-- The parameters of the function itself, where a comment names none: a caller may leave them out.
local function params_of_function(f)
   local info, params = debug.getinfo(f, 'u'), {}
   for i = 1, info.nparams do
      local name = debug.getlocal(f, i)
      if name:match '^_+$' then name = 'argument' .. i end
      if not (i == 1 and name == 'self') then params[#params + 1] = { name = valid(name), optional = true } end
   end
   if info.isvararg then params[#params + 1] = { name = '...', optional = true } end
   return params
end

local function add_usage(calls, entry, key, f, fields, usage)
   local params = params_of(usage)
   if not params then return end
   if #params == 0 and f then params = params_of_function(f) end
   params = drop_object(key, params, f)
   local bracketed = false
   for i, p in ipairs(params) do bracketed = bracketed or p.optional and params[i + 1] and not params[i + 1].optional end
   if bracketed then                        -- brackets in front say more than the guesses
      for _, p in ipairs(params) do p.kind = p.name ~= '...' and (p.name == 'generator' and 'torch.Generator' or 'any') or nil end
   else describe(params, entry, source_of(f), fields) end
   for _, list in ipairs(spread(params)) do calls[#calls + 1] = { params = list, results = results_of_text(entry, key) } end
end

--- Whether a method that an ancestor documents takes more arguments than the ancestor's.
function M.takes_more(key, entry)
   local f = function_of(key)
   local params = entry.usage[1] and params_of(entry.usage[1])
   if not f or not params then return false end
   local info = debug.getinfo(f, 'u')
   local last = params[#params]
   if last and last.name == '...' or #params == 0 then return false end
   return info.isvararg or info.nparams - 1 > #params
end

--- The calls of a name, and the classes of its tables of options.
-- @param key    a public name
-- @param entry  its entry
-- @return a list of calls, the most common first; name of a parameter -> list of { name, text }
function M.calls(key, entry)
   local scope, name = key:match '^(%a+)[%.:]([%w_]+)$'
   local calls = {}
   if entry.op or scope == 'Tensor' and op.forms(name) then
      calls = calls_of_op(name, scope == 'Tensor')
   end
   local _, fields = split_texts(entry)
   local f = function_of(key)
   if entry.class then f = rawget(entry.class, '__init') and (arg.behind[entry.class.__init] or entry.class.__init) end
   local of_op = #calls > 0 and op.usage(name, false) .. ' or ' .. op.usage(name, true)
   for _, usage in ipairs(entry.usage) do                     -- those of the declaration are there already
      if not of_op or not of_op:find(usage, 1, true) then add_usage(calls, entry, key, f, fields, usage) end
   end
   return calls, fields
end

return M
