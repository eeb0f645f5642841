# cmake/embed.cmake - writes a file of C++ and the files that it includes as one string:
# cmake -DFROM=... -DTO=... -P embed.cmake
function(with_includes file result)
  get_filename_component(folder "${file}" DIRECTORY)
  file(READ "${file}" text)
  while(text MATCHES "#include \"([^\"\n]+)\"[^\n]*\n")
    set(line "${CMAKE_MATCH_0}")
    with_includes("${folder}/${CMAKE_MATCH_1}" part)
    string(FIND "${text}" "${line}" at)
    string(LENGTH "${line}" length)
    math(EXPR after "${at} + ${length}")
    string(SUBSTRING "${text}" 0 ${at} before)
    string(SUBSTRING "${text}" ${after} -1 rest)
    set(text "${before}${part}${rest}")
  endwhile()
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

with_includes("${FROM}" text)
# NVRTC knows no compound literals of C.
string(REGEX REPLACE "return \\((th_[a-z0-9_]+)\\){" "return \\1{" text "${text}")
file(WRITE "${TO}" "R\"TEXT(${text})TEXT\"\n")
