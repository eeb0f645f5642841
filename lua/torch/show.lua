-- torch.show - writes any value for a reader: nested tables with their keys, in Torch7's form. The prompt, trepl, and the print
-- of programs that th runs use it.
local ffi = require 'ffi'

local M = {}

--- The depth of nested tables whose contents are shown: trepl's setprintlevel.
M.level = 5

local INDENT = '  '
--- Limits for values that are shown without print: the results at the prompt.
M.bounded = { items = 200, lines = 1000, text = 1000 }
local unbounded = { items = math.huge, lines = math.huge, text = math.huge }

-- Keys in reading order: 1..n, other numbers, strings by name, the rest in the order of `next`.
local rank = { number = 1, string = 2, boolean = 3 }
local function before(a, b)
   local ra, rb = rank[type(a)] or 4, rank[type(b)] or 4
   if ra ~= rb then return ra < rb end
   if ra <= 2 then return a < b end
   return tostring(a) < tostring(b)
end

local function sorted_keys(t)
   local keys = {}
   for k in next, t do keys[#keys + 1] = k end
   table.sort(keys, before)
   return keys
end

local function quoted(s, most)
   if #s > most then s = s:sub(1, most) .. ('... (%d bytes)'):format(#s) end
   return (('%q'):format(s):gsub('\\\n', '\\n'):gsub('\r', '\\r'):gsub('%z', '\\0'))
end

-- tostring that survives a __tostring with an error in it.
local function text_of(v)
   local ok, s = pcall(tostring, v)
   if ok and type(s) == 'string' then return s end
   return ('<%s whose __tostring fails: %s>'):format(type(v), tostring(s))
end

local function typename(v)
   local torch = package.loaded.torch
   return type(torch) == 'table' and rawget(torch, 'typename') and torch.typename(v) or nil
end

-- A tensor or a storage inside a table takes one line: its type and size, without contents.
local function summary(v)
   local name = type(v) == 'cdata' and typename(v)
   local kind = name and name:match '[^.]+$'
   if not kind then return nil end
   if kind:match 'Storage$' then return ('%s - %s'):format(kind, #v == 0 and 'empty' or 'size: ' .. #v) end
   if not kind:match 'Tensor$' then return nil end
   local size = v:size():totable()
   return ('%s - %s'):format(kind, v:nElement() == 0 and 'empty' or #size == 0 and 'a single number'
      or 'size: ' .. table.concat(size, 'x'))
end

local function has_tostring(t)
   local mt = getmetatable(t)
   return type(mt) == 'table' and rawget(mt, '__tostring') ~= nil or typename(t) ~= nil
end

local function key_text(k, limits)
   if type(k) ~= 'string' then return (text_of(k):gsub('\n.*', ' ...')) end
   return k:match '^[%a_][%w_]*$' or quoted(k, limits.text)
end

-- The text after `key : `. Only a table that is neither empty, an object nor too deep has its contents on further lines.
local function value_text(v, depth, path, limits)
   if type(v) == 'string' then return quoted(v, limits.text) end
   local short = summary(v)
   if short then return short end
   if type(v) ~= 'table' or has_tostring(v) then
      return (text_of(v):gsub('\n', '\n' .. INDENT:rep(2 * depth + 1)))
   end
   if path[v] then return ('<cycle: the table %d levels up>'):format(depth + 1 - path[v]) end
   if next(v) == nil or depth + 1 >= M.level then return '{...}' end
   return nil
end

-- The lines of a table that is not empty. `path` holds the enclosing tables, with their depths.
local function write(out, t, depth, path, limits)
   local indent = INDENT:rep(2 * depth)
   local keys = sorted_keys(t)
   local shown = 0
   path[t] = depth
   out[#out + 1] = indent .. '{\n'
   for i = 1, math.min(#keys, limits.items) do
      if #out > limits.lines then break end
      local v = t[keys[i]]
      local short = value_text(v, depth, path, limits)
      out[#out + 1] = ('%s%s%s : %s\n'):format(indent, INDENT, key_text(keys[i], limits), short or '')
      if not short then write(out, v, depth + 1, path, limits) end
      shown = i
   end
   if shown < #keys then out[#out + 1] = ('%s%s... %d more\n'):format(indent, INDENT, #keys - shown) end
   out[#out + 1] = indent .. (depth == 0 and '}' or '}\n')
   path[t] = nil
end

--- The keys of a table in reading order; a key as the prompt writes it; whether a table has a text of its class.
M.sorted_keys, M.has_tostring = sorted_keys, has_tostring
function M.key_text(k) return key_text(k, M.bounded) end

--- The text of a value: tables with their keys, everything else as tostring has it.
-- @param limits  how much is shown at most, as M.bounded; without it, everything
function M.text(v, limits)
   if type(v) ~= 'table' or has_tostring(v) then return text_of(v) end
   if next(v) == nil then return '{}' end
   local out = {}
   write(out, v, 0, {}, limits or unbounded)
   return table.concat(out)
end

--- One line about a value: the kind of a table or a text, without all of its contents.
function M.brief(v)
   local kind = type(v)
   if kind == 'string' then
      return ('string : "%s"'):format((#v > 40 and v:sub(1, 40) .. '...' or v):gsub('\n', '\\n'))
   end
   if kind == 'table' and not typename(v) then return ('table - size: %d'):format(#v) end
   return summary(v) or typename(v) or text_of(v)
end

--- The text that print writes: tables and objects end with a line, other values with a tab, the last one with `last`.
function M.printed(last, ...)
   local n, out = select('#', ...), {}
   for i = 1, n do
      local v = select(i, ...)
      local kind = type(v)
      out[#out + 1] = M.text(v)
      if kind == 'table' or kind == 'cdata' or kind == 'userdata' then out[#out + 1] = '\n'
      else out[#out + 1] = i < n and '\t' or last end
   end
   return table.concat(out)
end

--- print of programs that th runs: tables show their contents.
function M.print(...)
   io.stdout:write(select('#', ...) == 0 and '\n' or M.printed('\n', ...))
end

--- Whether this stream is a terminal that wants colours.
function M.colours(descriptor)
   pcall(ffi.cdef, 'int isatty(int);')
   return (os.getenv 'NO_COLOR' or '') == '' and os.getenv 'TERM' ~= 'dumb' and ffi.C.isatty(descriptor) == 1
end

return M
