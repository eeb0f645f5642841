-- test/cuda/emu_spec.lua - the emulated device: barriers, warps, streams, faults, with and without AddressSanitizer; data races.
-- runs once: the device does not depend on the level
local shell = require 'test.support.shell'
local temporary = require 'test.support.temporary'

local function run(command)
   local out, status = shell.run(command)
   return status, out
end

if run 'command -v c++ >/dev/null' ~= 0 then
   describe('the emulated CUDA device', function() pending 'there is no C++ compiler here' end)
   return
end
if run 'test -f cunn/emu/fiber.cc' ~= 0 then
   describe('the emulated CUDA device', function() pending 'its sources are not here: this is an archive' end)
   return
end

-- The device without the stand-ins for cuBLAS, cuDNN, cuFFT and NCCL, which take half of the time
-- to compile.
local SOURCES = shell.ok 'ls cunn/emu/*.cc':gsub('cunn/emu/[^\n]*\n', function(file)
   for _, library in ipairs{ 'cublas', 'cudnn', 'cufft', 'nccl' } do
      if file:find(library, 1, true) then return '' end
   end
end):gsub('\n', ' ') .. 'test/support/cuda/emu.cc'

-- A kernel that is wrong on purpose, or right, and what its race is between.
local RACES = {
   { 'a read of what another thread of the block writes, without __syncthreads', 'neighbours' },
   { 'a write to what another thread of the block still reads', 'dynamic' },
   { 'lanes of different warps that meet only within their warps', 'lanes' },
   { 'lanes of a warp, without a second __syncwarp', 'twice' },
   { 'blocks that add to one word without atomics', 'blocks' },
   { 'threads that write one byte', 'marks' },
   { 'streams of which none waits for the other', 'unordered' },
   { 'the host and a copy to pinned memory for which it has not waited', 'pinned' },
}

describe('the emulated CUDA device, where it looks for data races,', function()
   local folder, case = nil, nil
   setup(function()
      folder = temporary.name '.races'
      local listed = io.open 'cunn/emu/CMakeLists.txt':read '*a':match 'set%(uninstrumented ([%a ]+)%)'
      local status, text = run(([[
         mkdir FOLDER
         instrumented='-fsanitize=thread --param tsan-distinguish-volatile=1'
         if c++ --version | grep -q clang; then instrumented='-fsanitize=thread -mllvm -tsan-distinguish-volatile=1'; fi
         for f in SOURCES; do
            how=$instrumented
            for name in LISTED; do if [ $f = cunn/emu/$name.cc ]; then how=; fi; done
            c++ -std=c++17 -O1 -g1 -fsanitize=alignment $how -Wall -Wextra -Werror -DTH_EMU_RACES -Icunn/emu -Ilib/include -c $f \
               -o FOLDER/$(echo $f | tr / _).o || exit 1
         done
         c++ FOLDER/*.o -lpthread -ldl -o FOLDER/program]])
         :gsub('SOURCES', SOURCES):gsub('FOLDER', folder):gsub('LISTED', listed))
      assert(status == 0, text)
      function case(arguments, environment)
         return run(('env -u TH_CUDA_EMU_RANDOM %s %s/program %s'):format(environment or '', folder, arguments))
      end
   end)
   teardown(function() run('rm -r ' .. folder) end)

   for _, race in ipairs(RACES) do
      it('reports ' .. race[1] .. ', and not the right version', function()
         for _, environment in ipairs{ '', 'TH_CUDA_EMU_RANDOM=3' } do
            local status, text = case(race[2] .. ' wrong', environment)
            assert(status == 0 and text:find('data race at 0x%x+\n  first: .-\n  then: ') and text:find 'emu%.cc', text)
            status, text = case(race[2] .. ' right', environment)
            assert(status == 0 and text == '', text)
         end
      end)
   end
   it('reports nothing in kernels, graphs and captures that are right', function()
      for _, name in ipairs{ 'works', 'block', 'graphs', 'captures' } do
         for _, environment in ipairs{ '', 'TH_CUDA_EMU_RANDOM=3' } do
            local status, text = case(name, environment)
            assert(status == 0 and text == '', text)
         end
      end
   end)
end)

for _, how in ipairs{ { 'as it is', '-O1' }, { 'under AddressSanitizer', '-O1 -g1 -fsanitize=address', true } } do
   describe('the emulated CUDA device, ' .. how[1] .. ',', function()
      local program, case = nil, nil
      setup(function()
         program = temporary.name '.emu'
         local status, text = run(('c++ -std=c++17 %s -fsanitize=alignment -Wall -Wextra -Werror -Icunn/emu -Ilib/include '
            .. '%s -lpthread -ldl -o %s'):format(how[2], SOURCES, program))
         assert(status == 0, text)
         function case(name, environment)
            return run(('env -u TH_CUDA_EMU_RANDOM ASAN_OPTIONS=detect_leaks=0 %s %s %s')
               :format(environment or '', program, name))
         end
      end)
      teardown(function() os.remove(program) end)

      it('runs barriers, warps, shared memory and atomics', function()
         local status, text = case 'works'
         assert(status == 0, text)
      end)
      it('runs them in random order too', function()
         for seed = 1, 3 do
            local status, text = case('works', 'TH_CUDA_EMU_RANDOM=' .. seed)
            assert(status == 0, text)
         end
      end)
      it('shows what depends on the order', function()
         local seen, kinds = {}, 0
         for seed = 1, 8 do
            local _, text = case('random', 'TH_CUDA_EMU_RANDOM=' .. seed)
            if not seen[text] then kinds = kinds + 1 end
            seen[text] = true
         end
         assert(kinds > 1)
         local _, text = case 'random'
         assert.equal('255\n', text)
      end)
      it('keeps the order of streams and of nothing else', function()
         local status, text = case 'streams'
         assert(status == 0, text)
      end)
      it('reports wrong launches, threads that wait for ever and different barriers, and continues', function()
         local status, text = case 'errors'
         assert(status == 0, text)
         assert(text:find('wait for each other for ever', 1, true), text)
         local _, times = text:gsub('kernel apart%b(): threads of a block meet at different barriers: '
            .. 'thread %d+ at [^ ]*emu%.cc:%d+, thread %d+ at [^ ]*emu%.cc:%d+', '')
         assert.equal(1, times)
      end)
      it('fails a kernel that loads or stores at an address that is not aligned for its type', function()
         local status, text = case 'misaligned'
         assert(status == 0, text)
         local failures = {}
         for failure in text:gmatch 'kernel [^\n]*' do failures[#failures + 1] = failure end
         assert.equal(3, #failures)
         for i, access in ipairs{ 'reference', 'store', 'store' } do
            assert(failures[i]:find(access .. ' to a misaligned address', 1, true), failures[i])
            assert(failures[i]:find 'emu%.cc:%d+', failures[i])
         end
      end)
      it('reports memory that a stream uses or frees without a wait for the stream that made or uses it', function()
         local status, text = case 'across'
         assert(status == 0, text)
         local _, uses = text:gsub('has not waited for the stream that allocated the memory it uses', '')
         local _, frees = text:gsub('cudaFreeAsync: its stream has not waited for a stream that uses the memory', '')
         assert.equal(2, uses)
         assert.equal(1, frees)
      end)
      it('gives every block garbage in its shared memory', function()
         for _, environment in ipairs{ '', 'TH_CUDA_EMU_RANDOM=2' } do
            local status, text = case('block', environment)
            assert(status == 0, text)
         end
      end)
      it('captures what streams are given and does it when the graph is launched, again and again', function()
         for _, environment in ipairs{ '', 'TH_CUDA_EMU_RANDOM=2' } do
            local status, text = case('graphs', environment)
            assert(status == 0, text)
         end
      end)
      it('refuses what no capture can hold, as CUDA does', function()
         local status, text = case 'captures'
         assert(status == 0, text)
      end)
      if how[3] then
         it('finds a kernel that writes behind its memory', function()
            local status, text = case 'out'
            assert(status ~= 0 and text:find('heap-buffer-overflow', 1, true), text)
         end)
      end
   end)
end
