-- test/op/blas_memory_limit_spec.lua - BLAS in a process whose address space is limited (ulimit -v): an error in time, or the result.
-- runs once, on the plain build: sanitizers need additional address space
local torch = require 'torch'
local emulated = require 'test.support.emulated'
local shell = require 'test.support.shell'
local temporary = require 'test.support.temporary'

local TH = os.getenv 'TH' or 'build/bin/th'
local config = torch.config()
local there = tostring(config.blas):find 'OpenBLAS' and config.lapack == 'found'

teardown(temporary.remove)

local lacking = not there and 'OpenBLAS is not installed' or emulated 'limits of the address space'
local function limited(title, f)
   it(title, function()
      if lacking then return pending(lacking) end
      f()
   end)
end

-- What a script writes in a process of so many MiB; an error when it takes more than a minute.
local function run(mib, script, environment)
   local file = temporary.put(script, '.lua')
   return shell.ok(("ulimit -v %d; %s timeout 60 '%s' '%s'"):format(
      mib * 1024, environment or '', TH, file))
end

-- Calls that need LAPACK, on matrices with a solution.
local calls = [[
   torch.manualSeed(1)
   local n = 200
   local x = torch.randn(n, n)
   local a, b = torch.mm(x, x:t()):add(n, torch.eye(n)), torch.randn(n, 3)
   local calls = {
      gesv = function() return torch.gesv(b, a) end, gels = function() return torch.gels(b, a) end,
      trtrs = function() return torch.trtrs(b, a) end, inverse = function() return torch.inverse(a) end,
      symeig = function() return torch.symeig(a, 'V') end, eig = function() return torch.eig(a, 'V') end,
      svd = function() return torch.svd(a) end, potrf = function() return torch.potrf(a) end,
      potri = function() return torch.potri(a) end, potrs = function() return torch.potrs(b, a) end,
      pstrf = function() return torch.pstrf(a) end, qr = function() return torch.qr(a) end,
      geqrf = function() return torch.geqrf(a) end, orgqr = function() return torch.orgqr(a, b:select(2, 1)) end,
      ormqr = function() return torch.ormqr(a, b:select(2, 1), b) end,
   }
   local names = {}
   for name in pairs(calls) do names[#names + 1] = name end
   table.sort(names)
]]

describe('BLAS in a process of limited size', function()
   limited('is an error in time in each function of LAPACK', function()
      local out = run(256, calls .. [[
         for _, name in ipairs(names) do
            local ok, why = pcall(calls[name])
            print(name, ok, (tostring(why):gsub('^.-: ', '')))
         end]])
      local want = 'false\tout of memory: BLAS needs 192 MiB of address space, more than the process may have (ulimit -v)\n'
      local lines = select(2, out:gsub('\n', ''))
      assert.equal(15, lines, out)
      for line in out:gmatch '[^\n]+\n' do assert.equal(want, line:match '\t(.*)', line) end
   end)

   limited('is the result in each function of LAPACK where there is room', function()
      local script = calls .. [[
         for _, name in ipairs(names) do
            local y = calls[name]()
            print(name, ('%.17g %.17g'):format(y:sum(), y:norm()))
         end]]
      assert.equal(run(16384, script), run(512, script))
   end)

   limited('leaves products to other kernels where there is no room', function()
      local out = run(256, [[
         torch.setnumthreads(8)
         local x = torch.range(1, 90000):view(300, 300):fmod(7)
         print(torch.mm(x, x):sum())]], 'TH_CPU=base')
      local x = torch.range(1, 90000):view(300, 300):fmod(7)
      assert.equal(torch.mm(x, x):sum(), tonumber(out))
   end)

   limited('runs as many calls at a time as there is room for, with the same bits', function()
      local script = [[
         torch.setnumthreads(8)
         torch.manualSeed(1)
         local x = torch.randn(700, 700)
         for _ = 1, 5 do print(('%.17g'):format(torch.mm(x, x):norm())) end]]
      assert.equal(run(16384, script, 'TH_CPU=base'), run(700, script, 'TH_CPU=base'))
   end)

   limited('is tried again when the limit has been raised', function()
      local out = run(4096, [[
         local ffi = require 'ffi'
         ffi.cdef 'struct limit { unsigned long now, most; }; int setrlimit(int, struct limit *); int getrlimit(int, struct limit *);'
         local l = ffi.new 'struct limit'
         ffi.C.getrlimit(9, l)                                       -- RLIMIT_AS
         l.now = 2 ^ 28
         ffi.C.setrlimit(9, l)
         local x = torch.eye(3)
         print(pcall(torch.inverse, x))
         l.now = l.most
         ffi.C.setrlimit(9, l)
         print(torch.inverse(x):sum())]])
      assert.matches('^false\tinverse: out of memory: BLAS needs [^\n]*\n3\n$', out)
   end)
end)
