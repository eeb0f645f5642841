-- rocks/torch-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/torch-scm-1.rockspec
rockspec_format = "3.0"
package = "torch"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Tensors for LuaJIT: Torch7, carried on. Brings th, paths, sys and xlua",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1" }
build = {
   type = "command",
   build_command = 'cmake -S . -B build.luarocks -DTH_ROCK=ON -DLUADIR="$(LUADIR)" -DLIBDIR="$(LIBDIR)"'
      .. ' -DBINDIR="$(BINDIR)" $CMAKE_ARGS && cmake --build build.luarocks -j `nproc`',
   install_command = 'cmake --install build.luarocks',
}
deploy = { wrap_bin_scripts = false }
test = { type = "command", command = "./dev test" }
