-- lua/optim/Logger.lua - numbers of a training run, in a file of columns and as a picture.
local torch = require 'torch'
local arg = require 'torch.arg'

--- Writes rows of numbers to a text file as they come, and plots them with gnuplot where that is installed.
-- @param filename   nil: no file, the numbers are kept for plot only
-- @param timestamp  true: the date is added to the name
-- name = os.tmpname(); l = optim.Logger(name); l:setNames{'loss'}; l:add{0.5}; io.open(name):read '*l':match '%S+' --> loss
local Logger = torch.class('optim.Logger')

function Logger:__init(filename, timestamp)
   if filename then
      if type(filename) ~= 'string' then arg.refuse('optim.Logger', 'filename', 'a string', filename, 3) end
      self.name = filename
      if timestamp then filename = filename .. '-' .. os.date('%Y_%m_%d_%X'):gsub('[ :/]', '_') end
      local file, why = io.open(filename, 'w')
      if not file then error('optim.Logger: cannot write ' .. tostring(why), 3) end
      self.file = file
      self.filename = filename
      self.epsfile = filename .. '.eps'
      self.pngfile = filename .. '.png'
   end
   self.empty = true
   self.symbols = {}
   self.styles = {}
   self.names = {}
   self.idx = {}
   self.logscale = false
   self.showPlot = true
end

local function write(self, cells)
   if not self.file then return end
   for _, cell in ipairs(cells) do
      self.file:write(type(cell) == 'number' and ('%11.4e'):format(cell) or tostring(cell), '\t')
   end
   self.file:write('\n')
   self.file:flush()
end

local function need_table(method, what, v)
   if type(v) ~= 'table' then arg.refuse('optim.Logger:' .. method, what, 'a table', v, 3) end
end

--- Names the columns, and writes them as the first line.
function Logger:setNames(names)
   need_table('setNames', 'names', names)
   self.names = names
   self.empty = false
   self.nsymbols = #names
   for k, name in ipairs(names) do
      self.symbols[k] = {}
      self.styles[k] = {'+'}
      self.idx[name] = k
   end
   write(self, names)
end

--- Adds a row: a list of numbers, or a table with a number for each name.
function Logger:add(symbols)
   need_table('add', 'row', symbols)
   local row, named = {}, #symbols == 0
   if self.empty then
      local names = {}
      for name in pairs(symbols) do names[#names + 1] = tostring(name) end
      table.sort(names)
      if named then
         self:setNames(names)
      else
         self.empty = false
         for k = 1, #symbols do self.symbols[k], self.styles[k] = {}, {'+'} end
      end
   end
   for name, value in pairs(symbols) do
      local k = type(name) == 'number' and name or self.idx[name]
      if not k or not self.symbols[k] then
         error(('optim.Logger:add: there is no column %s'):format(tostring(name)), 2)
      end
      row[k] = value
   end
   for k = 1, #self.symbols do
      local value = row[k]
      if value == nil then value = 0 / 0 end
      row[k] = value
      table.insert(self.symbols[k], value)
   end
   write(self, row)
end

--- Styles of the lines for plot: a list of '-', '+', '+-', '~', ... for each column, or one for all.
function Logger:style(symbols)
   for k = 1, math.max(#self.names, #self.symbols) do
      local style = type(symbols) == 'table' and (symbols[self.names[k]] or symbols[k]) or symbols
      self.styles[k] = type(style) == 'table' and style or {style or '+'}
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

local function script(self, options)
   local lines = {'set termopt noenhanced', 'set grid'}
   if self.logscale then lines[#lines + 1] = 'set logscale y' end
   if self.name then lines[#lines + 1] = 'set title ' .. quote(options.title or self.name) end
   lines[#lines + 1] = 'set xlabel ' .. quote(options.xlabel or '')
   lines[#lines + 1] = 'set ylabel ' .. quote(options.ylabel or '')
   local curves = {}
   for k, column in ipairs(self.symbols) do
      lines[#lines + 1] = ('$column%d << END'):format(k)
      local some = false
      for i, value in ipairs(column) do
         if type(value) == 'number' and value == value and math.abs(value) < math.huge then
            lines[#lines + 1] = ('%d %.17g'):format(i, value)
            some = true
         end
      end
      lines[#lines + 1] = 'END'
      if some then
         curves[#curves + 1] = ('$column%d using 1:2 with %s title %s'):format(k,
            WITH[(self.styles[k] or {})[1]] or 'linespoints', quote(self.names[k] or k))
      end
   end
   return table.concat(lines, '\n'), #curves > 0 and 'plot ' .. table.concat(curves, ', ') or nil
end

--- Draws the columns: into <file>.eps and <file>.png, and in a window when there is a display and showPlot is set.
-- Does nothing where gnuplot is missing. Returns whether pictures were written.
-- @param options  a table {title =, xlabel =, ylabel =}
function Logger:plot(options)
   options = type(options) == 'table' and options or {}
   local head, plot = script(self, options)
   if not plot or not succeeds 'command -v gnuplot >/dev/null 2>&1' then return false end
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
