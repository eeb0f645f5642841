-- test/cuda/library_spec.lua - the search for CUDA libraries: TH_CUDA_LIBS, the loader, packages of Python; errors.
-- runs once: the search does not depend on the level
local shell = require 'test.support.shell'
local temporary = require 'test.support.temporary'

local function run(command)
   local out, status = shell.run(command)
   return status, out
end

if run 'command -v c++ >/dev/null' ~= 0 then
   describe('a library of CUDA', function() pending 'there is no C++ compiler here' end)
   return
end
if run 'test -f cunn/libraries/library.cc' ~= 0 then
   describe('a library of CUDA', function() pending 'its source is not here: this is an archive' end)
   return
end

describe('a library of CUDA', function()
   local program, home = nil, nil

   -- A library that answers with a number, in a folder of the home.
   local function put(folder, name, answer, symbol)
      local source = temporary.put(('int %s(void) { return %d; }\n'):format(symbol or 'answer', answer), '.c')
      local status, text = run(("mkdir -p '%s/%s' && c++ -shared -fPIC -x c '%s' -o '%s/%s/%s'"):format(home,
         folder, source, home, folder, name))
      assert(status == 0, text)
   end

   -- What a program finds that looks for these files; PATH and the user's Python are those of the home.
   local function find(environment, files)
      local status, text = run(("cd '%s' && env -i HOME='%s' PATH='%s/bin' %s '%s' answer %s"):format(home, home, home,
         environment or '', program, files or 'libprobe-a.so libprobe-b.so'))
      assert(status == 0, text)
      return (text:gsub('\n$', ''):gsub(home:gsub('%p', '%%%0'), '~'))
   end

   setup(function()
      program, home = temporary.name '.program', temporary.name '.home'
      local build = 'c++ -std=c++17 -Wall -Wextra -Werror test/support/cuda/library.cc cunn/libraries/library.cc -ldl -o '
      local status, text = run(build .. program)
      assert(status == 0, text)
      put('first', 'libprobe-b.so', 1)
      put('second', 'libprobe-a.so', 2)
      put('loader', 'libprobe-a.so', 3)
      put('venv/lib/python3.11/site-packages/nvidia/probe/lib', 'libprobe-b.so', 4)
      put('lib/python3.9/site-packages/nvidia/cu13/lib', 'libprobe-b.so', 5)
      put('.local/lib/python3.12/site-packages/nvidia/probe/lib', 'libprobe-b.so', 6)
      put('modules/nvidia/probe/lib', 'libprobe-a.so', 7)
      put('idle', 'libprobe-a.so', 9)
      put('other', 'libprobe-a.so', 8, 'question')
      put('pyenv/versions/3.11/lib/python3.11/site-packages/nvidia/probe/lib', 'libprobe-a.so', 10)
      put('.pyenv/versions/3.12/lib/python3.12/site-packages/nvidia/probe/lib', 'libprobe-c.so', 11)
      put('real/lib/python3.11/site-packages/nvidia/probe/lib', 'libprobe-d.so', 12)
      put('conda/lib', 'libprobe-e.so', 13)
      run(("cd '%s' && mkdir -p bin real/bin && touch real/bin/python3 && ln -s ../real/bin/python3 bin/python3"):format(home))
      run(("mkdir -p '%s/bin' '%s/empty' '%s/broken'; echo no library >'%s/broken/libprobe-a.so'"):format(home, home, home, home))
   end)
   teardown(function()
      os.remove(program)
      os.execute(("rm -r '%s'"):format(home))
      temporary.remove()
   end)

   it('comes first from the folders of TH_CUDA_LIBS, in their order', function()
      assert.equal('~/first/libprobe-b.so 1', find "TH_CUDA_LIBS=$PWD/first:$PWD/second LD_LIBRARY_PATH=$PWD/loader")
      assert.equal('~/second/libprobe-a.so 2', find "TH_CUDA_LIBS=::$PWD/empty:$PWD/second:$PWD/first")
      assert.equal('libprobe-a.so 3', find "TH_CUDA_LIBS=$PWD/empty LD_LIBRARY_PATH=$PWD/loader")
   end)

   it('comes from where the loader looks before packages of Python', function()
      assert.equal('libprobe-a.so 3', find "LD_LIBRARY_PATH=$PWD/loader VIRTUAL_ENV=$PWD/venv")
   end)

   it("comes from nvidia/*/lib of Python's path, of the active environment, of PATH and of the user", function()
      assert.equal('~/modules/nvidia/probe/lib/libprobe-a.so 7', find "PYTHONPATH=$PWD/modules VIRTUAL_ENV=$PWD/venv")
      assert.equal('~/venv/lib/python3.11/site-packages/nvidia/probe/lib/libprobe-b.so 4', find "VIRTUAL_ENV=$PWD/venv")
      assert.equal('~/venv/lib/python3.11/site-packages/nvidia/probe/lib/libprobe-b.so 4', find "CONDA_PREFIX=$PWD/venv")
      assert.equal('~/bin/../lib/python3.9/site-packages/nvidia/cu13/lib/libprobe-b.so 5', find())
      assert.equal('~/pyenv/versions/3.11/lib/python3.11/site-packages/nvidia/probe/lib/libprobe-a.so 10',
         find 'PATH=/nowhere PYENV_ROOT=$PWD/pyenv')
      assert.equal('~/.pyenv/versions/3.12/lib/python3.12/site-packages/nvidia/probe/lib/libprobe-c.so 11',
         find('PATH=/nowhere', 'libprobe-c.so'))
      assert.equal('~/real/bin/../lib/python3.11/site-packages/nvidia/probe/lib/libprobe-d.so 12', find('', 'libprobe-d.so'))
      assert.equal('~/conda/lib/libprobe-e.so 13', find('CONDA_PREFIX=$PWD/conda', 'libprobe-e.so'))
      assert.equal('~/.local/lib/python3.12/site-packages/nvidia/probe/lib/libprobe-b.so 6', find 'PATH=/nowhere')
   end)

   it('is the file that its own variable names, if need be by where libraries are looked for, or none', function()
      assert.equal('~/second/libprobe-a.so 2', find "TH_PROBE=$PWD/second/libprobe-a.so TH_CUDA_LIBS=$PWD/first")
      assert.equal('~/second/libprobe-a.so 2', find "TH_PROBE=libprobe-a.so TH_CUDA_LIBS=$PWD/first:$PWD/second")
      assert.equal('TH_PROBE=none 0', find 'TH_PROBE=none')
   end)

   it('is said to be missing with what was looked for, and where', function()
      assert.equal('libnone.so was not found by the loader, or in nvidia/*/lib of a Python; TH_CUDA_LIBS names folders ' ..
         'to look in, TH_PROBE a file 0', find('', 'libnone.so'))
      assert.equal('libnone.so was not found in TH_CUDA_LIBS (/nowhere:x), by the loader, or in nvidia/*/lib of a Python; ' ..
         'TH_PROBE a file 0', find('TH_CUDA_LIBS=/nowhere:x', 'libnone.so'))
      assert.equal('TH_PROBE=libnone.so: it was not found by the loader, or in nvidia/*/lib of a Python; TH_CUDA_LIBS names ' ..
         'folders to look in 0', find 'TH_PROBE=libnone.so')
   end)

   it('that cannot be used is passed over, and named where there is no other', function()
      assert.equal('~/second/libprobe-a.so 2', find "TH_CUDA_LIBS=$PWD/broken:$PWD/other:$PWD/second")
      assert.equal('the probe in ~/other/libprobe-a.so has no answer 0', find("TH_CUDA_LIBS=$PWD/other", 'libprobe-a.so'))
      assert.equal('~/second/libprobe-a.so 2', find "TH_CUDA_LIBS=$PWD/idle:$PWD/second")
      assert.equal('the probe in ~/idle/libprobe-a.so does not work (it answers 9) 0', find("TH_PROBE=$PWD/idle/libprobe-a.so"))
      local text = find("TH_CUDA_LIBS=$PWD/broken", 'libprobe-a.so')
      assert.truthy(text:find('the probe in ~/broken/libprobe-a.so cannot be opened: ', 1, true), text)
      text = find "TH_PROBE=/nowhere/libprobe.so"
      assert.equal('TH_PROBE=/nowhere/libprobe.so: there is no such file 0', text)
   end)
end)
