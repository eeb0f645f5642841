-- test/jupyter/cell_spec.lua - cells without a front end: which values they show, and their errors.
-- runs once
local cell = require 'jupyter.cell'
local bundle = require 'jupyter.bundle'

local function shown(code)
   local made, failed = cell.run(code, 'cell 1')
   assert.is_nil(failed)
   return made and made['text/plain']
end

local function failure(code)
   local made, failed = cell.run(code, 'cell 7')
   assert.is_nil(made)
   return failed
end

describe('jupyter.cell', function()
   teardown(function() require 'jupyter.signals'.allow() end)   -- a cell leaves SIGINT blocked

   it('shows an expression, and one behind statements', function()
      assert.equal('3', shown '1 + 2')
      assert.equal('3', shown 'local x = 1\nx + 2')
      assert.equal('3', shown 'local x = 1\nx +\n2 -- a comment\n\n')
      assert.equal('a\tb', shown "'a', 'b'")
      assert.equal('5', shown 'local x = 4\nreturn x + 1')
   end)

   it('shows nothing behind a semicolon, and of statements', function()
      for _, code in ipairs { '', ' \n', '1;', 'local x = 1\nx;', 'local x = 1', 'for i = 1, 2 do\nend',
         'local x = [[\na\n]]' } do
         assert.is_nil(shown(code))
      end
   end)

   it('reads lines as Lua does where a line belongs to the one above', function()
      assert.is_nil(shown 'y_of_cell = 5\n-2')
      assert.equal(3, y_of_cell)            -- luacheck: ignore 113
      y_of_cell = nil                       -- luacheck: ignore 111
   end)

   it('names the line of an error', function()
      local e = failure 'local x = 1\nerror "boom"'
      assert.equal('Error', e.ename)
      assert.equal('cell 7:2: boom', e.evalue)
      assert.equal('line 2 of the cell:  error "boom"', e.traceback[2])
      e = failure 'local function f()\n   local t = nil\n   return t.x\nend\nlocal y = f()\nreturn y'
      assert.equal('line 3 of the cell:  return t.x', e.traceback[2])
   end)

   it('names the line of code that is no Lua', function()
      local e = failure 'x = 1\ny = )'
      assert.equal('SyntaxError', e.ename)
      assert.equal('line 2 of the cell:  y = )', e.traceback[2])
      assert.equal('SyntaxError', failure('for i = 1, 2 do').ename)
   end)

   it('takes any value as an error', function()
      for _, code in ipairs { 'error()', 'error{}', 'error(3)', 'error(setmetatable({}, { __tostring = error }))',
         'error(torch.ones(2))',
         'local function f() return 1 + f() end f()', "error(('x'):rep(1e6))" } do
         local e = failure(code)
         assert.is_string(e.evalue, code)
         assert.is_string(e.ename, code)
      end
   end)

   it('writes nothing to stderr about the compiler when the stack overflows', function()
      local code = "for _ = 1, 200 do require 'jupyter.cell'.run("
         .. "'local function f() return 1 + f() end f()', 'cell 1') end"
      local p = io.popen(("'%s' -e \"%s\" 2>&1"):format(os.getenv 'TH' or 'build/bin/th', code))
      local text = p:read '*a'
      p:close()
      assert.equal('', text)
   end)

   it('reports an error while a value is shown', function()
      assert.is_string(shown 'setmetatable({}, { __tostring = function() error "no text" end })')
   end)
end)

describe('jupyter.bundle', function()
   local torch = require 'torch'

   it('makes tables of small tensors', function()
      local html = bundle.html(torch.Tensor { { 1, 2.5 }, { 3, 1 / 3 } })
      for _, part in ipairs { '<td>2.5</td>', '<td>0.33333</td>', '<th>2</th>', 'torch.DoubleTensor of size 2x2' } do
         assert.is_truthy(html:find(part, 1, true), part)
      end
      assert.is_truthy(bundle.html(torch.range(1, 3)):find('<td>3</td>', 1, true))
      assert.is_truthy(bundle.html(torch.Tensor { 0 / 0, math.huge }):find('<td>inf</td>', 1, true))
   end)

   it('makes none of large, empty and other values', function()
      for _, v in ipairs { torch.ones(31), torch.ones(31, 2), torch.ones(2, 31), torch.Tensor(), torch.ones(2, 2, 2), 3,
         'x', {}, print,
         torch.DoubleStorage(3) } do
         assert.is_nil(bundle.html(v))
      end
   end)
end)
