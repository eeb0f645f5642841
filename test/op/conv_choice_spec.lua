-- test/op/conv_choice_spec.lua - torch.conv.prefer, TH_CONV_ENGINE and torch.conv.benchmark: which engine computes a convolution.
local torch = require 'torch'
local refuses = require 'test.support.refuses'
local temporary = require 'test.support.temporary'

local TH = os.getenv 'TH' or 'build/bin/th'

-- What a script prints in a separate process, with its errors and how it ended; `cache` is its TH_CACHE_DIR.
local function child(script, cache, environment)
   local name = temporary.put(script, '.lua')
   local p = io.popen(("TH_CACHE_DIR='%s' %s '%s' '%s' 2>&1 </dev/null; echo \"status $?\""):format(cache or '', environment or '', TH,
      name))
   local text = p:read '*a'
   p:close()
   return (text:gsub('status 0\n$', ''))
end

local folders = {}
local function folder()
   local name = temporary.name ''
   os.remove(name)
   folders[#folders + 1] = name
   return name
end

after_each(function()
   torch.conv.engine, torch.conv.prefer = nil, nil
   temporary.remove()
   for _, name in ipairs(folders) do os.execute(("rm -r '%s' 2>/dev/null"):format(name)) end
   folders = {}
end)

local function with(setting, engine, f, ...)
   torch.conv[setting] = engine
   local ok, y = pcall(f, ...)
   torch.conv[setting] = nil
   return (assert(ok and y, y))
end

describe('torch.conv.prefer', function()
   local x, w, b
   before_each(function()
      torch.manualSeed(3)
      x, w = torch.FloatTensor(2, 4, 30, 30):uniform(-1, 1), torch.FloatTensor(8, 4, 7, 7):uniform(-1, 1)
      b = torch.FloatTensor(8):uniform(-1, 1)
   end)

   it('takes an engine wherever it can, with its bits', function()
      for _, engine in ipairs { 'gemm', 'fft' } do
         assert.is_true(torch.equal(with('engine', engine, torch.conv2d, x, w, b), with('prefer', engine, torch.conv2d, x, w, b)))
      end
      assert.is_false(torch.equal(with('prefer', 'gemm', torch.conv2d, x, w, b), with('prefer', 'fft', torch.conv2d, x, w, b)))
   end)

   it('leaves to the choice what the engine cannot do', function()
      local usual = torch.conv.choice('forward', x, w, 2, 2)
      local expected = with('engine', usual, torch.conv2d, x, w, b, 2, 2)
      torch.conv.prefer = 'fft1d'
      assert.equal(usual, torch.conv.choice('forward', x, w, 2, 2))
      assert.is_true(torch.equal(expected, torch.conv2d(x, w, b, 2, 2)))
   end)

   it('is shown by torch.conv.explain', function()
      torch.conv.prefer = 'fft'
      assert.equal('fft', torch.conv.prefer)
      assert.truthy(torch.conv.explain(x, w):find 'forward: fft, preferred\n')
   end)

   it('gives way to torch.conv.engine', function()
      torch.conv.prefer, torch.conv.engine = 'fft', 'gemm'
      assert.equal('gemm', torch.conv.choice('forward', x, w))
   end)

   it('refuses names that no engine has, and stays as it was', function()
      torch.conv.prefer = 'fft'
      refuses('torch.conv.prefer must be nil or one of gemm, ', function() torch.conv.prefer = 'cudnn' end)
      refuses(', got 3', function() torch.conv.prefer = 3 end)
      local matrix = torch.ones(2, 3)
      refuses(', got a torch.DoubleTensor of size 2x3',
         function() torch.conv.prefer = matrix end)
      refuses('strideH must be a whole number from 1 to 2147483647, got a torch.DoubleTensor of',
         torch.conv.choice, 'forward', { 1, 3, 8, 8 }, { 4, 3, 3, 3 }, matrix)
      assert.equal('fft', torch.conv.prefer)
   end)

   it('begins as TH_CONV_ENGINE says', function()
      assert.equal('fft\n', child('print(torch.conv.prefer)', '', 'TH_CONV_ENGINE=fft'))
      assert.equal('nil\n', child('print(torch.conv.prefer)', '', 'TH_CONV_ENGINE='))
      assert.equal('nil\n', child('torch.conv.prefer = nil print(torch.conv.prefer)', '', 'TH_CONV_ENGINE=fft'))
      assert.truthy(child('print(1)', '', 'TH_CONV_ENGINE=cuda'):find('TH_CONV_ENGINE must be nil or one of gemm, ', 1, true))
   end)

   it('may name an engine of devices in TH_CONV_ENGINE, whether or not there are any', function()
      local script = 'print(torch.conv.prefer, torch.conv.choice("forward", { 1, 3, 8, 8 }, { 4, 3, 3, 3 }))'
      assert.equal('nil\tgemm\n', child(script, '', 'TH_CONV_ENGINE=cudnn'))
      assert.equal('nil\tgemm\n', child(script, '', 'TH_CONV_ENGINE=cufft'))
   end)
end)

describe('torch.conv.with', function()
   it('prefers an engine while a function runs, also one that fails, and gives its results', function()
      local function inside(...) return torch.conv.prefer, select('#', ...), ... end
      torch.conv.prefer = 'gemm'
      assert.same({ 'fft', 2, 1, 2 }, { torch.conv.with('fft', inside, 1, 2) })
      assert.equal('gemm', torch.conv.prefer)
      assert.equal('fft1d', torch.conv.with('fft', function()
         local inner = torch.conv.with('fft1d', inside)
         assert.equal('fft', torch.conv.prefer)
         return inner
      end))
      refuses('oops', torch.conv.with, 'fft', error, 'oops')
      assert.equal('gemm', torch.conv.prefer)
      assert.equal('gemm', (torch.conv.with(nil, inside)))
   end)

   it('refuses names that no engine has', function()
      refuses('torch.conv.with: engine must be nil or one of gemm, ', torch.conv.with, 'cudnn', print)
   end)
end)

-- A layer that many engines do, its passes, and a copy of what they get.
local LAYER = [[
   torch.manualSeed(5)
   local x, w = torch.FloatTensor(2, 8, 24, 24):uniform(-1, 1), torch.FloatTensor(16, 8, 5, 5):uniform(-1, 1)
   local b, g = torch.FloatTensor(16):uniform(-1, 1), torch.FloatTensor(2, 16, 20, 20):uniform(-1, 1)
   local gw, gb = torch.FloatTensor(16, 8, 5, 5):fill(0.5), torch.FloatTensor(16):fill(0.25)
   local function run()
      local gw, gb = gw:clone(), gb:clone()
      torch.conv2d_grad_weight(gw, gb, x, g, 0.5)
      return { forward = torch.conv2d(x, w, b), gradInput = torch.conv2d_grad_input(x, g, w), gradWeight = gw, gradBias = gb }
   end
]]

-- The file of times below a folder.
local function file_of(cache)
   local p = io.popen(("ls '%s'/*.txt"):format(cache))
   local name = p:read '*l'
   p:close()
   return name
end

describe('torch.conv.benchmark', function()
   it('is off, and writes nothing then', function()
      local cache = folder()
      assert.equal('false\tnil\n', child(LAYER .. 'run() print(torch.conv.benchmark, torch.conv.file)', cache))
      assert.is_nil(io.open(cache))
   end)

   it('has the fastest measured engine compute, whose bits come out from the first call on; operands stay', function()
      assert.equal('ok\n', child(LAYER .. [[
         local before = { x:clone(), w:clone(), b:clone(), g:clone() }
         torch.conv.benchmark = true
         local first, second = run(), run()
         for i, t in ipairs { x, w, b, g } do assert(torch.equal(before[i], t)) end
         for pass, y in pairs(first) do
            assert(torch.equal(y, second[pass]), pass)
            if pass ~= 'gradBias' then
               torch.conv.prefer = torch.conv.choice(pass, x, w)              -- one that may not do the other passes
               assert(torch.equal(y, run()[pass]), pass)
               torch.conv.prefer = nil
            end
         end
         print 'ok']], folder()))
   end)

   it('gives the gradients of the weights once, added to what was there, also to transposed ones', function()
      assert.equal('ok\n', child(LAYER .. [[
         gw = gw:transpose(3, 4):contiguous():transpose(3, 4)
         torch.conv.benchmark = true
         local y = run()
         torch.conv.engine = 'gemm'
         local z = run()
         assert((y.gradWeight - z.gradWeight):norm() < 1e-5 * z.gradWeight:norm())
         assert((y.gradBias - z.gradBias):norm() < 1e-5 * z.gradBias:norm())
         print 'ok']], folder()))
   end)

   it('explains what was measured beside what was predicted', function()
      local text = child(LAYER .. [[
         torch.conv.benchmark = true
         run()
         local best = {}
         for pass, engine, rest in torch.conv.explain(x, w):gmatch '(%w+): (%w+), measured\n(.-ms measured.-)\n%f[%w]' do
            best[#best + 1] = pass .. ' ' .. engine
            for name, ms in rest:gmatch '(%w+) +[%d.]+ ms predicted, +([%d.]+) ms measured, ' do
               local chosen = tonumber(rest:match('%f[%w]' .. engine .. ' +[%d.]+ ms predicted, +([%d.]+) ms measured'))
               assert(chosen <= tonumber(ms), name)
            end
         end
         print(#best)]], folder())
      assert.truthy(text == '2\n' or text == '3\n', text)      -- the last pass is not followed by a line
   end)

   it('reads the next time what it has measured, and does as that says', function()
      local cache = folder()
      assert.equal('', child(LAYER .. 'torch.conv.benchmark = true run()', cache))
      local name = file_of(cache)
      local text = temporary.get(name)
      for _, engine in ipairs { 'gemm', 'fft' } do
         local f = assert(io.open(name, 'w'))
         f:write((text:gsub(engine .. ' %d+', engine .. ' 1')))
         f:close()
         local changed = temporary.get(name)
         assert.equal(('%s %s %s\n'):format(engine, engine, engine), child(LAYER .. [[
            torch.conv.benchmark = true
            local t = {}
            for i, pass in ipairs { 'forward', 'gradInput', 'gradWeight' } do t[i] = torch.conv.choice(pass, x, w) end
            run()
            print(table.concat(t, ' '))]], cache))
         assert.equal(changed, temporary.get(name))
      end
      assert.equal('gemm\n', child(LAYER .. [[
         torch.conv.benchmark = true
         torch.conv.benchmark = false
         print(torch.conv.choice('forward', { 3, 8, 8 }, { 4, 3, 3, 3 }))]], cache))
   end)

   it('measures again for another number of threads and another dtype', function()
      local cache = folder()
      child(LAYER .. [[
         torch.conv.benchmark = true
         torch.setnumthreads(1)
         torch.conv2d(x, w, b)
         torch.setnumthreads(2)
         torch.conv2d(x, w, b)
         torch.conv2d(x:double(), w:double(), b:double())]], cache)
      local _, records = temporary.get(file_of(cache)):gsub('\n%d+ [^\n]* : gemm %d+', '')
      assert.equal(3, records)
   end)

   it('passes over a damaged file with one warning, and replaces it', function()
      local cache = folder()
      child(LAYER .. 'torch.conv.benchmark = true run()', cache)
      local name = file_of(cache)
      local text = temporary.get(name)
      local damaged = { '', 'x', text:sub(1, -2), text:sub(1, 40), text .. 'x\n', text:gsub(' : ', ' ; '), text .. '\0\n',
         text:gsub('gemm %d+', 'gemm 99999999999999999999999'), text .. '0 0 0\n', text:gsub('level', 'lever'),
         text .. ('9'):rep(1000) .. '\n', ('\255'):rep(5000) }
      for i, bytes in ipairs(damaged) do
         local f = assert(io.open(name, 'wb'))
         f:write(bytes)
         f:close()
         local said = child(LAYER .. 'torch.conv.benchmark = true run() run() print "ok"', cache)
         if bytes ~= '' then
            assert.truthy(said:find '^torch.conv.benchmark: [^\n]* is passed over: it is damaged\nok\n$', i .. ': ' .. said)
         end
         local now = temporary.get(name)
         assert.equal(text:match '^.-\n%d+ ', now:match '^.-\n%d+ ')
      end
   end)

   it('never crashes on bytes that were changed at random', function()
      local cache = folder()
      child(LAYER .. 'torch.conv.benchmark = true run()', cache)
      local name = file_of(cache)
      local text = temporary.get(name)
      temporary.put(text, '.good')
      assert.equal('ok\n', (child(LAYER .. ([[
         local name, text = %q, %q
         io.stderr = { write = function() end }
         torch.manualSeed(8)
         for i = 1, 300 do
            local at = torch.random(#text)
            local f = assert(io.open(name, 'wb'))
            f:write(text:sub(1, at - 1), string.char(torch.random(0, 255)), text:sub(at + torch.random(0, 2)))
            f:close()
            torch.conv.benchmark = true
            assert(#torch.conv.choice('forward', x, w) > 2)
            torch.conv.explain(x, w)
         end
         print 'ok']]):format(name, text), cache)))
   end)

   it('works where nothing can be written, and says so', function()
      local text = child(LAYER .. 'torch.conv.benchmark = true run() print(torch.conv.explain(x, w))', '/dev/null/cache')
      assert.truthy(text:find ', measured\n')
      assert.truthy(text:find '\n/dev/null/cache/conv%-%x+%.txt cannot be written: [^\n]+\n$', text)
      assert.equal('nil\n', child(LAYER .. 'torch.conv.benchmark = true run() print(torch.conv.file)', ''))
   end)

   it('keeps its file where XDG_CACHE_HOME or HOME say, and TH_CACHE_DIR before these', function()
      local script = 'torch.conv.benchmark = true print(torch.conv.file)'
      local function file(environment)
         return child(script, '', 'env -u TH_CACHE_DIR ' .. environment):gsub('conv%-%x+%.txt\n$', '')
      end
      assert.equal('/x/cresset/', (file 'XDG_CACHE_HOME=/x HOME=/y'))
      assert.equal('/y/.cache/cresset/', (file '-u XDG_CACHE_HOME HOME=/y'))
      assert.equal('/y/.cache/cresset/', (file 'XDG_CACHE_HOME=relative HOME=/y'))
      assert.equal('nil\n', (file '-u XDG_CACHE_HOME -u HOME'))
      assert.equal('/z/', (file 'XDG_CACHE_HOME=/x TH_CACHE_DIR=/z'))
   end)

   it('shares its file with other processes: what each has measured is there in the end', function()
      local cache = folder()
      local script = temporary.put([[
         torch.conv.benchmark = true
         local own = tonumber(arg[1])
         for i = 1, 4 do
            torch.conv2d(torch.FloatTensor(1, 8, 20 + own, 20 + i):zero(), torch.FloatTensor(16, 8, 3, 3):zero(), torch.FloatTensor(16))
         end]], '.lua')
      local parts = {}
      for i = 1, 4 do parts[i] = ("TH_CACHE_DIR='%s' '%s' '%s' %d &"):format(cache, TH, script, i) end
      os.execute(table.concat(parts, ' ') .. ' wait')
      local text = temporary.get(file_of(cache))
      local _, records = text:gsub('\n%d+ [^\n]* : gemm %d+', '')
      assert.equal(16, records)
      local p = io.popen(("ls '%s'"):format(cache))
      local names = p:read '*a'
      p:close()
      assert.truthy(names:find '^conv%-%x+%.txt\nconv%-%x+%.txt%.lock\n$', names)
   end)

   it('measures nothing that is small, forced or preferred', function()
      local cache = folder()
      child(LAYER .. [[
         torch.conv.benchmark = true
         torch.conv2d(torch.FloatTensor(1, 8, 8):zero(), torch.FloatTensor(1, 1, 3, 3):zero(), torch.FloatTensor(1))
         torch.conv2d(torch.FloatTensor(0, 8, 24, 24), w, b)
         torch.conv.engine = 'gemm'
         run()
         torch.conv.engine, torch.conv.prefer = nil, 'gemm'
         run()]], cache)
      assert.is_nil(io.open(cache))
   end)

   it('leaves out an engine that has too little memory, and keeps nothing of that', function()
      local cache = folder()
      local text = child(LAYER .. [[
         local C = require 'torch.lib'.C
         local memory, y = C.th_memory_of(C.TH_CPU), torch.FloatTensor(2, 16, 20, 20)
         torch.conv.engine = 'gemm'
         local expected = torch.conv2d(x, w, b)
         torch.conv.engine, torch.conv.benchmark = nil, true
         collectgarbage()
         memory.most = memory.bytes + 100000
         torch.conv2d(y, x, w, b)
         memory.most = 0
         assert((y - expected):norm() < 1e-5 * expected:norm())
         print(torch.conv.explain(x, w))]], cache)
      assert.truthy(text:find '\nforward: %w+, measured\n', text)
      assert.truthy(text:find '\n   fft +[%d.]+ ms predicted, +[%d.]+ Gflop', text)
      assert.falsy(temporary.get(file_of(cache)):find ' : gemm')
   end)

   it('refuses what is neither true nor false', function()
      refuses('torch.conv.benchmark must be true or false, got a number (1)', function() torch.conv.benchmark = 1 end)
      refuses('torch.conv.benchmark must be true or false, got a string', function() torch.conv.benchmark = 'yes' end)
      refuses('torch.conv.file tells where times are kept and cannot be set: set TH_CACHE_DIR', function() torch.conv.file = 'x' end)
      assert.is_false(torch.conv.benchmark)
   end)
end)
