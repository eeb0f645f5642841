---@meta gnuplot
-- types/gnuplot.lua - written by ./dev docs from the sources; do not edit.

---@class gnuplot
gnuplot = {}

--- Sets the scale of the axes.
---@param axis any
---@return any
---@return any ...
function gnuplot.axis(axis) end

--- Plots bars.
---@param ... any
---@return any
function gnuplot.bar(...) end

--- Closes figure `n`, or the current one.
---@param n? any
---@return any
function gnuplot.close(n) end

--- Closes all figures.
---@return any
function gnuplot.closeall() end

--- Opens a figure that is written to an EPS file by plotflush, close and each change of a label.
---@param fname any
---@param n any
---@return any
---@return any ...
function gnuplot.epsfigure(fname, n) end

--- Writes the current figure to a file.
---@param fname any
---@return any
function gnuplot.figprint(fname) end

--- Makes figure `n` the current one, and opens its window if there is none yet.
---@param n? any
---@param config? any {noraise = true}: an open window is not raised
---@return number # the number of the figure
function gnuplot.figure(n, config) end

--- true: shows a grid. false: hides it.
---@param toggle? any
---@return boolean
function gnuplot.grid(toggle) end

--- Plots a histogram as bars, and returns it as gnuplot.histc does.
---@param tensor any
---@param bins any
---@param min any
---@param max any
---@return any
function gnuplot.hist(tensor, bins, min, max) end

--- Counts the elements in equal bins (72) from the least to the greatest.
---
---     gnuplot.histc(torch.DoubleTensor{1, 2, 2, 4}, 3).raw:totable()   --> {1, 2, 1}
---@param tensor any
---@param bins? any
---@param min? any
---@param max? any
---@return any
function gnuplot.histc(tensor, bins, min, max) end

--- Shows a matrix as an image; its first row is at the top.
---@param tensor any
---@param palette? string 'gray' (default), 'color', or other words for gnuplot's `set palette`
---@return any
---@return any ...
function gnuplot.imagesc(tensor, palette) end

--- true: the y axis is logarithmic. false: it is linear.
---@param toggle? any
---@return boolean
function gnuplot.logscale(toggle) end

--- Moves the legend.
---@param hloc string 'left', 'center' or 'right'
---@param vloc string 'top', 'middle' or 'bottom'
---@return any
function gnuplot.movelegend(hloc, vloc) end

--- Opens a figure that is written to a PDF file by plotflush, close and each change of a label.
---@param fname any
---@param n any
---@return any
---@return any ...
function gnuplot.pdffigure(fname, n) end

--- Plots curves.
---@param ... any
---@return any
function gnuplot.plot(...) end

--- Draws figure `n`, or the current one, again, and writes its file.
---@param n? any
---@return any
function gnuplot.plotflush(n) end

--- Opens a figure that is written to a PNG file by plotflush, close and each change of a label.
---@param fname any
---@param n any
---@return any
---@return any ...
function gnuplot.pngfigure(fname, n) end

--- Sends a command to gnuplot unchanged.
---@param str any
---@return any
function gnuplot.raw(str) end

--- Plots points in space.
---@param ... any
---@return any
---@return any ...
function gnuplot.scatter3(...) end

--- Sets the program to start instead of `gnuplot`: a path, or a name in PATH.
---@param exe any
---@return any
function gnuplot.setgnuplotexe(exe) end

--- The terminal of figures that are opened from now on: 'x11', 'wxt', 'qt', 'aqua' or 'dumb' (letters).
---@param name? any
---@return any
function gnuplot.setterm(name) end

--- Plots surfaces.
---@param ... any
---@return any
---@return any ...
function gnuplot.splot(...) end

--- Opens a figure that is written to an SVG file by plotflush, close and each change of a label.
---@param fname any
---@param n any
---@return any
---@return any ...
function gnuplot.svgfigure(fname, n) end

--- The title of the current figure.
---@param text any
---@return any
function gnuplot.title(text) end

--- The label of the x axis. gnuplot renders `_` and `^` as in its enhanced mode; `\n` in the text ends a line.
---@param text any
---@return any
function gnuplot.xlabel(text) end

--- The label of the y axis.
---@param text any
---@return any
function gnuplot.ylabel(text) end

--- The label of the z axis.
---@param text any
---@return any
function gnuplot.zlabel(text) end

return gnuplot
