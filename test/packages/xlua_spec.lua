-- test/packages/xlua_spec.lua - xlua: progress bars, named arguments, option parsing, profiling.
local xlua = require 'xlua'

local function captured(f, ...)
   local parts, print0, write0 = {}, print, io.write
   local function write(...)
      for i = 1, select('#', ...) do parts[#parts + 1] = tostring((select(i, ...))) end
   end
   rawset(_G, 'print', function(...) write(...) write '\n' end)
   rawset(io, 'write', write)
   local ok, r = pcall(f, ...)
   rawset(_G, 'print', print0)
   rawset(io, 'write', write0)
   if not ok then error(r, 0) end
   return table.concat(parts), r
end

describe('xlua', function()
   it('draws a few lines where nothing can be drawn over, without colors', function()
      local text = captured(function()
         for i = 1, 1000 do xlua.progress(i, 1000) end
      end)
      local _, lines = text:gsub('\n', '\n')
      assert.is_true(lines >= 2 and lines <= 6, text)
      assert.truthy(text:find ' 1000/1000 ')
      assert.truthy(text:find 'Tot: ')
      assert.falsy(text:find '\27')
      assert.error_matches(function() xlua.progress('x', 1) end, 'xlua.progress: current must be a number, got string')
   end)

   it('shows a text behind the count, unless the line is too short', function()
      local line = captured(xlua.progress, 3, 3, 'loss 0.12')
      assert.truthy(line:find('] 3/3  loss 0.12  Tot: ', 1, true), line)
      assert.falsy(captured(xlua.progress, 3, 3, ('x'):rep(200)):find 'x')
      assert.error_matches(function() xlua.progress(1, 2, 3) end,
                           'xlua.progress: text must be a string, got number')
      local null = require 'ffi'.cast('void *', 0)
      assert.error_matches(function() xlua.progress(1, 2, null) end,
                           'xlua.progress: text must be a string, got cdata')
   end)

   it('draws a bar of no steps', function()
      assert.truthy(captured(xlua.progress, 0, 0):find '0/0')
   end)

   it('spells times in two units', function()
      assert.equal('1m30s', xlua.formatTime(90))
      assert.equal('2h', xlua.formatTime(7200.4))
      assert.equal('0ms', xlua.formatTime(0))
      assert.equal('?', xlua.formatTime(1 / 0))
   end)

   it('spells tables, also those that contain themselves', function()
      local t = { 1, 'a', { b = 2 }, ['x y'] = true }
      assert.equal('{1,"a",{b=2},["x y"]=true}', xlua.table2string(t))
      t[1] = t
      assert.equal('{{...},"a",{b=2},["x y"]=true}', xlua.table2string(t))
   end)

   it('takes arguments in order or by name, with defaults', function()
      local function f(...)
         local t, size, name = xlua.unpack({ ... }, 'f', 'an example',
            { arg = 'size', type = 'number', help = 'how many', req = true },
            { arg = 'name', type = 'string', help = 'a name', default = 'none' })
         return t.size == size and size, name
      end
      assert.same({ 3, 'x' }, { f(3, 'x') })
      assert.same({ 3, 'none' }, { f { size = 3 } })
      assert.error_matches(function() f() end, '<f> the argument size is required')
      -- types are not checked, and what a function does not know is left out
      assert.same({ 'x', 'none' }, { f 'x' })
      assert.same({ 1, 'x' }, { f(1, 'x', 2) })
      assert.same({ 3, 'none' }, { f { size = 3, other = 1 } })
   end)

   it('gives the arguments by number and the usage, too', function()
      local size = { arg = 'size', type = 'number', help = 'how many', default = 2 }
      local t = xlua.unpack({}, 'f', 'an example', size, '', { arg = 'other', defaulta = 'size' })
      assert.same({ 2, 2, size = 2, other = 2 }, t)
      assert.truthy(t.usage:find 'an example')
      assert.truthy(t.usage:find 'how many')
      local object = {}
      xlua.unpack_class(object, { { size = 4 } }, 'f', 'an example', size)
      assert.same({ size = 4 }, object)
   end)

   it('parses options in the manner of Unix', function()
      local p = xlua.OptionParser '%prog [options] FILE'
      p:option { '-s', '--size', dest = 'size', default = 3, help = 'how many' }
      p:option { '-v', '--verbose', action = 'store_true', dest = 'verbose' }
      local old = arg
      rawset(_G, 'arg', { [0] = 'prog', '-s', '4', 'file', '-v', '--', '-x' })
      local options, rest = p:parse()
      local help = captured(p.help, p)
      rawset(_G, 'arg', old)
      assert.same({ size = '4', verbose = true }, options)
      assert.same({ 'file', '-x' }, rest)
      assert.equal('size=4,verbose=true', p:summarize(true))
      assert.equal('size=4\nverbose=true\n', captured(p.summarize, p))
      assert.truthy(help:find('Usage: prog [options] FILE', 1, true))
      assert.truthy(help:find '%-s, %-%-size=SIZE +how many %[default: 3%]')
      assert.error_matches(function() p:option { '-q', action = 'append' } end, "action must be 'store'")
   end)

   it('times what is between start and lap', function()
      local p = xlua.Profiler()
      p:start 'step'
      p:lap 'step'
      assert.is_true(p:real 'step' >= 0)
      assert.truthy(captured(p.printAll, p):find '%$ step .* 1 laps')
      assert.error_matches(function() p:lap 'step' end, 'step was not started')
   end)

   it('says what is installed', function()
      assert.is_true((xlua.installed 'xlua'))
      assert.is_false((xlua.installed 'no-such-package'))
      local text, r = captured(xlua.require, 'no-such-package')
      assert.is_false(r)
      assert.truthy(text:find('warning: <no-such-package> could not be loaded', 1, true))
      package.preload['spec-broken'] = function() error 'broken' end
      text, r = captured(xlua.require, 'spec-broken')
      package.preload['spec-broken'] = nil
      assert.is_false(r)
      assert.truthy(text:find 'broken')
      assert.equal(string.format, ('string.format'):tosymbol())
      assert.is_nil(('no.such.thing'):tosymbol())
   end)
end)
