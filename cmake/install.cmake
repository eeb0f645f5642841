# cmake/install.cmake - PREFIX/{bin/{th,thrun,th-convert},lib/lib{th,thcuda}*.so,include/th*.h,share/lua/5.1/...} and the package file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(headers lib/include/th.h lib/include/th_conv.h lib/include/th_conv_engine.h lib/include/th_tune.h lib/include/th_dist.h lib/include/th_compress.h lib/include/th_fft.h
  lib/include/th_op.h lib/include/th_args.h lib/include/th_worker.h lib/include/th_source.h lib/include/th_tds.h lib/include/th_png.h lib/include/th_text.h lib/include/th_backend.h lib/include/th_record.h lib/include/thcuda.h)
list(APPEND headers lib/include/th_memory.h lib/include/th_program.h)
if(TH_ROCK)                        # luarocks sets the folders (rocks/torch-scm-1.rockspec)
  install(TARGETS th_launcher thrun RUNTIME DESTINATION "${BINDIR}")
  install(TARGETS th LIBRARY DESTINATION "${LIBDIR}")
  install(FILES "${PROJECT_BINARY_DIR}/th.bytecode" DESTINATION "${LIBDIR}" OPTIONAL)
  install(FILES ${headers} DESTINATION "${LUADIR}/torch")
  install(DIRECTORY lua/torch lua/paths lua/sys lua/xlua lua/trepl lua/env lua/dok lua/cwrap DESTINATION "${LUADIR}" FILES_MATCHING PATTERN "*.lua")
  return()
endif()

set(lua_dir share/lua/5.1)
set(package_dir lib/cmake/Cresset)

install(TARGETS th_launcher thrun RUNTIME DESTINATION bin)
install(PROGRAMS lua/bin/th-convert DESTINATION bin)
install(TARGETS th EXPORT CressetTargets LIBRARY DESTINATION lib)
# made for this LuaJIT only
install(FILES "${PROJECT_BINARY_DIR}/th.bytecode" DESTINATION lib OPTIONAL)
foreach(backend thcuda thcuda_emu)
  if(TARGET ${backend})
    install(TARGETS ${backend} LIBRARY DESTINATION lib)
  endif()
endforeach()
install(FILES ${headers} DESTINATION include)
install(FILES ${headers} DESTINATION ${lua_dir}/torch)      # read by ffi.cdef, and by plug-ins
# Each folder of lua/ is a package of that name, except bin/; nn/ is at the top.
install(DIRECTORY lua/ DESTINATION ${lua_dir} FILES_MATCHING PATTERN "*.lua" PATTERN bin EXCLUDE)
install(DIRECTORY nn DESTINATION ${lua_dir} FILES_MATCHING PATTERN "*.lua")
configure_file(cmake/cresset.pc.in "${PROJECT_BINARY_DIR}/cresset.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cresset.pc" DESTINATION lib/pkgconfig)
install(FILES doc/man/th.1 doc/man/thrun.1 DESTINATION share/man/man1)
install(DIRECTORY types DESTINATION share/cresset FILES_MATCHING PATTERN "*.lua")      # doc/editors.md

install(EXPORT CressetTargets NAMESPACE Cresset:: DESTINATION ${package_dir})
configure_package_config_file(cmake/CressetConfig.cmake.in "${PROJECT_BINARY_DIR}/CressetConfig.cmake"
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/CressetConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/CressetConfig.cmake" "${PROJECT_BINARY_DIR}/CressetConfigVersion.cmake"
  DESTINATION ${package_dir})
