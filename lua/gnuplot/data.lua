-- lua/gnuplot/data.lua - converts arguments of the plotting functions to curves, {title, clause, columns}, and these to text.
local torch = require 'torch'
local process = require 'gnuplot.process'

local data = {}

-- ---- errors -----------------------------------------------------------------------------------------

local HERE = debug.getinfo(1, 'S').source:match '^(.*[/\\])'

-- Functions of this package, and pcall.
local function is_ours(info)
   return info and (info.what == 'C' or info.source:match '^(.*[/\\])' == HERE)
end

--- Raises an error at the position outside of this package that made the call.
function data.refuse(format, ...)
   local level = 2
   while is_ours(debug.getinfo(level, 'S')) do level = level + 1 end
   error('gnuplot.' .. format:format(...), level)
end
local refuse = data.refuse

-- ---- clauses ----------------------------------------------------------------------------------------

local SHORT = {
   ['-'] = 'with lines', ['+'] = 'with points', ['.'] = 'with dots', ['+-'] = 'with linespoints', ['-+'] = 'with linespoints',
   ['|'] = 'with boxes', v = 'with vectors', ['~'] = 'smooth csplines',
}
local STYLES, SMOOTH = {}, {}
for word in ([[lines points linespoints dots boxes vectors impulses steps fsteps histeps financebars candlesticks
               filledcurves yerrorbars xerrorbars xyerrorbars yerrorlines xerrorlines xyerrorlines boxerrorbars circles
               labels image]]):gmatch '%S+' do
   STYLES[word] = true
end
for word in ('csplines acsplines mcsplines bezier sbezier unique frequency'):gmatch '%S+' do SMOOTH[word] = true end

--- Refuses options for gnuplot that contain a second command.
function data.clause(who, text)
   local bare = text:gsub('"[^"]*"', ''):gsub("'[^']*'", '')
   if text:find '[`%c]' or bare:find '[;@"\']' then
      refuse('%s: a format must be one clause of plot, without ; ` @ and ends of lines, got %s', who, text)
   end
   return text
end

-- The clause of a format, and the weight that `~0.5` gives to each point.
local function clause_of(who, format)
   if format == nil or format == '' then return '' end
   local weight = format:match '^~(.+)$'
   if weight then
      if not tonumber(weight) then refuse("%s: a format '~' takes a number behind it, got %s", who, format) end
      return 'smooth acsplines', tonumber(weight)
   end
   if SHORT[format] then return SHORT[format] end
   if STYLES[format] then return 'with ' .. format end
   if SMOOTH[format] then return 'smooth ' .. format end
   return data.clause(who, format)
end

-- ---- arguments --------------------------------------------------------------------------------------

-- Parses a list {[name,] tensor [, tensor...] [, format]}; tensors on a device or of any type become doubles.
local function parts_of(list)
   local parts, at = { tensors = {} }, 1
   if type(list[at]) == 'string' then parts.title, at = list[at], at + 1 end
   while torch.isTensor(list[at]) do
      table.insert(parts.tensors, list[at]:double())
      at = at + 1
   end
   if type(list[at]) == 'string' then parts.format, at = list[at], at + 1 end
   parts.whole = list[at] == nil and #list < at
   return parts
end

--- The lists among the arguments of a plotting function: its arguments themselves, one table for each curve, or
--- one table with such tables.
function data.lists(who, ...)
   local first = ...
   if first == nil then refuse('%s: no data: expecting at least a vector', who) end
   if type(first) ~= 'table' then return { { ... } } end
   local lists = type(first[1]) == 'table' and first or { ... }
   for i, list in ipairs(lists) do
      if type(list) ~= 'table' then refuse('%s: curve %d must be a table, got a %s', who, i, type(list)) end
   end
   return lists
end

local function dims(tensors)
   local text = {}
   for i, t in ipairs(tensors) do text[i] = table.concat(t:size():totable(), 'x') end
   return table.concat(text, ' and ')
end

-- Columns of the rows that gnuplot reads: one or two tensors beside each other, a lone vector behind its indices.
-- Columns of two matrices alternate: of vectors the first two are positions, the next two their lengths.
local function columns_of(who, tensors)
   local columns = {}
   for _, t in ipairs(tensors) do
      if t:dim() < 1 or t:dim() > 2 or t:size(1) ~= tensors[1]:size(1) then
         refuse('%s: the data must be vectors, or matrices of columns, of the same length, got %s', who, dims(tensors))
      end
      if t:dim() == 1 then columns[#columns + 1] = t end
   end
   local x, y = tensors[1], tensors[2]
   local turns = y and x:dim() == 2 and y:dim() == 2 and x:size(2) == y:size(2)
   for i, t in ipairs(tensors) do
      for k = 1, t:dim() == 2 and t:size(2) or 0 do
         table.insert(columns, turns and i == 2 and 2 * k or #columns + 1, t:select(2, k))
      end
   end
   if #columns == 1 then table.insert(columns, 1, torch.range(1, columns[1]:size(1)):double()) end
   return columns
end

--- A curve in the plane from {[name,] x [, y] [, format]}.
function data.curve(who, list, default)
   local parts = parts_of(list)
   if not parts.whole or #parts.tensors < 1 or #parts.tensors > 2 then
      refuse('%s: expecting [string,] tensor [,tensor] [,string]', who)
   end
   local curve = { title = parts.title or '', columns = columns_of(who, parts.tensors) }
   local clause, weight = clause_of(who, parts.format or default)
   curve.clause = clause
   if weight then curve.columns[#curve.columns + 1] = curve.columns[1]:clone():fill(weight) end
   return curve
end

--- A cloud of points in space from {[name,] x, y, z}.
function data.cloud(who, list)
   local parts = parts_of(list)
   local x, y, z = unpack(parts.tensors)
   if not parts.whole or #parts.tensors ~= 3 or parts.format then
      refuse('%s: expecting [string,] tensor, tensor, tensor', who)
   end
   if x:dim() ~= 1 or y:dim() ~= 1 or z:dim() ~= 1 then
      refuse('%s: x, y and z must be vectors, got %s', who, dims(parts.tensors))
   end
   if x:size(1) ~= y:size(1) or x:size(1) ~= z:size(1) then
      refuse('%s: x, y and z must be the same size, got %s', who, dims(parts.tensors))
   end
   return { title = parts.title or '', columns = parts.tensors }
end

--- A surface from {[name,] z} or {[name,] x, y, z}: `blocks` has the columns of each row of z.
function data.surface(who, list)
   local parts = parts_of(list)
   local n = #parts.tensors
   if not parts.whole or (n ~= 1 and n ~= 3) or parts.format then
      refuse('%s: expecting [string,] tensor [,tensor ,tensor]', who)
   end
   local z = parts.tensors[n]
   for _, t in ipairs(parts.tensors) do
      if t:dim() ~= 2 or t:size(1) ~= z:size(1) or t:size(2) ~= z:size(2) then
         refuse('%s: the data must be matrices of the same size, got %s', who, dims(parts.tensors))
      end
   end
   local surface = { title = parts.title or '', z = z, blocks = {} }
   if n == 3 then surface.x, surface.y = parts.tensors[1], parts.tensors[2] end
   local places = torch.range(1, z:size(2)):double()
   for i = 1, z:size(1) do
      surface.blocks[i] = n == 1 and { places:clone():fill(i), places, z[i] }
         or { surface.x[i], surface.y[i], z[i] }
   end
   return surface
end

-- ---- text -------------------------------------------------------------------------------------------

--- A number for gnuplot, which leaves NaN out.
local function number(v)
   return v == v and math.abs(v) < math.huge and ('%g'):format(v) or 'NaN'
end

local function rows(lines, columns)
   local values = {}
   for k, column in ipairs(columns) do values[k] = column:totable() end
   local cells = {}
   for i = 1, #values[1] do
      for k = 1, #values do cells[k] = number(values[k][i]) end
      lines[#lines + 1] = table.concat(cells, ' ')
   end
   return lines
end

--- The command plot, with the data of the curves behind it.
function data.plot_text(curves)
   local heads, lines = {}, { '' }
   for i, c in ipairs(curves) do
      heads[i] = (" '-' title %s %s "):format(process.title(c.title), c.clause)
      lines[#rows(lines, c.columns) + 1] = 'e'
   end
   lines[1] = 'plot ' .. table.concat(heads, ', ')
   return lines
end

--- The command splot for clouds and surfaces; `style` is 'points' or 'lines'.
function data.splot_text(things, style)
   local heads, lines = {}, { '' }
   for i, thing in ipairs(things) do
      heads[i] = (" '-'title %s with %s"):format(process.title(thing.title), style)
      for k, columns in ipairs(thing.blocks or { thing.columns }) do
         if k > 1 then lines[#lines + 1] = '' end
         rows(lines, columns)
      end
      lines[#lines + 1] = 'e'
   end
   lines[1] = 'splot ' .. table.concat(heads, ' , ')
   return lines
end

--- The command for a picture of the matrix `z`.
function data.image_text(z)
   local columns = {}
   for k = 1, z:size(2) do columns[k] = z:select(2, k) end
   local lines = rows({ "splot '-' matrix with image" }, columns)
   lines[#lines + 1] = 'e'
   return lines
end

return data
