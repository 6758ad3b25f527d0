# Compiler flags that hold for the whole tree: warnings, hardening, sanitizers.
# The compiler's cache serves every clone: paths below the tree do not count, and messages still name whole ones.
find_program(SPV_CCACHE ccache)
if(SPV_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_ABSSTDERR=1 ${SPV_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
# The same files from the same tree, whatever the folder is called, and from the cache, which gives the compiler paths
# relative to the build. The last map that fits counts. Reports of coverage need the true paths.
if(NOT SPV_COVERAGE AND NOT SPV_BUILD_FUZZ)
  file(RELATIVE_PATH to_source ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  string(REGEX REPLACE "/$" "" to_source "${to_source}")
  add_compile_options(-ffile-prefix-map=${to_source}=. -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
    -ffile-prefix-map=${PROJECT_BINARY_DIR}/=)
endif()
find_program(SPV_MOLD mold)
if(SPV_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(spv_warnings INTERFACE)
target_compile_options(spv_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Wcast-qual
  -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wimplicit-fallthrough -Wformat=2 -Wundef
  # g++ 12 sees overlapping copies, endless reads and unset members inside its own std::string, std::vector and
  # std::variant at -O2 and above.
  $<$<CXX_COMPILER_ID:GNU>:-Wduplicated-cond -Wlogical-op -Wno-restrict -Wno-stringop-overread
    -Wno-maybe-uninitialized>
  # It is meant for headers, and takes every file of a unity build for one.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
  $<$<BOOL:${SPV_WARNINGS_AS_ERRORS}>:-Werror>)

if(SPV_HARDENING)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  include(CheckPIESupported)
  check_pie_supported()
  add_compile_options(-fstack-protector-strong -fstack-clash-protection)
  # Where calls and jumps may land; each architecture has its own name for it.
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    add_compile_options(-mbranch-protection=standard)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|i.86")
    add_compile_options(-fcf-protection=full)
  endif()
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=3>)
  add_link_options(-Wl,-z,relro,-z,now -Wl,-z,noexecstack)
endif()
if(SPV_SANITIZE)
  add_compile_options(-fsanitize=${SPV_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SPV_SANITIZE})
endif()
if(SPV_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
