-- test/io/hdf5_process_spec.lua - the process that reads an HDF5 file: its signals, its limits, and how a plain LuaJIT starts it.
-- runs once, on the plain build: a sanitizer answers signals by itself, takes any address space, and must be loaded first
local refuses = require 'test.support.refuses'
local hdf5 = require 'hdf5'

local there, why = pcall(require 'hdf5.library'.open)
local PYTHON = 'test/support/h5py.h5'

describe('hdf5: the process of a file', function()
   if not there then
      pending(tostring(why))
      return
   end

   it('is lost without harm when libhdf5 crashes, and other files stay open', function()
      local bad, good = hdf5.open(PYTHON, 'r'), hdf5.open(PYTHON, 'r')
      local d = bad:read '/s'
      os.execute(('kill -s SEGV %d'):format(bad._process.pid))
      refuses("'/s': libhdf5 crashed with signal 11: the file is damaged", function() d:all() end)
      refuses('the process that read the file has ended', function() bad:read '/s' end)
      assert.equal('hello', good:read '/s':all())
      bad:close()
      bad:close()
      good:close()
   end)

   it('has limits for memory and time, which grow with the file', function()
      local f = hdf5.open(PYTHON, 'r')
      f:read '/s':all()
      local h = io.open(('/proc/%d/limits'):format(f._process.pid))
      local text = h:read '*a'
      h:close()
      local bytes, seconds = text:match 'Max data size%s+(%d+)', text:match 'Max cpu time%s+(%d+)'
      assert.is_true(tonumber(bytes) < 2 ^ 30)
      assert.is_true(tonumber(seconds) < 200)
      f:close()
   end)

   it('is started by a plain LuaJIT as well', function()
      if os.execute 'command -v luajit >/dev/null' ~= 0 then return pending 'there is no luajit' end
      local p = io.popen([[LUA_PATH='lua/?.lua;lua/?/init.lua' luajit -e "
         print(require 'hdf5'.open('test/support/h5py.h5', 'r'):read '/s':all())" 2>&1]])
      local out = p:read '*a'
      p:close()
      assert.equal('hello\n', out)
   end)
end)
