-- test/comm/invalid_calls_spec.lua - the functions of dist and feed, called with invalid arguments.
-- runs once
local ranks = require 'test.support.comm.ranks'

-- One rank, so operations wait for no other.
local code = [[
   local junk = require 'test.support.invalid_calls'
   junk.left_out['dist.init'], junk.left_out['dist.trace'] = 'begins the job', 'writes when the script ends'
   local print, folder = print, os.tmpname()
   os.remove(folder)
   require 'paths'.mkdir(folder)
   require 'ffi'.cdef 'int chdir(const char *path);'
   require 'ffi'.C.chdir(folder)                             -- files that are written lie here
   _G.print = function() end
   rawset(os, 'exit', junk.exit)
   local n = junk.walk(%s)
   require 'ffi'.C.chdir '/'
   paths.rmall(folder, 'yes')
   print(('%%d functions, %%d calls, %%d refused'):format(n, junk.calls, junk.refused))]]

describe('junk', function()
   for name, least in pairs { dist = 25, feed = 15 } do
      it('never harms the functions of ' .. name, function()
         local out = ranks.ok(1, code:format(("'%s.', require '%s'"):format(name, name)))
         local n, calls, refused = out:match '(%d+) functions, (%d+) calls, (%d+) refused'
         assert.is_true(tonumber(n) >= least, out)
         assert.is_true(tonumber(refused) > tonumber(calls) / 4, out)
      end)
   end
end)

teardown(require 'test.support.temporary'.remove)
