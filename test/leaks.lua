-- test/leaks.lua [-only PATTERN] - checks that programs free what they allocate, with LeakSanitizer at the end of each.
--
-- The programs load every package, run the activities of the soak, end in an error, or call os.exit. th closes its Lua state at
-- the end. Memory that is still allocated then and that no C variable reaches is a leak. Memory that libraries keep is
-- reachable: OpenBLAS and libedit hold their tables by global variables, and LuaJIT's own memory does not come from malloc. So
-- there are no suppressions. Processes that a program starts are checked, too. The status is 1 after a leak.
--
-- gcc's liblsan.so is preloaded into th, so that this needs no separate build.
local here = debug.getinfo(1, 'S').source:match '^@(.*)/[^/]*$' or '.'
local th, only = arg[-1] or 'build/bin/th', arg[1] == '-only' and arg[2] or ''

local PACKAGES = { 'torch', 'nn', 'nn.recurrent', 'optim', 'paths', 'sys', 'xlua', 'graph', 'nngraph', 'autograd', 'totem',
   'fbnn', 'dist', 'feed', 'tds', 'image', 'hdf5', 'threads', 'gnuplot', 'loadcaffe', 'text', 'onnx', 'jupyter', 'cudnn', 'env', 'trepl', 'dok' }

local shell = require 'test.support.shell'
local sh, quote = shell.run, shell.quote

local programs = {
   { name = 'nothing', options = '-e ""' },
   { name = 'packages', options = '-e ' .. quote(("for name in ('%s'):gmatch '%%S+' do require(name) end"):format(
      table.concat(PACKAGES, ' '))) },
   { name = 'an error', status = 1, options = '-e ' .. quote 'local x = torch.rand(9) x:apply(function() error(x) end)' },
   { name = 'os.exit', status = 3,
      options = '-e ' .. quote 'local x = torch.rand(9) coroutine.wrap(function() os.exit(3) end)()' },
   { name = 'the prompt', options = '-i' },
}
local soak = quote(here .. '/soak.lua')
for name in sh(quote(th) .. ' ' .. soak .. ' -list'):gmatch '[^\n]+' do
   programs[#programs + 1] = { name = 'soak: ' .. name, options = ('%s -rounds 2 -only %s'):format(soak, name) }
end

local compiler = os.getenv 'CC' or 'cc'
local sanitizer = sh(compiler .. ' -print-file-name=liblsan.so'):gsub('%s+$', '')
if not sanitizer:find '^/' then error(('leaks: %s has no liblsan.so; gcc brings it'):format(compiler), 0) end
local folder = os.tmpname()
os.remove(folder)
assert(select(2, sh('mkdir ' .. quote(folder))) == 0)
local environment = ('LD_PRELOAD=%s LSAN_OPTIONS=exitcode=0:log_path=%s/report'):format(quote(sanitizer), folder)

-- What the sanitizer says about a program, or nil.
local function look(program)
   local out, status = sh(('timeout 900 env %s %s %s'):format(environment, quote(th), program.options))
   local report = sh(('cat %s/report.* 2>/dev/null; rm -f %s/report.*'):format(folder, folder))
   if report ~= '' then return report end
   if status ~= (program.status or 0) then return ('it ended with status %s: %s'):format(tostring(status), out) end
end

-- A program that leaks shows that the sanitizer is there.
local lost = look { options = '-e ' .. quote [[require 'ffi'.cdef 'void *malloc(size_t)' require 'ffi'.C.malloc(100)]] }
local wrong, count = 0, 0
if not (lost and lost:find 'LeakSanitizer: detected memory leaks') then
   wrong = 1
   print('LeakSanitizer sees no leak where there is one: ' .. (lost or 'the program ended well'))
else
   for _, program in ipairs(programs) do
      if program.name:find(only) then
         local why = look(program)
         count = count + 1
         if why then wrong = wrong + 1 end
         print(('%-16s %s'):format(program.name, why or 'nothing is lost'))
         io.flush()
      end
   end
end
sh('rm -rf ' .. quote(folder))
local sum = ('%d programs, %d with a leak'):format(count, wrong)
print('leaks: ' .. sum)
if only == '' then require 'test.runs'.note('leaks', count, sum) end
os.exit(wrong == 0 and 0 or 1)
