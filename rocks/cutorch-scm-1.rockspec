-- rocks/cutorch-scm-1.rockspec - run in the checkout: luarocks make --lua-version=5.1 rocks/cutorch-scm-1.rockspec
rockspec_format = "3.0"
package = "cutorch"
version = "scm-1"
source = { url = "." }
description = {
   summary = "Tensors on GPUs, for Torch. Where nvcc is, the kernels are built",
   license = "BSD-3-Clause",
}
dependencies = { "lua == 5.1", "torch" }
-- Without nvcc only the Lua files are installed, and require 'cutorch' says that there are no kernels. CMAKE_ARGS may hold
-- -DTH_CUDA_ARCHS=90, which builds for one kind of GPU alone.
build = {
   type = "command",
   build_command = 'if command -v "${CUDACXX:-nvcc}" >/dev/null; then'
      .. ' cmake -S . -B build.luarocks-cuda -DTH_CUDA=ON -DTH_CUDA_EMU=OFF -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON $CMAKE_ARGS'
      .. ' && cmake --build build.luarocks-cuda --target thcuda -j `nproc`; else rm -rf build.luarocks-cuda; fi',
   install_command = 'mkdir -p "$(LUADIR)" "$(LIBDIR)" && cp -R lua/cutorch "$(LUADIR)"'
      .. ' && { [ ! -f build.luarocks-cuda/libthcuda.so ] || cp build.luarocks-cuda/libthcuda.so "$(LIBDIR)"; }',
}
test = { type = "command", command = "./dev test" }
