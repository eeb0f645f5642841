-- lua/optim/Logger.lua - numbers of a training run, in a file of columns and as a picture.
local torch = require 'torch'
local arg = require 'torch.arg'
local paths = require 'paths'
require 'xlua'                          -- scripts use xlua and sys after require 'optim'

--- Writes rows of numbers and texts to a file as they come, and plots the numbers with gnuplot
-- where that is installed. Folders of the file that are missing are made. The field `symbols` holds
-- the columns, by name or by number as add got them.
-- @param filename   nil: the rows go to standard output
-- @param timestamp  true: the date is added to the name
-- name = os.tmpname(); l = optim.Logger(name); l:setNames{'loss'}; l:add{0.5}; io.open(name):read '*l':match '%S+' --> loss
local Logger = torch.class('optim.Logger')

local function open(filename)
   paths.mkdir(paths.dirname(filename))             -- where that fails, the file cannot be opened either
   local file, why = io.open(filename, 'w')
   if not file then error('optim.Logger: cannot write ' .. tostring(why), 4) end
   return file
end

function Logger:__init(filename, timestamp)
   if filename then
      if type(filename) ~= 'string' then arg.refuse('optim.Logger', 'filename', 'a string', filename, 3) end
      self.name = filename
      if timestamp then filename = filename .. '-' .. os.date('%Y_%m_%d_%X'):gsub('[ :/]', '_') end
      self.file = open(filename)
      self.filename = filename
      self.epsfile = filename .. '.eps'
      self.pngfile = filename .. '.png'
   else
      self.file = io.stdout
      self.name = 'stdout'
      print '<Logger> warning: no path provided, logging to std out'
   end
   self.empty = true
   self.symbols = {}
   self.styles = {}
   self.names = {}
   self.idx = {}
   self.columns = {}                                -- the keys of `symbols` in the order of the file
   self.defaultStyle = '+'
   self.logscale = false
   self.showPlot = true
end

-- A line of cells. Of the columns without a value those at the end are left out; the others would
-- move the cells behind them.
local function write(self, cells, n)
   while n > 0 and cells[n] == nil do n = n - 1 end
   for i = 1, n do
      local cell = cells[i]
      if cell == nil then cell = 0 / 0 end
      self.file:write(type(cell) == 'number' and ('%11.4e'):format(cell) or tostring(cell), '\t')
   end
   self.file:write('\n')
   self.file:flush()
end

local function need_table(method, what, v)
   if type(v) ~= 'table' then arg.refuse('optim.Logger:' .. method, what, 'a table', v, 3) end
end

-- Begins with the columns `keys`, whose names are written as the first line.
local function begin(self, keys, names)
   self.empty = false
   self.nsymbols = #keys
   self.columns = keys
   local titles = {}
   for i, key in ipairs(keys) do
      self.symbols[key] = {}
      self.styles[key] = self.styles[key] or {self.defaultStyle}
      titles[i] = tostring(names[key])
   end
   write(self, titles, #titles)
end

--- Names the columns, and writes them as the first line. Returns the logger.
function Logger:setNames(names)
   need_table('setNames', 'names', names)
   self.names = names
   local keys = {}
   for k, name in ipairs(names) do
      keys[k] = k
      self.idx[name] = k
   end
   begin(self, keys, names)
   return self
end

-- The keys of a row: numbers in order, then the others by name.
local function keys_of(row)
   local keys = {}
   for key in pairs(row) do keys[#keys + 1] = key end
   table.sort(keys, function(a, b)
      if type(a) == 'number' and type(b) == 'number' then return a < b end
      if type(a) ~= type(b) then return type(a) == 'number' end
      return tostring(a) < tostring(b)
   end)
   return keys
end

--- Adds a row: a list of numbers and texts, or a table with one for each name. The first row names
-- the columns, if setNames has not done so.
function Logger:add(symbols)
   need_table('add', 'row', symbols)
   if self.empty then
      local keys = keys_of(symbols)
      for _, key in ipairs(keys) do self.names[key], self.idx[key] = key, key end
      begin(self, keys, self.names)
   end
   local values = {}
   for key, value in pairs(symbols) do
      local column = self.symbols[key] and key or self.idx[key]
      if column == nil or not self.symbols[column] then
         error(('optim.Logger:add: there is no column %s'):format(tostring(key)), 2)
      end
      if type(value) ~= 'number' and type(value) ~= 'string' and type(value) ~= 'cdata' then
         arg.refuse('optim.Logger:add', 'column ' .. tostring(key), 'a number or a string', value)
      end
      values[column] = value
   end
   local row = {}
   for i, column in ipairs(self.columns) do
      row[i] = values[column]
      if values[column] ~= nil then table.insert(self.symbols[column], values[column]) end
   end
   write(self, row, #self.columns)
end

--- Styles of the lines for plot: '-', '+', '+-', '~', ... or a list of them for each column, by
-- number or by name, or one for all. Returns the logger.
function Logger:style(symbols)
   if type(symbols) ~= 'table' then
      if symbols ~= nil and type(symbols) ~= 'string' then
         arg.refuse('optim.Logger:style', 'style', 'a string or a table', symbols)
      end
      self.defaultStyle = symbols or '+'
      for _, column in ipairs(self.columns) do self.styles[column] = {self.defaultStyle} end
      return self
   end
   for key, style in pairs(symbols) do
      if type(style) ~= 'string' and type(style) ~= 'table' then
         arg.refuse('optim.Logger:style', 'a style', 'a string or a table of strings', style)
      end
      local column = self.symbols[key] and key or self.idx[key] or key
      self.styles[column] = type(style) == 'table' and style or {style}
   end
   return self
end

--- true: the vertical axis is logarithmic. Default: false.
function Logger:setlogscale(state) self.logscale = state end

--- false: plot writes the pictures without opening a window. Default: true.
function Logger:display(state) self.showPlot = state end

-- For gnuplot: in single quotes nothing is expanded; a quote is doubled.
local function quote(text) return "'" .. tostring(text):gsub("'", "''"):gsub('%c', ' ') .. "'" end

-- os.execute answers 0 or true, as LuaJIT was built.
local function succeeds(command)
   local status = os.execute(command)
   return status == 0 or status == true
end

local WITH = {['-'] = 'lines', ['+'] = 'points', ['+-'] = 'linespoints', ['-+'] = 'linespoints', ['~'] = 'lines smooth csplines',
   ['.'] = 'dots', ['|'] = 'impulses'}

-- The data of a column with the styles of its curves; nil without a number.
local function block(self, i, column)
   local lines, some = {('$column%d << END'):format(i)}, false
   for at, value in ipairs(self.symbols[column]) do
      if type(value) == 'number' and value == value and math.abs(value) < math.huge then
         lines[#lines + 1] = ('%d %.17g'):format(at, value)
         some = true
      end
   end
   lines[#lines + 1] = 'END'
   return some and table.concat(lines, '\n') or nil
end

local function script(self, columns, options)
   local lines = {'set termopt noenhanced', 'set grid'}
   if self.logscale then lines[#lines + 1] = 'set logscale y' end
   lines[#lines + 1] = 'set title ' .. quote(options.title or '<Logger::' .. self.name .. '>')
   lines[#lines + 1] = 'set xlabel ' .. quote(options.xlabel or '')
   lines[#lines + 1] = 'set ylabel ' .. quote(options.ylabel or '')
   if type(self.plotRawCmd) == 'string' then lines[#lines + 1] = self.plotRawCmd end
   local curves = {}
   for i, column in ipairs(columns) do
      local data = block(self, i, column)
      lines[#lines + 1] = data
      for _, style in ipairs(data and self.styles[column] or {}) do
         curves[#curves + 1] = ('$column%d using 1:2 with %s title %s'):format(i, WITH[style] or 'linespoints',
            quote(self.names[column] or column))
      end
   end
   return table.concat(lines, '\n'), #curves > 0 and 'plot ' .. table.concat(curves, ', ') or nil
end

-- The columns that plot gets as names, or all.
local function chosen(self, ...)
   local first = ...
   if first == nil or type(first) == 'table' then return self.columns end
   local columns = {}
   for i = 1, select('#', ...) do
      local name = select(i, ...)
      local column = self.idx[name]
      if column == nil or not self.symbols[column] then
         error(('optim.Logger:plot: there is no column %s'):format(tostring(name)), 3)
      end
      columns[i] = column
   end
   return columns
end

--- Draws the columns: into <file>.eps and <file>.png, and in a window when there is a display and showPlot is set.
-- Where gnuplot is missing the first call says so, and nothing is drawn. Returns whether pictures were written.
-- @param ...  names of columns (default: all), or a table {title =, xlabel =, ylabel =}
function Logger:plot(...)
   local first = ...
   local options = type(first) == 'table' and first or {}
   local head, plot = script(self, chosen(self, ...), options)
   if not plot then return false end
   if not succeeds 'command -v gnuplot >/dev/null 2>&1' then
      if not self.warned then print '<Logger> warning: gnuplot is not installed, so nothing is plotted' end
      self.warned = true
      return false
   end
   local parts = {head}
   if self.filename then
      parts[#parts + 1] = 'set terminal postscript eps color noenhanced\nset output ' .. quote(self.epsfile) .. '\n' .. plot
      parts[#parts + 1] = 'set terminal png size 800,600 noenhanced\nset output ' .. quote(self.pngfile) .. '\n' .. plot
      parts[#parts + 1] = 'unset output'
   end
   local window = self.showPlot and os.getenv 'DISPLAY'
   if window then parts[#parts + 1] = 'set terminal x11 persist noenhanced\n' .. plot end
   local name = os.tmpname()
   local file = io.open(name, 'w')
   if not file then return false end
   file:write(table.concat(parts, '\n'), '\n')
   file:close()
   local done = succeeds("gnuplot '" .. name:gsub("'", "'\\''") .. "' >/dev/null 2>&1")
   os.remove(name)
   return done
end

return Logger
