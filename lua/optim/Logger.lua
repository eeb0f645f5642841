-- lua/optim/Logger.lua - logs numbers of a training run in a file of columns and as a plot.
local torch = require 'torch'
local arg = require 'torch.arg'
local paths = require 'paths'
require 'xlua'                          -- scripts use xlua and sys after require 'optim'

--- Writes rows of numbers and texts to a file immediately, and plots the numbers. Makes missing folders of the
-- file. The field `symbols` holds the columns, by name or by the number that add used.
-- @param filename   nil: the rows go to standard output
-- @param timestamp  true: the date is added to the name
-- name = os.tmpname(); l = optim.Logger(name); l:setNames{'loss'}; l:add{0.5}; io.open(name):read '*l':match '%S+' --> loss
local Logger = torch.class('optim.Logger')

local function open(filename)
   paths.mkdir(paths.dirname(filename))             -- if that fails, opening the file fails, too
   local file, why = io.open(filename, 'w')
   if not file then error('optim.Logger: cannot write ' .. tostring(why), 4) end
   return file
end

function Logger:__init(filename, timestamp)
   arg.object('optim.Logger', self)
   if filename then
      arg.path('optim.Logger', 'filename', filename, 3)
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

-- A line of cells. Columns without a value are left out at the end. Elsewhere they become nan, so that the cells behind
-- them do not move.
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

-- Starts with the columns `keys`, and writes their names as the first line.
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
      if type(symbols) ~= 'nil' and type(symbols) ~= 'string' then
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

-- The curve of a column in one style, as gnuplot.plot takes it; nil without a number.
local function curve(self, column, style)
   local x, y = {}, {}
   for at, value in ipairs(self.symbols[column]) do
      if type(value) == 'number' and value == value and math.abs(value) < math.huge then
         x[#x + 1], y[#y + 1] = at, value
      end
   end
   if #x == 0 then return nil end
   return {tostring(self.names[column] or column), torch.DoubleTensor(x), torch.DoubleTensor(y), style}
end

local function curves_of(self, columns)
   local curves = {}
   for _, column in ipairs(columns) do
      for _, style in ipairs(self.styles[column] or {}) do
         curves[#curves + 1] = curve(self, column, style)
      end
   end
   return curves
end

-- Draws the curves into gnuplot's current figure. _ and ^ in names of columns are shown as they are.
local function draw(self, gnuplot, curves, options, installed)
   if installed then
      gnuplot.raw 'set termopt noenhanced'
      if type(self.plotRawCmd) == 'string' then gnuplot.raw(self.plotRawCmd) end
   end
   gnuplot.plot(curves)
   gnuplot.grid(true)
   gnuplot.logscale(self.logscale)
   gnuplot.title((options.title or '<Logger::' .. self.name .. '>'))
   gnuplot.xlabel(options.xlabel)
   gnuplot.ylabel(options.ylabel)
end

-- The columns whose names plot gets, or all.
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

--- Draws the columns with the package gnuplot: into <file>.eps and <file>.png, and in a window when
-- there is a display and showPlot is set. A notebook shows the plot itself. Where the program
-- gnuplot is missing, into <file>.svg. Returns whether pictures were written.
-- @param ...  names of columns (default: all), or a table {title =, xlabel =, ylabel =}
function Logger:plot(...)
   local first = ...
   local options = type(first) == 'table' and first or {}
   local curves = curves_of(self, chosen(self, ...))
   if #curves == 0 then return false end
   local gnuplot = require 'gnuplot'
   local installed = require 'gnuplot.process'.find() ~= nil
   local function file(open, name)
      local n = open(name)
      draw(self, gnuplot, curves, options, installed)
      gnuplot.close(n)
   end
   if self.filename and installed then
      file(gnuplot.epsfigure, self.epsfile)
      file(gnuplot.pngfigure, self.pngfile)
   elseif self.filename then
      file(gnuplot.svgfigure, self.filename .. '.svg')
   end
   local notebook = require 'torch.front_end'.show ~= nil
   if self.showPlot and (notebook or installed and os.getenv 'DISPLAY') then
      self.figure = gnuplot.figure(self.figure)
      draw(self, gnuplot, curves, options, not notebook)
   end
   return self.filename ~= nil
end

return Logger
