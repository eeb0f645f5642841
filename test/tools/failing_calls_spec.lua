-- test/tools/failing_calls_spec.lua - a slice of the sweep in which every call to the system fails once: `./dev faults` runs all of it.
-- runs once, on the plain build: the library that it preloads replaces malloc
local torch = require 'torch'
local optim = require 'optim'
local with_little = require 'test.support.little_memory'

local th = os.getenv 'TH' or 'build/bin/th'

local function sweep(options, environment)
   local p = io.popen(("%s '%s' test/faults.lua %s 2>&1"):format(environment or '', th, options))
   local said = p:read '*a'
   p:close()
   local steps, calls, places,
      faults = said:match '(%d+) of %d+ steps, (%d+) calls failed on purpose, (%d+) distinct places, (%d+) faults'
   assert(steps, said)
   return { steps = tonumber(steps), calls = tonumber(calls), places = tonumber(places), faults = tonumber(faults),
      said = said }
end

describe('when a call to the system fails', function()
   local has_cc = os.execute 'cc --version >/dev/null 2>&1' == 0

   local function clean(what, pattern, calls)
      it(what, function()
         if not has_cc then return pending 'there is no C compiler' end
         local r = sweep("-only '" .. pattern .. "'")
         assert.equal(0, r.faults, r.said)
         assert.is_true(r.calls >= calls, r.said)
      end)
   end
   clean('an op is an error that leaves its arguments and results alone, or succeeds, and leaks nothing', '^op sort', 40)
   clean('a matrix product does so, too', '^op addmm', 30)
   clean('forward and backward do so, too', '^module nn.Linear%(', 20)
   clean('torch.save leaves the old file or the new one, and no other', '^file torch.save .npz$', 20)
   clean('torch.load is an error that says what failed', '^file torch.load .safetensors$', 20)
   clean('a tds container stays as it was', '^tds: a full table', 4)
   clean('a request to a thread is an error or answered, and nothing waits for ever', '^thread: a worker', 8)

   it('each step of the tour has a name of one line', function()
      local p = io.popen(("'%s' test/faults.lua -list"):format(th))
      local kinds = { op = true, module = true, criterion = true, file = true, tensor = true, tds = true, feed = true, thread = true, dist = true }
      for line in p:lines() do assert.is_true(kinds[line:match '^%l+'], line) end
      assert.is_true(p:close())
   end)

   it('the sweep finds leaks, crashes, changed arguments, poor messages and wrong answers', function()
      if not has_cc then return pending 'there is no C compiler' end
      local so = os.tmpname()
      local lib = so .. 'libwrong.so'
      assert.equal(0, os.execute(("cc -shared -fPIC -O0 test/faults/wrong.c -o '%s'"):format(lib)))
      local r = sweep('', ("TH_FAULTS_WRONG='%s'"):format(lib))
      os.remove(lib)
      os.remove(so)
      for name, text in pairs { leak = 'a leak: ', crash = 'the process ended', change = 'what was given has changed',
         message = 'the error does not say what is wrong', answer = 'another answer' } do
         local found
         for line in r.said:gmatch '[^\n]+' do found = found or line:find('FAULT wrong ' .. name, 1, true)
            and line:find(text, 1, true) end
         assert(found, name .. ': ' .. r.said)
      end
      assert.is_nil(r.said:find('FAULT wrong nothing', 1, true))
      assert.equal(6, r.steps)
   end)
end)

describe('without memory', function()
   it('the results of an op with several keep their sizes', function()
      local x, y, at = torch.rand(300, 300), torch.ones(2, 3), torch.LongTensor(2):fill(7)
      local ok, why = with_little(800000, torch.sort, y, at, x, 1)
      assert.is_false(ok)
      assert.truthy(why:find 'sort: out of memory')
      assert.same({ { 1, 1, 1 }, { 1, 1, 1 } }, y:totable())
      assert.same({ 7, 7 }, at:totable())
      assert.equal(6, #y:storage())
      local part = torch.ones(40):narrow(1, 3, 4)                         -- a view gets a separate storage
      assert.is_false((with_little(800000, torch.sort, part, at, x, 1)))
      assert.same({ 1, 1, 1, 1 }, part:totable())
      assert.equal(3, part:storageOffset())
      assert.is_true((pcall(torch.sort, y, at, x, 1)))
   end)

   it('a step of an optimiser that has failed does not count', function()
      for _, name in ipairs { 'nag', 'adamax', 'rprop', 'asgd', 'adam', 'sgd' } do
         local function f(x) return x:dot(x), x * 2 end
         local function after(fails)
            local x, state = torch.range(1, 5), { learningRate = 0.1 }
            optim[name](f, x, state)
            if fails then assert.is_false((pcall(optim[name], function() error 'x' end, x, state))) end
            optim[name](f, x, state)
            return x:totable()
         end
         assert.same(after(false), after(true))
      end
   end)
end)
