--- gnuplot: plots of tensors. The program gnuplot draws them; where it is not installed, the usual plots are
-- written as SVG files. Each figure has a number and a process; one figure is the current one.
local torch = require 'torch'
local paths = require 'paths'
local data = require 'gnuplot.data'
local histc = require 'gnuplot.histc'
local process = require 'gnuplot.process'
local svg = require 'gnuplot.svg'
local front_end = require 'torch.front_end'
local refuse = data.refuse

gnuplot = {}

local figures = {}                          -- number -> figure
local current                               -- the number of the current figure
local term                                  -- the terminal of new windows; nil: the first that gnuplot has
local noted = {}                            -- notes that were printed

local function note(text)
   if not noted[text] then print('gnuplot: ' .. text) end
   noted[text] = true
end

-- ---- terminals --------------------------------------------------------------------------------------

-- Terminals with numbered windows, in the order of preference.
local WINDOWS = { 'aqua', 'wxt', 'qt', 'x11' }
local NUMBERED = { aqua = true, wxt = true, qt = true, x11 = true, windows = true }

-- Terminals that write files: the settings for each extension, the first that gnuplot has.
local FILES = {
   eps = { { 'postscript', 'postscript eps enhanced color' } },
   png = { { 'pngcairo', 'pngcairo' }, { 'png', 'png' } },
   pdf = { { 'pdfcairo', 'pdfcairo enhanced color' }, { 'pdf', 'pdf enhanced color' } },
   svg = { { 'svg', 'svg' } },
}

local function terminal_for(who, ending, exe)
   local has = process.terminals(exe)
   for _, t in ipairs(FILES[ending]) do
      if has[t[1]] then return t[2] end
   end
   refuse('%s: this gnuplot has no terminal for %s files', who, ending)
end

-- Without windows, gnuplot draws with letters.
local function window_terminal(exe)
   if term then return term end
   local has = process.terminals(exe)
   for _, t in ipairs(WINDOWS) do
      if has[t] then return t end
   end
   return 'dumb'
end

-- ---- figures ----------------------------------------------------------------------------------------

-- A figure has number, picture (for SVG), and file, the name of its file, or term, its terminal. With gnuplot it
-- has pipe; without it svg, the name of the SVG file, and plotted if there is something to draw. One that is shown in a
-- notebook has shown, and writes no file.
local Figure = {}
Figure.__index = Figure

-- Styles for users without ~/.gnuplot.
local STYLE = {
   "set linetype 1 linecolor rgb '#0072b2'", "set linetype 2 linecolor rgb '#d55e00'", "set linetype 3 linecolor rgb '#009e73'",
   "set linetype 4 linecolor rgb '#cc79a7'", "set linetype 5 linecolor rgb '#e69f00'", "set linetype 6 linecolor rgb '#56b4e9'",
   "set pointsize 1", "set style fill solid 0.3",
}

function Figure:send(...)
   if not self.pipe then return end
   local ok, why = pcall(function(...)
      self.pipe:writeString(table.concat({ ... }, '\n') .. '\n')
      self.pipe:synchronize()
   end, ...)
   if ok then return end
   pcall(self.pipe.close, self.pipe)                 -- half a command may have been sent, so no other can follow it
   self:forget()
   if tostring(why):find('interrupted', 1, true) then error(why, 0) end
   refuse('figure: the program gnuplot of figure %d has ended; the next plot starts a new one', self.number)
end

function Figure:forget()
   self.pipe = nil
   if figures[self.number] == self then figures[self.number] = nil end
   if current == self.number then current = nil end
end

-- Draws the figure again: in its window, or into its file.
function Figure:refresh()
   if self.shown then
      if self.plotted and front_end.show then
         front_end.show({ ['image/svg+xml'] = svg.text(self.picture), ['text/plain'] = 'figure ' .. self.number },
            'figure' .. self.number)
      end
   elseif self.svg then
      if self.plotted then
         local ok, why = pcall(svg.write, self.svg, self.picture)
         if not ok then refuse('figure: %s', why) end
      end
   elseif self.file then
      self:send('set output ' .. process.file_name(self.file, '"'), 'refresh', 'unset output')
   else
      self:send 'refresh'
   end
end

-- The figure is closed even if it cannot be drawn once more.
function Figure:close()
   local ok, why = true, nil
   if self.term ~= 'dumb' and not self.shown then ok, why = pcall(self.refresh, self) end      -- it would show the figure again
   if self.pipe then
      pcall(self.send, self, 'quit')
      if self.pipe then pcall(self.pipe.close, self.pipe) end
   end
   self:forget()
   if not ok then error(why, 0) end
end

-- Only letters go to standard output, because a plot of a file figure comes before its `set output`.
local function start(figure, exe, terminal)
   figure.pipe = process.start(exe, terminal ~= 'dumb')
   if not paths.filep(paths.concat(paths.home or '', '.gnuplot')) then figure:send(unpack(STYLE)) end
end

-- A new figure, drawn by gnuplot or by ourselves. `exe` is nil or false if gnuplot is not installed or not used, because the
-- figure is `shown` in a notebook.
local function new_figure(n, exe, terminal, shown)
   local figure = setmetatable({ number = n, picture = { curves = {} }, term = terminal }, Figure)
   if exe then start(figure, exe, terminal)
   elseif not shown then note 'gnuplot is not installed: figures are written as SVG files' end
   figures[n] = figure
   return figure
end

local function free_number()
   local n = 1
   while figures[n] do n = n + 1 end
   return n
end

local function need_number(who, n)
   if type(n) ~= 'number' or n < 1 or n >= 2 ^ 31 or n ~= math.floor(n) then
      refuse('%s: the number of a figure must be a whole number from 1 on, got %s', who, tostring(n))
   end
   return n
end

--- Makes figure `n` the current one, and opens its window if there is none yet. Without `n`: a new figure.
-- @param config  {noraise = true}: an open window is not raised
-- @return the number of the figure
function gnuplot.figure(n, config)
   if type(config) ~= 'nil' and type(config) ~= 'table' then refuse('figure: config must be a table, got a %s', type(config)) end
   n = n == nil and free_number() or need_number('figure', n)
   local shown = front_end.show ~= nil
   local exe = not shown and process.find()
   local figure = figures[n]
   if not figure then
      figure = new_figure(n, exe, exe and window_terminal(exe), shown)
      figure.shown = shown
      if not exe then figure.svg = ('figure%d.svg'):format(n) end
   end
   current = n
   if figure.term and not figure.file then
      if NUMBERED[figure.term] then
         figure:send(('set term %s %d'):format(figure.term, n), not (config and config.noraise) and 'raise' or nil)
      else
         figure:send('set term ' .. figure.term)
      end
   end
   return n
end

local function current_figure()
   if not current then gnuplot.figure() end
   return figures[current]
end

--- Closes figure `n`, or the current one. A figure with a file is written first.
function gnuplot.close(n)
   if n ~= nil then need_number('close', n) end
   local figure = figures[n or current]
   if figure then figure:close() end
end

--- Closes all figures. Later ones use the default terminal again, instead of that of gnuplot.setterm.
function gnuplot.closeall()
   local all = {}
   for n in pairs(figures) do all[#all + 1] = n end
   table.sort(all)
   local failed
   for _, n in ipairs(all) do
      local ok, why = pcall(figures[n].close, figures[n])
      if not ok then failed = failed or why end
   end
   term = nil
   if failed then error(failed, 0) end
end

--- Draws figure `n`, or the current one, again, and writes its file.
function gnuplot.plotflush(n)
   if n ~= nil then need_number('plotflush', n) end
   local figure = figures[n or current]
   if figure then figure:refresh() end
end

-- ---- files ------------------------------------------------------------------------------------------

local function need_file(who, name)
   if type(name) ~= 'string' or name == '' then refuse('%s: the name of a file must be a string, got %s', who, tostring(name)) end
   if name:find '%z' then refuse('%s: the name of a file must not hold a byte 0, got "%s"', who, (name:gsub('%z', '\\0'))) end
   local folder = paths.dirname(name)
   if not paths.dirp(folder) then refuse('%s: cannot save to %s: directory does not exist', who, name) end
end

-- The name of the SVG file that replaces a file of another kind.
local function svg_name(name)
   if name:lower():find '%.svg$' then return name end
   note 'only SVG files can be written without it: .svg is added to names of other files'
   return name .. '.svg'
end

local function file_figure(who, ending, name, n)
   need_file(who, name)
   n = n == nil and free_number() or need_number(who, n)
   local exe = process.find()
   local terminal = exe and terminal_for(who, ending, exe)
   if figures[n] and figures[n].term == 'dumb' then figures[n]:close() end
   local figure = figures[n] or new_figure(n, exe, terminal)
   figure.file, figure.term, figure.shown = name, terminal, false
   figure.svg = not figure.pipe and (ending == 'svg' and name or svg_name(name)) or nil
   current = n
   if figure.pipe then figure:send('set term ' .. terminal) end
   return n
end

--- Opens a figure that is written to an EPS file by plotflush, close and each change of a label. Returns its number.
function gnuplot.epsfigure(fname, n) return (file_figure('epsfigure', 'eps', fname, n)) end

--- Opens a figure that is written to a PNG file by plotflush, close and each change of a label. Returns its number.
function gnuplot.pngfigure(fname, n) return (file_figure('pngfigure', 'png', fname, n)) end

--- Opens a figure that is written to a PDF file by plotflush, close and each change of a label. Returns its number.
function gnuplot.pdffigure(fname, n) return (file_figure('pdffigure', 'pdf', fname, n)) end

--- Opens a figure that is written to an SVG file by plotflush, close and each change of a label. Returns its number.
function gnuplot.svgfigure(fname, n) return (file_figure('svgfigure', 'svg', fname, n)) end

--- Writes the current figure to a file. The extension of its name is the format: eps, png, pdf or svg.
function gnuplot.figprint(fname)
   need_file('figprint', fname)
   local ending = fname:match '%.(%w+)$'
   ending = ending and ending:lower()
   if not FILES[ending] then refuse('figprint: the name must end in .eps, .png, .pdf or .svg, got %s', fname) end
   local figure = figures[current]
   if not figure then refuse 'figprint: there is no figure' end
   if not figure.pipe then
      local ok, why = pcall(svg.write, svg_name(fname), figure.picture)
      if not ok then refuse('figprint: %s', why) end
      return
   end
   local back = NUMBERED[figure.term] and ('%s %d'):format(figure.term, figure.number) or figure.term
   figure:send('set term ' .. terminal_for('figprint', ending, process.find() or 'gnuplot'),
               'set output ' .. process.file_name(fname, "'"), 'refresh', 'unset output', 'set term ' .. back)
end

-- ---- settings ---------------------------------------------------------------------------------------

-- A command that changes the current figure; it is drawn again.
local function set(...)
   local figure = current_figure()
   figure:send(...)
   figure:refresh()
end

local function label(name, text)
   if type(text) ~= 'nil' and type(text) ~= 'string' and type(text) ~= 'number' then
      refuse('%s: the label must be a string, got a %s', name, type(text))
   end
   text = text == nil and '' or tostring(text)
   current_figure().picture[name] = text
   set('set ' .. name .. ' ' .. process.label(text))
end

--- The label of the x axis. gnuplot renders `_` and `^` as in its enhanced mode; `\n` in the text ends a line.
function gnuplot.xlabel(text) label('xlabel', text) end

--- The label of the y axis.
function gnuplot.ylabel(text) label('ylabel', text) end

--- The label of the z axis.
function gnuplot.zlabel(text) label('zlabel', text) end

--- The title of the current figure.
function gnuplot.title(text) label('title', text) end

--- true: shows a grid. false: hides it.
function gnuplot.grid(toggle)
   current_figure().picture.grid = toggle and true or false
   set(toggle and 'set grid' or 'unset grid')
end

--- true: the y axis is logarithmic. false: it is linear.
function gnuplot.logscale(toggle)
   current_figure().picture.logscale = toggle and true or false
   set(toggle and 'set logscale y' or 'unset logscale y')
end

local ACROSS = { left = true, center = true, right = true }
local DOWN = { top = 'top', bottom = 'bottom', middle = 'center', center = 'center' }

--- Moves the legend.
-- @param hloc  'left', 'center' or 'right'
-- @param vloc  'top', 'middle' or 'bottom'
function gnuplot.movelegend(hloc, vloc)
   if not ACROSS[hloc] then
      refuse("movelegend: the horizontal location must be 'left', 'center' or 'right', got %s", tostring(hloc))
   end
   if not DOWN[vloc] then
      refuse("movelegend: the vertical location must be 'top', 'middle' or 'bottom', got %s", tostring(vloc))
   end
   current_figure().picture.key = { hloc, DOWN[vloc] }
   set(('set key %s %s'):format(hloc, DOWN[vloc]))
end

-- A limit of an axis in gnuplot's form; '' and '*' leave it to gnuplot.
local function limit(v)
   if v == nil or v == '' or v == '*' then return v or '' end
   local number = tonumber(v)
   if not number or number ~= number or math.abs(number) == math.huge then
      refuse("axis: a limit must be a number or '', got %s", tostring(v))
   end
   return ('%.15g'):format(number)
end

local function set_limits(list)
   local x1, x2, y1, y2 = limit(list[1]), limit(list[2]), limit(list[3]), limit(list[4])
   local picture = current_figure().picture
   picture.xrange, picture.yrange = { tonumber(x1), tonumber(x2) }, { tonumber(y1), tonumber(y2) }
   set(('set xrange [%s:%s]'):format(x1, x2), ('set yrange [%s:%s]'):format(y1, y2))
end

local AXES = {
   auto = { 'set size nosquare', 'set autoscale' }, fill = { 'set size noratio', 'set autoscale' },
   equal = { 'set size ratio -1' }, image = { 'set size ratio -1' },
}

--- Sets the scale of the axes.
-- The plot fills the window with 'auto' and 'fill'; both axes have one scale with 'equal' and 'image'. A table is the limits
-- {xmin, xmax, ymin, ymax}, where '' leaves one to gnuplot.
function gnuplot.axis(axis)
   if type(axis) == 'table' then return set_limits(axis) end
   if type(axis) ~= 'string' then refuse('axis: axis must be a string or a table of limits, got a %s', type(axis)) end
   if not AXES[axis] then
      print("gnuplot.axis: axis must be 'auto', 'fill', 'equal', 'image' or a table, got " .. axis)
      return
   end
   local picture = current_figure().picture
   picture.square = axis == 'equal' or axis == 'image'
   if not picture.square then picture.xrange, picture.yrange = nil, nil end
   set(unpack(AXES[axis]))
end

--- Sends a command to gnuplot unchanged. It can do all that gnuplot can, so it must not hold text of others.
function gnuplot.raw(str)
   if type(str) ~= 'string' then refuse('raw: the command must be a string, got a %s', type(str)) end
   local figure = current_figure()
   if figure.pipe then figure:send(str)
   else note 'commands of gnuplot.raw have no effect without it' end
end

--- Sets the program to start instead of `gnuplot`: a path, or a name in PATH. Its first terminal is used.
function gnuplot.setgnuplotexe(exe)
   if type(exe) ~= 'string' or exe:find '%z' then refuse('setgnuplotexe: exe must be a string, got a %s', type(exe)) end
   if not process.choose(exe) then refuse('setgnuplotexe: there is no program %s', exe) end
   term = nil
end

--- The terminal of figures that are opened from now on: 'x11', 'wxt', 'qt', 'aqua' or 'dumb' (letters).
function gnuplot.setterm(name)
   if type(name) ~= 'string' then refuse('setterm: the terminal must be a string, got a %s', type(name)) end
   local exe = process.find()
   if exe and not process.terminals(exe)[name] then refuse('setterm: gnuplot does not seem to have the terminal %s', name) end
   term = name:match '^[%w_]+$' and name or term
end

-- ---- plots ------------------------------------------------------------------------------------------

local OWN = { boxes = true, points = true, dots = true, linespoints = true, impulses = true }

-- The form of a clause of gnuplot in our own drawing.
local function drawn_with(clause)
   if clause == '' then return 'points' end
   local style = clause:match 'with%s+(%a+)'
   return OWN[style] and style or 'lines'
end

-- Sends the commands and then the lines of body(), or draws picture() if there is no gnuplot.
local function show(commands, body, picture)
   local figure = current_figure()
   if figure.svg then
      local drawn = picture()
      figure.picture.curves, figure.picture.image, figure.plotted = drawn.curves or {}, drawn.image, true
      figure:refresh()
   else
      commands[#commands + 1] = table.concat(body(), '\n')
      figure:send(unpack(commands))
   end
end

local function plot(who, default, ...)
   local curves = {}
   for i, list in ipairs(data.lists(who, ...)) do curves[i] = data.curve(who, list, default) end
   show({}, function() return data.plot_text(curves) end, function()
      local drawn = {}
      for i, c in ipairs(curves) do
         drawn[i] = { title = c.title, x = c.columns[1]:totable(), y = c.columns[2]:totable(), with = drawn_with(c.clause) }
      end
      return { curves = drawn }
   end)
end

--- gnuplot.plot(...): Plots curves. The arguments of one curve are [name,] x [, y] [, format]; of several, tables
-- with these. x alone is plotted over its indices; a matrix is columns beside each other.
-- A format is '-' (lines), '+' (points), '+-', '.' (dots), '|' (boxes), '~' (a smooth curve), '~0.5' (one with a weight),
-- 'v' (vectors), or words of gnuplot such as 'with lines lw 3'.
function gnuplot.plot(...) plot('plot', nil, ...) end

--- gnuplot.bar(...): Plots bars. Takes the arguments of gnuplot.plot, without a format.
function gnuplot.bar(...) plot('bar', '|', ...) end

--- gnuplot.histc(tensor, [bins], [min], [max]): Counts the elements in equal bins (72) from the least to the greatest.
-- The result is a list of {val = center, nb = count}. It has the fields raw (counts), bins,
-- binwidth, and max and min, the bins with the greatest and the least count. print shows it as a
-- picture.
-- gnuplot.histc(torch.DoubleTensor{1, 2, 2, 4}, 3).raw:totable() --> {1, 2, 1}
function gnuplot.histc(...)
   local tensor, bins, min, max = ...
   local who = 'histc: usage: gnuplot.histc(tensor [, bins] [, min] [, max])'
   if not torch.isTensor(tensor) or tensor:nElement() == 0 then refuse('%s: expecting a tensor with elements', who) end
   if type(bins) ~= 'nil' and (type(bins) ~= 'number' or bins < 1 or bins > 2 ^ 20 or bins ~= math.floor(bins)) then
      refuse('%s: bins must be a whole number from 1 to 1048576, got %s', who, tostring(bins))
   end
   for name, v in pairs { min = min, max = max } do
      if type(v) ~= 'number' or v ~= v or math.abs(v) == math.huge then
         refuse('%s: %s must be a number, got %s', who, name, tostring(v))
      end
   end
   local ok, h = pcall(histc, tensor, bins, min, max)
   if not ok then refuse('histc: %s', (tostring(h):gsub('^[^:]*:%d+: ', ''))) end
   return h
end

--- Plots a histogram as bars, and returns it as gnuplot.histc does.
function gnuplot.hist(tensor, bins, min, max)
   local h = gnuplot.histc(tensor, bins, min, max)
   local centers = torch.DoubleTensor(h.bins)
   for i = 1, h.bins do centers[i] = h[i].val end
   gnuplot.bar(centers, h.raw)
   return h
end

-- Points in the plane whose colours are the third coordinate.
local function coloured_points(title, x, y, z)
   local function list(t) return t:contiguous():view(-1):totable() end
   return { title = title, x = list(x), y = list(y), colour = list(z), with = 'points' }
end

--- gnuplot.scatter3(...): Plots points in space. The arguments are [name,] x, y, z (vectors); of several clouds, tables
-- with these.
function gnuplot.scatter3(...)
   local clouds = {}
   for i, list in ipairs(data.lists('scatter3', ...)) do clouds[i] = data.cloud('scatter3', list) end
   show({ 'set contour base', 'set style data points', 'set hidden3d' },
        function() return data.splot_text(clouds, 'points') end,
        function()
           local drawn = {}
           for i, c in ipairs(clouds) do drawn[i] = coloured_points(c.title, unpack(c.columns)) end
           return { curves = drawn }
        end)
end

local function surface_picture(surfaces)
   local picture = { curves = {} }
   for _, s in ipairs(surfaces) do
      if s.x then table.insert(picture.curves, coloured_points(s.title, s.x, s.y, s.z))
      else picture.image = { rows = s.z:t():totable(), left = 1, bottom = 1, palette = 'color' } end
   end
   return picture
end

--- gnuplot.splot(...): Plots surfaces. The arguments are [name,] z or [name,] x, y, z (matrices of one size); of several
-- surfaces, tables with these. Without gnuplot they are drawn as heat maps, of surfaces without x and y the last.
function gnuplot.splot(...)
   local surfaces = {}
   for i, list in ipairs(data.lists('splot', ...)) do surfaces[i] = data.surface('splot', list) end
   show({ 'set contour base', 'set cntrparam bspline', 'set cntrparam levels auto', 'set style data lines', 'set hidden3d' },
        function() return data.splot_text(surfaces, 'lines') end,
        function() return surface_picture(surfaces) end)
end

--- gnuplot.imagesc(tensor, [palette]): Shows a matrix as an image; its first row is at the top.
-- @param palette  'gray' (default), 'color', or other words for gnuplot's `set palette`
function gnuplot.imagesc(...)
   local z, palette = ...
   if type(z) == 'table' then z, palette = z[1], z[2] end
   palette = palette == nil and 'gray' or palette
   if not torch.isTensor(z) or type(palette) ~= 'string' then refuse 'imagesc: expecting tensor [,string]' end
   if z:dim() ~= 2 then refuse('imagesc: the tensor must be a matrix, got %d dimensions', z:dim()) end
   data.clause('imagesc', palette)
   z = z:double()
   show({ 'set view map', 'set palette ' .. palette, 'set style data linespoints',
          ('set xrange [ -0.5 : %g] noreverse nowriteback'):format(z:size(2) - 0.5),
          ('set yrange [ -0.5 : %g] reverse nowriteback'):format(z:size(1) - 0.5) },
        function() return data.image_text(z) end,
        function()
           return { image = { rows = z:totable(), left = 0, bottom = 0, down = true, palette = palette == 'gray' and 'gray' or 'color' } }
        end)
end

return gnuplot
