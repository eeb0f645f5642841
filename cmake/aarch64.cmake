# cmake/aarch64.cmake - a toolchain file for 64-bit ARM, for Debian's cross compiler on another processor.
#
#   apt-get install gcc-aarch64-linux-gnu g++-aarch64-linux-gnu qemu-user
#   dpkg --add-architecture arm64 && apt-get update
#   mkdir debs && (cd debs && apt-get download libluajit2-5.1-dev:arm64 libluajit2-5.1-2:arm64 libc6:arm64 libgcc-s1:arm64)
#   for deb in debs/*.deb; do dpkg -x "$deb" arm64; done
#   cmake -S . -B build-arm64 -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake -DTH_ROOT="$PWD/arm64" -DTH_CUDA=OFF
#   cmake --build build-arm64
#   QEMU_LD_PREFIX=$PWD/arm64 qemu-aarch64 build-arm64/bin/th script.lua
#
# TH_ROOT is the folder with the files of those packages. Libraries that th opens at run time, such as OpenBLAS, may lie in it, too;
# QEMU_SET_ENV=LD_LIBRARY_PATH=... tells th where.
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
