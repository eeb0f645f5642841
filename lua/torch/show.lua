-- torch.show - writes any value for a reader: nested tables with their keys, in bounded size.
local ffi = require 'ffi'

local M = {}

local INDENT, MAXDEPTH, MAXITEMS, MAXLINES, MAXSTRING = '  ', 8, 200, 1000, 1000

-- Keys in reading order: 1..n, other numbers, strings by name, the rest as they come.
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

local function quoted(s)
   if #s > MAXSTRING then s = s:sub(1, MAXSTRING) .. ('... (%d bytes)'):format(#s) end
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

-- A tensor inside a table takes one line: what it is, not what it holds.
local function tensor_line(v)
   local name = type(v) == 'cdata' and typename(v)
   if not name or not name:match 'Tensor$' then return nil end
   local size = v:size():totable()
   return ('%s - %s'):format(name:match '[^.]+$', #size == 0 and 'a single number'
      or v:nElement() == 0 and 'empty' or 'size: ' .. table.concat(size, 'x'))
end

local function has_tostring(t)
   local mt = getmetatable(t)
   return type(mt) == 'table' and rawget(mt, '__tostring') ~= nil or typename(t) ~= nil
end

local function write(out, v, depth, path)
   local indent = INDENT:rep(depth)
   local function line(s)
      out.lines = out.lines + 1
      out[#out + 1] = s
   end
   if type(v) == 'string' then return line(quoted(v)) end
   local tensor = tensor_line(v)
   if tensor then return line(tensor) end
   if type(v) ~= 'table' or has_tostring(v) then return line((text_of(v):gsub('\n', '\n' .. indent))) end
   if path[v] then return line(('<cycle: the table %d levels up>'):format(depth - path[v])) end
   if next(v) == nil then return line '{}' end
   if depth >= MAXDEPTH then return line('{ ... }') end
   path[v] = depth
   line '{\n'
   local keys, width = sorted_keys(v), 0
   local last = math.min(#keys, MAXITEMS)
   local names = {}
   for i = 1, last do
      local k = keys[i]
      names[i] = type(k) == 'string' and (k:match '^[%a_][%w_]*$' or quoted(k)) or text_of(k):gsub('\n.*', ' ...')
      width = math.max(width, math.min(#names[i], 30))
   end
   for i = 1, last do
      if out.lines > MAXLINES then
         last = i - 1
         break
      end
      out[#out + 1] = ('%s%s%s%s : '):format(indent, INDENT, names[i], (' '):rep(width - #names[i]))
      write(out, v[keys[i]], depth + 1, path)
      out[#out + 1] = '\n'
   end
   if last < #keys then out[#out + 1] = ('%s%s... %d more\n'):format(indent, INDENT, #keys - last) end
   out[#out + 1] = indent .. '}'
   path[v] = nil
end

--- The text of a value: tables with their keys, everything else as tostring has it.
function M.text(v)
   if type(v) ~= 'table' or has_tostring(v) then return text_of(v) end
   local out = { lines = 0 }
   write(out, v, 0, {})
   return table.concat(out)
end

--- print, but tables show what they hold.
function M.print(...)
   local n = select('#', ...)
   for i = 1, n do
      if i > 1 then io.stdout:write '\t' end
      io.stdout:write(M.text((select(i, ...))))
   end
   io.stdout:write '\n'
end

--- Is this stream a terminal that wants colours?
function M.colours(descriptor)
   pcall(ffi.cdef, 'int isatty(int);')
   return (os.getenv 'NO_COLOR' or '') == '' and os.getenv 'TERM' ~= 'dumb' and ffi.C.isatty(descriptor) == 1
end

return M
