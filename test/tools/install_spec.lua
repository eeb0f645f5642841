-- test/tools/install_spec.lua - installations by cmake --install and luarocks make work from any folder, without environment variables.
-- runs once, on the plain build: it starts programs that know nothing of sanitizers
local shell = require 'test.support.shell'
local sh, ok, has = shell.run, shell.ok, shell.has

local USE = [[print(nn.Linear(2, 3):forward(torch.ones(1, 2)):size(2), paths ~= nil, type(optim.sgd))]]
local function use(th) return ok(("cd / && env -i '%s' -e \"require 'nn' require 'optim' %s\""):format(th, USE)) end

describe('cmake --install', function()
   local dir
   setup(function()
      dir = ok('mktemp -d'):gsub('\n', '')
      ok(("cmake --install build --prefix '%s/prefix'"):format(dir))
   end)
   teardown(function() os.execute(("rm -rf '%s'"):format(dir)) end)

   it('leaves a th that finds its files from any directory', function()
      assert.equal('3\ttrue\tfunction\n', use(dir .. '/prefix/bin/th'))
   end)

   it('has the stubs for editors', function()
      ok(("cmp types/nn.lua '%s/prefix/share/cresset/types/nn.lua'"):format(dir))
      ok(("test -f '%s/prefix/share/cresset/types/nn/recurrent.lua'"):format(dir))
   end)

   it('leaves a th-convert that finds its files from any directory, by a link too', function()
      ok(("ln -s '%s/prefix/bin/th-convert' '%s/convert'"):format(dir, dir))
      for _, name in ipairs { 'prefix/bin/th-convert', 'convert' } do
         assert.truthy(ok(("cd / && env -i PATH=\"$PATH\" '%s/%s' -h"):format(dir, name)):find '^usage: th%-convert')
      end
   end)

   it('leaves a tree that may be moved', function()
      ok(("mv '%s/prefix' '%s/moved'"):format(dir, dir))
      assert.equal('3\ttrue\tfunction\n', use(dir .. '/moved/bin/th'))
      ok(("mv '%s/moved' '%s/prefix'"):format(dir, dir))
   end)

   it('works without /proc', function()
      if select(2, sh('unshare -m true')) ~= 0 then return pending 'needs the right to unmount /proc' end
      local out = ok(([[mkdir '%s/empty' && unshare -m sh -c 'mount --bind "$0/empty" /proc && cd "$0/prefix/bin" && PATH=$PWD:$PATH && cd / &&
         th -e "require [=[nn]=]; print(nn.Linear(2, 3):forward(torch.ones(2)):size(1))" && thrun -n 1 -- echo hello' '%s']]):format(dir, dir))
      assert.equal('3\n[0] hello\n', out)
   end)

   it('serves any LuaJIT that finds the Lua files', function()
      local out = ok(([[cd / && LUA_PATH='%s/prefix/share/lua/5.1/?.lua;%s/prefix/share/lua/5.1/?/init.lua' luajit -e "print(require('torch').ones(3):sum())"]]):format(dir, dir))
      assert.equal('3\n', out)
   end)

   it('serves C programs through find_package(Cresset)', function()
      local src = dir .. '/program'
      ok(("mkdir '%s'"):format(src))
      local function file(name, text)
         local f = assert(io.open(src .. '/' .. name, 'w'))
         f:write(text)
         f:close()
      end
      file('CMakeLists.txt', [[
cmake_minimum_required(VERSION 3.18)
project(program C)
find_package(Cresset 0.2 REQUIRED)
add_executable(program main.c)
target_link_libraries(program PRIVATE Cresset::th)
]])
      file('main.c', [[
#include <stdio.h>
#include <th.h>
int main(void)
{
  th_tensor t = { 0 };
  const int64_t size[2] = { 2, 3 };
  if (th_abi() != TH_ABI || th_tensor_resize(&t, TH_F32, 2, size, NULL) != TH_OK) return 1;
  printf("%d elements\n", (int)th_tensor_numel(&t));
  th_tensor_release(&t);
  return 0;
}
]])
      ok(("cmake -S '%s' -B '%s/b' -DCMAKE_PREFIX_PATH='%s/prefix' && cmake --build '%s/b'"):format(src, src, dir, src))
      assert.equal('6 elements\n', ok(("'%s/b/program'"):format(src)))
   end)

   it('serves the C programs of examples/embed through pkg-config, as doc/embed.md says', function()
      if not has 'pkg-config' then return pending 'pkg-config is not installed' end
      local with = ("PKG_CONFIG_PATH='%s/prefix/lib/pkgconfig'"):format(dir)
      local function made(name, packages)
         ok(("cc -Wall -Werror examples/embed/%s.c $(%s pkg-config --cflags --libs %s) -Wl,-rpath,'%s/prefix/lib' -o '%s/%s'"):format(name,
            with, packages, dir, dir, name))
         return ok(("cd / && LUA_PATH='%s/prefix/share/lua/5.1/?.lua;%s/prefix/share/lua/5.1/?/init.lua' '%s/%s'"):format(dir, dir, dir, name))
      end
      assert.equal('22 28\n49 64\n', made('ops', 'cresset'))
      assert.matches('^3 classes, the probabilities add up to 1%.000\n', made('net', 'cresset luajit'))
   end)

   it('serves plug-ins, as doc/user-ops.md says', function()
      local src, page = dir .. '/plugin', assert(io.open 'doc/user-ops.md')
      local lines = page:read '*a':match '```cmake\n(.-)```'
      page:close()
      ok(("mkdir '%s' && cp examples/plugin/squareplus.c '%s'"):format(src, src))
      local f = assert(io.open(src .. '/CMakeLists.txt', 'w'))
      f:write('cmake_minimum_required(VERSION 3.18)\nproject(plugin C)\n', lines)
      f:close()
      ok(("cmake -S '%s' -B '%s/b' -DCMAKE_PREFIX_PATH='%s/prefix' && cmake --build '%s/b'"):format(src, src, dir, src))
      assert.equal('1\n', ok(("cd / && env -i '%s/prefix/bin/th' -e \"print(torch.loadlib '%s/b/libsquareplus.so' and torch.squareplus(torch.zeros(1)):sum())\"")
         :format(dir, src)))
   end)
end)

describe('cmake', function()
   it('refuses to build for GPUs without nvcc', function()
      local dir = ok('mktemp -d'):gsub('\n', '')
      local out, status = sh(("CUDACXX=/nowhere/nvcc cmake -S . -B '%s' -DTH_CUDA=ON"):format(dir))
      assert.not_equal(0, status)
      assert.matches('TH_CUDA=ON: there is no nvcc', out)
      os.execute(("rm -rf '%s'"):format(dir))
   end)

   it('refuses a level that does not exist', function()
      local dir = ok('mktemp -d'):gsub('\n', '')
      local out, status = sh(("cmake -S . -B '%s' -DTH_LEVELS=sse9"):format(dir))
      assert.not_equal(0, status)
      assert.matches('base, avx2 or avx512, got sse9', out)
      os.execute(("rm -rf '%s'"):format(dir))
   end)
end)

describe('luarocks make', function()
   it('builds torch, nn and optim offline into a tree whose th works from anywhere', function()
      if not has 'luarocks' then return pending 'luarocks is not installed' end
      local dir = ok('mktemp -d'):gsub('\n', '')
      local launcher = has 'ccache' and ' -DCMAKE_C_COMPILER_LAUNCHER=ccache' or ''
      for rock in ([[
         torch nn paths gnuplot optim sys xlua trepl env dok cwrap graph nngraph autograd totem fbnn cutorch cunn fbcunn cudnn dist feed tds image
         hdf5 threads loadcaffe text onnx jupyter]]):gmatch '%S+' do
         -- Kernels for GPUs would take half an hour: without nvcc cutorch is Lua alone. At -O1 the
         -- library is compiled three times as fast.
         ok((([[CUDACXX=/nowhere/nvcc
            CMAKE_ARGS='-DTH_LEVELS=base -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O1%s'
            luarocks make --lua-version=5.1 --only-server=/nowhere --tree='%s'
            rocks/%s-scm-1.rockspec]]):gsub('%s*\n%s*', ' ')):format(launcher, dir, rock))
      end
      assert.equal('3\ttrue\tfunction\n', use(dir .. '/bin/th'))
      ok(("cc -shared -fPIC -I\"$(%s/bin/th -e 'print(torch.config().include)')\" examples/plugin/squareplus.c -o '%s/squareplus.so'"):format(dir, dir))
      assert.equal('1\n', ok(("'%s/bin/th' -e \"print(torch.loadlib '%s/squareplus.so' and torch.squareplus(torch.zeros(1)):sum())\""):format(dir, dir)))
      os.execute(("rm -rf '%s'"):format(dir))
   end)
end)
