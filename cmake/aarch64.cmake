# cmake/aarch64.cmake - a toolchain file for 64-bit ARM, for Debian's cross compiler.
#
# ./dev cross uses it, and runs specs under qemu. The same by hand:
#
#   apt-get install gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user
#   cmake/arm64-root.sh build-arm64/debian
#   cmake -S . -B build-arm64 -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake \
#     -DTH_ROOT="$PWD/build-arm64/debian/root" -DTH_CUDA=OFF
#   cmake --build build-arm64
#   QEMU_LD_PREFIX=$PWD/build-arm64/debian/root qemu-aarch64 build-arm64/bin/th script.lua
#
# TH_ROOT has the files of packages for ARM: LuaJIT, and libraries that th opens at run time.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)

if(TH_ROOT)
  set(CMAKE_FIND_ROOT_PATH "${TH_ROOT}")
  set(ENV{PKG_CONFIG_SYSROOT_DIR} "${TH_ROOT}")
  set(ENV{PKG_CONFIG_LIBDIR} "${TH_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig")
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
