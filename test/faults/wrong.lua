-- test/faults/wrong.lua - steps that the sweep must find fault with, for its spec. TH_FAULTS_WRONG names the compiled wrong.c.
local ffi = require 'ffi'
local torch = require 'torch'

ffi.cdef 'int wrong_leak(void); int wrong_crash(void); int wrong_change(double *x);'

return function(list)
   local W = ffi.load(os.getenv 'TH_FAULTS_WRONG')
   local function add(name, run)
      list[#list + 1] = { name = 'wrong ' .. name, make = function() return { x = torch.ones(3) } end, run = run,
         state = function(given) return { given.x } end }
   end
   local function need(status, text) if status ~= 0 then error(text or 'out of memory', 0) end end
   add('leak', function() need(W.wrong_leak()) end)
   add('crash', function() need(W.wrong_crash()) end)
   add('change', function(given) need(W.wrong_change(given.x:data())) end)
   add('message', function(given) need(W.wrong_change(given.x:clone():data()), 'no') end)
   add('answer', function(given) return W.wrong_change(given.x:clone():data()) end)
   add('nothing', function() end)
end
