-- test/packages/gnuplot_spec.lua - gnuplot: the text that the program gets, text that stays text, failures of the program, SVG without it.
-- runs once: nothing here computes
local ffi = require 'ffi'
local paths = require 'paths'
local refuses = require 'test.support.refuses'
require 'gnuplot'
local process = require 'gnuplot.process'             -- loaded anew by a spec
local svg = require 'gnuplot.svg'

ffi.cdef 'int chdir(const char *path);'

local dir, here

local function read(name)
   local f = assert(io.open(name, 'rb'))
   local text = f:read '*a'
   f:close()
   return text
end

local function write(name, text)
   local f = assert(io.open(name, 'wb'))
   f:write(text)
   f:close()
end

-- A program in place of gnuplot: it lists terminals, and `body` is what it does with -persist.
local function program(name, body, terminals)
   local path = dir .. '/' .. name
   write(path, ([[#!/bin/sh
case "$*" in
*-persist*) %s;;
*) cat >/dev/null; printf 'Available terminal types:\n'
   for t in %s; do printf '   %%15s  a terminal\n' $t; done;;
esac
]]):format(body, terminals or 'dumb pdfcairo pngcairo postscript qt svg x11'))
   os.execute(("chmod +x '%s'"):format((path:gsub("'", "'\\''"))))
   return path
end

local function recorder() return program('recorder', 'cat >>"$0.log"') end

-- What a function makes the package send.
local function sent(f, ...)
   local path = recorder()
   os.remove(path .. '.log')
   gnuplot.setgnuplotexe(path)
   f(...)
   gnuplot.closeall()
   return read(path .. '.log')
end

local function printed(f)
   local lines, old = {}, print
   rawset(_G, 'print', function(...) lines[#lines + 1] = table.concat({ ... }, '\t') end)
   local ok, why = pcall(f)
   rawset(_G, 'print', old)
   assert(ok, why)
   return lines
end

local function find(text, part) assert.truthy(text:find(part, 1, true), part .. ' is not in: ' .. text) end

local function count(text, part) return select(2, text:gsub(part, '')) end

-- Chooses a program that is then removed.
local function without_gnuplot()
   local path = program('gone', 'cat')
   gnuplot.setgnuplotexe(path)
   os.remove(path)
end

local function installed()
   for folder in (os.getenv 'PATH' or ''):gmatch '[^:]+' do
      if paths.filep(folder .. '/gnuplot') then return folder .. '/gnuplot' end
   end
end

describe('gnuplot', function()
   local home, display
   setup(function()
      here, home, display = paths.cwd(), paths.home, print
      dir = os.tmpname()
      os.remove(dir)
      paths.mkdir(dir)
      paths.home = dir
      write(dir .. '/.gnuplot', '')
      ffi.C.chdir(dir)
   end)
   after_each(function() gnuplot.closeall() end)
   teardown(function()
      process.choose(installed() or recorder())
      ffi.C.chdir(here)
      paths.home = home
      rawset(_G, 'print', display)
      paths.rmall(dir, 'yes')
   end)

   describe('plots', function()
      it('sends the window, the command and the data', function()
         assert.equal("set term qt 1\nraise\nplot  '-' title 'a' with lines \n1 3\n2 0.5\ne\nrefresh\nquit\n",
                      sent(gnuplot.plot, 'a', torch.Tensor{ 3, 0.5 }, '-'))
      end)
      it('takes tensors of any type and any strides', function()
         find(sent(gnuplot.plot, torch.ByteTensor{ { 1, 7 }, { 2, 8 } }:select(2, 2)), '\n1 7\n2 8\ne\n')
      end)
      it('leaves out what is not finite', function()
         find(sent(gnuplot.plot, torch.Tensor{ 0 / 0, 1 / 0, -1 / 0, 2 }), '\n1 NaN\n2 NaN\n3 NaN\n4 2\ne\n')
      end)
      it('sends several curves in one command', function()
         local x = torch.ones(1)
         local text = sent(gnuplot.plot, { 'a', x, x, '+' }, { x, x, '~0.5' })
         find(text, "plot  '-' title 'a' with points ,  '-' title '' smooth acsplines \n1 1\ne\n1 1 0.5\ne\n")
      end)
      it('sends words of gnuplot as they are', function()
         find(sent(gnuplot.plot, torch.ones(1), "with points pt 7 lc rgb 'red'"), "title '' with points pt 7 lc rgb 'red'")
      end)
      it('sends the rows of a surface as blocks', function()
         find(sent(gnuplot.splot, torch.Tensor{ { 1, 2 }, { 3, 4 } }), '\n1 1 1\n1 2 2\n\n2 1 3\n2 2 4\ne\n')
      end)
      it('shows an image with its first row at the top', function()
         local text = sent(gnuplot.imagesc, torch.Tensor{ { 1, 2 }, { 3, 4 } })
         find(text, "reverse nowriteback\nsplot '-' matrix with image\n1 2\n3 4\ne\n")
      end)
      it('begins with styles where there is no ~/.gnuplot', function()
         os.remove(dir .. '/.gnuplot')
         local text = sent(gnuplot.plot, torch.ones(1))
         write(dir .. '/.gnuplot', '')
         find(text, "set linetype 1 linecolor rgb '#0072b2'\n")
      end)
      it('draws with letters where gnuplot has no windows', function()
         gnuplot.setgnuplotexe(program('letters', 'cat >>"$0.log"', 'dumb png'))
         gnuplot.plot(torch.ones(1))
         gnuplot.closeall()
         assert.equal("set term dumb\nplot  '-' title ''  \n1 1\ne\nquit\n", read 'letters.log')
      end)
      it('writes files with the terminals that gnuplot has', function()
         gnuplot.setgnuplotexe(program('few', 'cat >>"$0.log"', 'png svg'))
         gnuplot.pngfigure 'few.png'
         gnuplot.closeall()
         find(read 'few.log', 'set term png\n')
         refuses('epsfigure: this gnuplot has no terminal for eps files', gnuplot.epsfigure, 'few.eps')
      end)
      it('gives the lowest free number to a new figure', function()
         gnuplot.setgnuplotexe(recorder())
         gnuplot.figure(2)
         assert.equal(1, gnuplot.figure())
         assert.equal(3, gnuplot.figure())
         gnuplot.close(1)
         assert.equal(1, gnuplot.svgfigure 'x.svg')
      end)
      it('opens no figure with closeall, close and plotflush', function()
         gnuplot.setgnuplotexe(recorder())
         os.remove 'recorder.log'
         gnuplot.closeall()
         gnuplot.close(7)
         gnuplot.plotflush()
         assert.is_nil(io.open 'recorder.log')
      end)
      it('sends places and limits of axes that gnuplot takes', function()
         local text = sent(function()
            gnuplot.movelegend('left', 'middle')
            gnuplot.axis 'fill'
            gnuplot.axis{ '', 1e6, '*', '2' }
         end)
         find(text, 'set key left center\n')
         find(text, 'set size noratio\nset autoscale\n')
         find(text, 'set xrange [:1000000]\nset yrange [*:2]\n')
      end)
   end)

   describe('texts', function()
      it('of labels keep their backslash sequences, and end at the last quote', function()
         assert.equal([["a\nb\\c"]], process.label [[a\nb\\c]])
         assert.equal([["a\nb"]], process.label 'a\nb')
         assert.equal([["\"x\" \" \\\""]], process.label [["x" \" \\"]])
         assert.equal([["\\"]], process.label [[\]])
      end)
      it('of labels hold no backtick and no macro', function()
         assert.equal([["\140ls\140 \140 \\\140 \100GPVAL_PWD"]], process.label [[`ls` \` \\` @GPVAL_PWD]])
      end)
      it('of titles hold quotes as quotes', function()
         assert.equal([['"x" \']], process.title [["x" \]])
         assert.equal([["it's \140ls\140\nx\\"]], process.title 'it\'s `ls`\nx\\')
      end)
      it('of file names cannot name a command or another folder', function()
         assert.equal('"./|touch x"', process.file_name('|touch x', '"'))
         assert.equal('"./~/x"', process.file_name('~/x', '"'))
         assert.equal([["a\\n\"\140b\140\n"]], process.file_name('a\\n"`b`\n', '"'))
         assert.equal([["it's\\n"]], process.file_name("it's\\n", "'"))
      end)
      it('run no command in a real gnuplot', function()
         local exe = installed()
         if not exe then return pending 'gnuplot is not installed' end
         gnuplot.setgnuplotexe(exe)
         local evil = { '`touch bad`', '"; system("touch bad"); "', "'; system('touch bad'); '", '\\"; system("touch bad") #',
                        'a\nsystem("touch bad")\n', '\\`touch bad`', '$(touch bad)', '!touch bad', "''`touch bad`", '\\',
                        "' . system('touch bad') . '", "'' . system('touch bad') #",
                        "\\'`touch bad`" }
         local names = {}
         for i, text in ipairs(evil) do
            names[i] = text:gsub('/', '_') .. i .. '.svg'
            gnuplot.svgfigure(names[i])
            gnuplot.plot({ text, torch.range(1, 3), '-' }, { text, torch.range(1, 3), '|' })
            for _, set in ipairs { gnuplot.title, gnuplot.xlabel, gnuplot.ylabel, gnuplot.zlabel } do set(text) end
            gnuplot.figprint('print' .. names[i])
            gnuplot.close()
         end
         gnuplot.svgfigure '| touch bad.svg'
         gnuplot.plot(torch.range(1, 2))
         gnuplot.closeall()
         assert.is_false(paths.filep 'bad')
         assert.is_true(paths.filep '| touch bad.svg')
         for _, name in ipairs(names) do
            find(read(name), '</svg>')
            find(read('print' .. name), '</svg>')
         end
      end)
      it('of formats are one clause', function()
         gnuplot.setgnuplotexe(recorder())
         local formats = { 'with lines; system("x")', 'with lines\n!x', 'with lines `x`', 'with @x', "with lines ' ; x" }
         for _, format in ipairs(formats) do
            refuses('gnuplot.plot: a format must be one clause', gnuplot.plot, torch.ones(2), format)
         end
         refuses('gnuplot.imagesc: a format must be one clause', gnuplot.imagesc, torch.ones(2, 2), 'gray; quit')
      end)
   end)

   describe('the program', function()
      it('that ends is an error, and the next plot starts another', function()
         gnuplot.setgnuplotexe(program('dying', 'read x; exit 3'))
         local why
         for _ = 1, 500 do
            local ok, e = pcall(gnuplot.plot, torch.ones(2000))
            why = not ok and e
            if why then break end
         end
         find(tostring(why), 'the program gnuplot of figure 1 has ended')
         find(sent(gnuplot.plot, torch.ones(1)), 'set term qt 1')
      end)
      it('that lists no terminals is an error', function()
         write('wrong', '#!/bin/sh\nexit 1\n')
         os.execute 'chmod +x wrong'
         gnuplot.setgnuplotexe(dir .. '/wrong')
         refuses('lists no terminals: it does not start', gnuplot.figure)
      end)
      it('may have a name with quotes and spaces', function()
         local path = program("it's $(touch bad) mine", 'cat >>"$0.log"')
         gnuplot.setgnuplotexe(path)
         gnuplot.plot(torch.ones(1))
         gnuplot.closeall()
         find(read(path .. '.log'), '\n1 1\ne\n')
         assert.is_false(paths.filep 'bad')
      end)
      it('that does not read is left by Ctrl-C', function()
         local path = program('deaf', 'sleep 0.2; kill -INT $PPID; sleep 1')
         write('script.lua', ([[
            require 'gnuplot'
            gnuplot.setgnuplotexe '%s'
            print(pcall(gnuplot.plot, torch.zeros(100000)))
            gnuplot.closeall()]]):format(path))
         local pipe = io.popen(("cd '%s' && env --default-signal=INT '%s' '%s/script.lua' 2>&1"):format(here, os.getenv 'TH', dir))
         local text = pipe:read '*a'
         pipe:close()
         find(text, 'interrupted')
         assert.is_nil(text:find 'true')
      end)
      it('prints no picture to standard output', function()
         local exe = installed()
         if not exe then return pending 'gnuplot is not installed' end
         write('script.lua', ([[
            require 'gnuplot'
            gnuplot.setgnuplotexe '%s'
            gnuplot.svgfigure '%s/a.svg'
            gnuplot.plot(torch.range(1, 3))
            gnuplot.closeall()]]):format(exe, dir))
         local pipe = io.popen(("cd '%s' && '%s' '%s/script.lua'"):format(here, os.getenv 'TH', dir))
         local text = pipe:read '*a'
         pipe:close()
         assert.equal('', text)
         find(read 'a.svg', '</svg>')
      end)
      it('writes its files with closeall', function()
         local exe = installed()
         if not exe then return pending 'gnuplot is not installed' end
         gnuplot.setgnuplotexe(exe)
         gnuplot.pngfigure 'real.png'
         gnuplot.plot(torch.range(1, 3))
         gnuplot.closeall()
         assert.equal('\137PNG', read 'real.png':sub(1, 4))
      end)
   end)

   describe('without the program', function()
      it('writes SVG files, and says so once', function()
         for name in pairs(package.loaded) do
            if name == 'gnuplot' or name:find '^gnuplot%.' then package.loaded[name] = nil end
         end
         require 'gnuplot'
         process = require 'gnuplot.process'
         without_gnuplot()
         local said = printed(function()
            gnuplot.svgfigure 'own.svg'
            gnuplot.plot('a < b', torch.Tensor{ 1, 2, 0 / 0 }, '+')
            gnuplot.plot('a < b', torch.Tensor{ 1, 2, 0 / 0 }, '+')
         end)
         assert.same({ 'gnuplot: gnuplot is not installed: figures are written as SVG files' }, said)
         local text = read 'own.svg'
         find(text, 'a &lt; b')
         assert.equal(2, count(text, '<circle'))
      end)
      it('names a window after its number, and adds .svg to the names of other files', function()
         without_gnuplot()
         printed(function()
            gnuplot.figure(4)
            gnuplot.plot(torch.ones(2))
            gnuplot.pngfigure 'own.png'
            gnuplot.plot(torch.ones(2))
            gnuplot.figprint 'own.eps'
         end)
         for _, name in ipairs { 'figure4.svg', 'own.png.svg', 'own.eps.svg' } do find(read(name), '</svg>') end
         assert.is_false(paths.filep 'own.png')
      end)
      it('keeps the name of a figure that is SVG anyway', function()
         without_gnuplot()
         printed(function()
            gnuplot.svgfigure 'plain'
            gnuplot.plot(torch.ones(2))
            gnuplot.close()
         end)
         find(read 'plain', '</svg>')
         assert.is_false(paths.filep 'plain.svg')
      end)
      it('draws labels, bars, images and surfaces', function()
         without_gnuplot()
         printed(function()
            gnuplot.svgfigure 'bars.svg'
            gnuplot.hist(torch.Tensor{ 1, 2, 2, 4 }, 3)
            gnuplot.title 'T'
            gnuplot.xlabel 'X'
            gnuplot.ylabel 'Y'
            gnuplot.svgfigure 'image.svg'
            gnuplot.imagesc(torch.Tensor{ { 0, 1 }, { 1, 0.5 } })
            gnuplot.svgfigure 'surface.svg'
            gnuplot.splot(torch.Tensor{ { 0, 1 }, { 1, 0.5 } })
            gnuplot.svgfigure 'places.svg'
            gnuplot.splot(torch.rand(2, 3), torch.rand(2, 3), torch.rand(2, 3))
            gnuplot.svgfigure 'cloud.svg'
            gnuplot.scatter3(torch.randn(5), torch.randn(5), torch.randn(5))
         end)
         local bars = read 'bars.svg'
         assert.equal(3, count(bars, 'fill%-opacity'))
         for _, text in ipairs { '>T<', '>X<', '>Y<' } do find(bars, text) end
         find(read 'image.svg', '#808080')
         find(read 'surface.svg', '#ffff00')
         assert.equal(5, count(read 'cloud.svg', '<circle'))
         assert.equal(6, count(read 'places.svg', '<circle'))
      end)
      it('says why a file cannot be written, and closes its figure', function()
         without_gnuplot()
         paths.mkdir 'folder.svg'
         gnuplot.svgfigure 'folder.svg'
         refuses('cannot write folder.svg', gnuplot.plot, torch.ones(2))
         refuses('cannot write folder.svg', gnuplot.closeall)
         gnuplot.closeall()
      end)
      it('never harms when it gets anything', function()
         without_gnuplot()
         local junk, functions = require 'test.support.invalid_calls', {}
         for name, f in pairs(gnuplot) do functions[name] = f end
         functions.setgnuplotexe = nil
         printed(function() junk.walk('gnuplot.', functions) end)
      end)
   end)

   describe('refuses', function()
      before_each(function() gnuplot.setgnuplotexe(recorder()) end)
      for _, case in ipairs {
         { 'plot: no data', 'plot' },
         { 'plot: expecting [string,] tensor', 'plot', 5 },
         { 'plot: expecting', 'plot', 'x' },
         { 'plot: expecting', 'plot', { 'x', 3 } },
         { 'plot: curve 2 must be a table', 'plot', { torch.ones(2) }, 5 },
         { 'of the same length, got 3 and 4', 'plot', torch.ones(3), torch.ones(4) },
         { 'must be vectors, or matrices', 'plot', torch.ones(2, 2, 2) },
         { 'must be vectors', 'plot', torch.Tensor() },
         { 'takes a number behind it', 'plot', torch.ones(2), '~x' },
         { 'splot: the data must be matrices', 'splot', torch.ones(3) },
         { 'splot: expecting', 'splot', torch.ones(2, 2), torch.ones(2, 2) },
         { 'scatter3: x, y and z must be the same size', 'scatter3', torch.ones(2), torch.ones(3), torch.ones(2) },
         { 'scatter3: expecting', 'scatter3', torch.ones(2), torch.ones(2) },
         { 'imagesc: the tensor must be a matrix', 'imagesc', torch.ones(3) },
         { 'imagesc: expecting tensor', 'imagesc', torch.ones(2, 2), 5 },
         { 'histc: usage', 'hist' },
         { 'bins must be a whole number', 'histc', torch.ones(2), 0 / 0 },
         { 'min must be a number', 'histc', torch.ones(2), 3, 1 / 0 },
         { 'xlabel: the label must be a string', 'xlabel', {} },
         { 'axis: a limit must be a number', 'axis', { 0 / 0 } },
         { 'axis: a limit must be a number', 'axis', { '0]; system("x") #' } },
         { 'axis: axis must be a string or a table', 'axis', 3 },
         { 'movelegend: the horizontal location', 'movelegend', 'up', 'top' },
         { 'movelegend: the vertical location', 'movelegend', 'left', 'up' },
         { 'directory does not exist', 'pngfigure', '/no/such/folder/x.png' },
         { 'the name of a file must not hold a byte 0', 'pdffigure', 'a\0b' },
         { 'must end in .eps', 'figprint', 'x.gif' },
         { 'figprint: there is no figure', 'figprint', 'x.png' },
         { 'the number of a figure must be a whole number', 'figure', 1.5 },
         { 'the number of a figure', 'svgfigure', 'x.svg', -1 },
         { 'config must be a table', 'figure', 1, 3 },
         { 'does not seem to have the terminal', 'setterm', 'wxt 1; quit' },
         { 'there is no program', 'setgnuplotexe', '/no/such/program' },
         { 'raw: the command must be a string', 'raw', 3 },
      } do
         it(('%s: %s'):format(case[2], case[1]), function() refuses(case[1], gnuplot[case[2]], unpack(case, 3, 6)) end)
      end
      it('at the place of the call', function()
         local _, why = pcall(loadstring('gnuplot.plot(5)', '@script.lua'))
         find(why, 'script.lua:1: gnuplot.plot: expecting')
      end)
   end)

   describe('histc', function()
      it('counts in equal bins', function()
         local h = gnuplot.histc(torch.Tensor{ 0, 1, 1, 4 }, 4)
         assert.same({ 1, 2, 0, 1 }, h.raw:totable())
         assert.same({ 4, 1, 3, 2 }, { h.bins, h.binwidth, h.min, h.max })
         assert.same({ val = 0.5, nb = 1 }, h[1])
         assert.equal(72, #gnuplot.histc(torch.randn(9)))
      end)
      it('prints bars that grow with the counts', function()
         local text = tostring(gnuplot.histc(torch.Tensor{ 1, 1, 1, 2, 4 }, 3))
         find(text, '(bin:1/#3/cntr:1.50)')
         assert.equal(14, count(text .. '\n', '\n'))
         find(text, '\n2.73e+00:.  \n')
         find(text, ':|||')
      end)
   end)
end)

describe('gnuplot.svg', function()
   local function curves(...)
      local list = {}
      for i, y in ipairs { ... } do
         local x = {}
         for k = 1, y.n or #y do x[k] = k end
         list[i] = { title = y.title, x = x, y = y, with = 'linespoints' }
      end
      return list
   end

   it('draws a point for each finite number, under titles whose markup is escaped', function()
      local text = svg.text { title = 'a < b', xlabel = 'x & y', ylabel = 'loss',
                              curves = curves({ 1, 0 / 0, 2.5, 1 / 0, title = '"one"' }, { title = 'two' }) }
      assert.equal(2, count(text, '<circle'))
      assert.equal(2, count(text, '<polyline'))
      for _, part in ipairs { 'a &lt; b', 'x &amp; y', '&quot;one&quot;', '>two<', '>loss<' } do find(text, part) end
      assert.is_nil(text:find 'nan' or text:find 'inf')
   end)
   it('draws what is left of a curve with gaps', function()
      assert.equal(2, count(svg.text { curves = curves { 1, nil, 3, n = 3 } }, '<circle'))
   end)
   it('draws a single point, and equal ones, in the middle', function()
      find(svg.text { curves = curves { 7 } }, '<circle cx="430.0" cy="245.0"')
   end)
   it('leaves out what a logarithm does not take', function()
      local text = svg.text { logscale = true, curves = curves { -1, 0, 1, 100 } }
      assert.equal(2, count(text, '<circle'))
      find(text, '>10<')
   end)
   it('puts the legend to the right of the plot', function()
      local text = svg.text { key = 'outside', curves = curves({ 1, 2, title = 'train accuracy' }) }
      local right = tonumber(text:match 'M80 50V440.0H([%d.]+)')
      local title = '<text x="([%d.]+)" y="[%d.]+" text%-anchor="start">train accuracy<'
      local key = tonumber(text:match(title))
      assert.is_true(right < 700 and key > right and key < 760, text)
      local plain = svg.text { key = 'outside', curves = curves { 1, 2 } }
      find(plain, 'M80 50V440.0H780.0')
   end)
   it('begins an axis at 0, or marks that it does not', function()
      local MARK = 'l16 -6M'
      local function y_axis(...)
         local text = svg.text { zero = true, curves = curves { ... } }
         local marks = {}
         for n in text:gmatch 'x="72.0" y="[%d.]+" text%-anchor="end">([^<]+)<' do
            marks[#marks + 1] = tonumber(n)
         end
         return marks[1], marks[#marks], text:find(MARK, 1, true) ~= nil
      end
      assert.same({ 0, 100, false }, { y_axis(20, 60, 96) })
      assert.same({ 75, 100, true }, { y_axis(80, 95, 99) })
      assert.same({ 0, 5, false }, { y_axis(5) })
      assert.same({ 0, 5, false }, { y_axis(5, 5) })
      assert.same({ -4, 6, false }, { y_axis(-4, 6) })
      assert.same({ -10, 0, false }, { y_axis(-10, -2) })
      assert.same({ -99, -91, true }, { y_axis(-99, -92) })
      assert.same({ 0, 1, false }, { y_axis(0, 0) })
      assert.is_false((select(3, y_axis())))
      assert.is_nil(svg.text { curves = curves { 80, 99 } }:find(MARK, 1, true))
   end)
   it('marks whole numbers only where that is wanted', function()
      local two = { whole = true, curves = curves { 3, 4 } }
      assert.is_nil(svg.text(two):find('>1.1<', 1, true))
      two.whole = nil
      find(svg.text(two), '>1.1<')
   end)
   it('draws an image of any size with few rectangles', function()
      local rows = {}
      for i = 1, 1000 do
         rows[i] = {}
         for j = 1, 1000 do rows[i][j] = i end
      end
      local text = svg.text { image = { rows = rows, left = 0, bottom = 0, palette = 'gray' } }
      assert.is_true(count(text, '<rect') < 400)
   end)
   it('draws one scale for both axes where that is wanted', function()
      local rows = { { 0, 1, 2, 3 }, { 0, 1, 2, 3 } }
      local w, h = svg.text { square = true, image = { rows = rows, left = 0, bottom = 0, palette = 'gray' } }
         :match 'crispEdges">\n<rect x="[%d.]+" y="[%d.]+" width="([%d.]+)" height="([%d.]+)"'
      assert.near(tonumber(w), tonumber(h), 0.02)
   end)
   it('says why there is no picture', function()
      refuses('cannot write /nowhere/curve.svg', svg.write, '/nowhere/curve.svg', {})
   end)
end)
