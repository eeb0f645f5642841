# cmake/cuda.cmake - libthcuda for GPUs, if nvcc is installed, and libthcuda-emu with emulated devices.
#
#   TH_CUDA        ON: build for GPUs; AUTO: if nvcc and a GPU are found; OFF
#   TH_CUDA_ARCHS  for which GPUs: 75-real;80-real;86-real;89-real;90; PTX, for newer GPUs, comes from the last only
#   TH_CUDA_EMU    the emulated device, for tests; needs a C++ compiler
#   TH_CUDA_EMU_RACES  it looks for data races; TH_SANITIZE=thread includes it
set(TH_CUDA_ARCHS "75-real;80-real;86-real;89-real;90" CACHE STRING "compute capabilities to compile cunn for")
option(TH_CUDA_EMU "build the emulated CUDA device" ON)
option(TH_CUDA_EMU_RACES "the emulated CUDA device looks for data races" OFF)

include(CheckLanguage)
# Looks for the compiler of a language again if an earlier run found none, because it may have been installed since.
function(look_for language)
  if(NOT CMAKE_${language}_COMPILER)
    unset(CMAKE_${language}_COMPILER CACHE)
  endif()
  check_language(${language})
endfunction()

if(TH_ROCK)
  return()                         # rocks are for the CPU
endif()
# What the texts of kernels that NVRTC compiles begin with, as a string of C++.
file(GLOB program_headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/cunn/kernels/*.cuh"
  "${PROJECT_SOURCE_DIR}/cunn/runtime/*.cuh" "${PROJECT_SOURCE_DIR}/cunn/emu/place.h"
  "${PROJECT_SOURCE_DIR}/lib/formula/*.h")
add_custom_command(OUTPUT "${PROJECT_BINARY_DIR}/cunn/program_text.inc"
  COMMAND ${CMAKE_COMMAND} "-DFROM=${PROJECT_SOURCE_DIR}/cunn/kernels/program_text.cuh"
          "-DTO=${PROJECT_BINARY_DIR}/cunn/program_text.inc"
          -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
  DEPENDS cmake/embed.cmake ${program_headers} VERBATIM)
add_custom_target(th_program_text DEPENDS "${PROJECT_BINARY_DIR}/cunn/program_text.inc")

if(NOT TH_CUDA STREQUAL OFF)
  look_for(CUDA)
  if(TH_CUDA STREQUAL ON AND NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "TH_CUDA=ON: there is no nvcc. Set CUDACXX to it, or configure with -DTH_CUDA=OFF or AUTO")
  endif()
endif()
if(NOT TH_CUDA STREQUAL OFF AND CMAKE_CUDA_COMPILER AND (TH_CUDA STREQUAL ON OR EXISTS /dev/nvidiactl))
  set(CMAKE_CUDA_ARCHITECTURES ${TH_CUDA_ARCHS})
  enable_language(CUDA)
  add_subdirectory(cunn)
  string(REPLACE ";" " " archs "${TH_CUDA_ARCHS}")
  set(th_rows "${th_rows}\n  CUDA                found    ${CMAKE_CUDA_COMPILER}, for ${archs}")
elseif(CMAKE_CUDA_COMPILER AND NOT TH_CUDA STREQUAL OFF)
  set(th_rows "${th_rows}\n  CUDA                off      nvcc is here but no GPU: -DTH_CUDA=ON compiles all the same")
else()
  set(th_rows "${th_rows}\n  CUDA                off      no nvcc (TH_CUDA=${TH_CUDA})")
endif()

if(TH_CUDA_EMU)
  look_for(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
  endif()
  if(CMAKE_CXX_COMPILER AND TH_SANITIZE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL CMAKE_C_COMPILER_ID)
    set(th_rows "${th_rows}\n  emulated CUDA       off      sanitizers of ${CMAKE_C_COMPILER} and ${CMAKE_CXX_COMPILER} do not mix")
  elseif(CMAKE_CXX_COMPILER)
    add_subdirectory(cunn/emu)
    set(th_rows "${th_rows}\n  emulated CUDA       found    ${CMAKE_CXX_COMPILER}")
  else()
    set(th_rows "${th_rows}\n  emulated CUDA       missing  apt-get install g++   (tests of the CUDA backend without a GPU)")
  endif()
endif()
