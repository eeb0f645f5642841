-- test/jupyter/python_spec.lua - the tests of the Jupyter project, where Python has them: the variable PYTHON names
-- another Python.
-- runs once
local front = require 'test.support.jupyter'

describe('a kernel of Jupyter', function()
   it('passes jupyter_kernel_test, and runs examples/notebook.ipynb', function()
      local python = os.getenv 'PYTHON' or 'python3'
      if not front.available() then return pending 'libzmq is not installed' end
      if os.execute(("'%s' -c 'import jupyter_kernel_test, nbclient' 2> /dev/null"):format(python)) ~= 0 then
         return pending 'jupyter_kernel_test and nbclient are not installed'
      end
      local p = io.popen(("'%s' test/jupyter/kernel_test.py 2>&1"):format(python))
      local out = p:read '*a'
      p:close()
      assert.matches('\nOK[^\n]*%s*$', out)
   end)
end)
