# Release builds compile up to ten files of a target as one (CMAKE_UNITY_BUILD): what they share is parsed
# and instantiated once. The other presets compile each file alone, so a missing include fails there.
# spv_alone(<files...>): files of this folder that are compiled alone in any build. A file with options or definitions of
# its own is that anyway.
function(spv_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Where the hot paths are; the shell around them waits for disks and networks, and is compiled faster.
set(SPV_CORE util chain bip37 bip158 wallet p2p sync)

# spv_library(<folder> SOURCES <files...> LINK <targets...>): the static library spv_<folder>.
# Every file includes others as "folder/file.h", from the top of the tree.
function(spv_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(spv_${folder} STATIC ${ARG_SOURCES})
  target_include_directories(spv_${folder} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(spv_${folder} PUBLIC ${ARG_LINK} PRIVATE spv_warnings ${ARG_PRIVATE_LINK})
  if(folder IN_LIST SPV_CORE)
    target_compile_options(spv_${folder} PRIVATE $<$<CONFIG:Release>:-O3>)
  endif()
endfunction()

# spv_tests(<name> SOURCES <files...> LINK <targets...>): one GoogleTest program, each case a ctest.
function(spv_tests name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} $<TARGET_OBJECTS:spv_fixed_seed>)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} spv_rapidcheck GTest::gmock GTest::gtest_main spv_warnings)
  # The files of a test are compiled more often than their speed matters.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(SPV_SANITIZE STREQUAL "thread")  # which takes ten times as long as none
    math(EXPR ARG_TIMEOUT "5 * ${ARG_TIMEOUT}")
  endif()
  # What may take longest is started first, or it would run alone at the end.
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()

# spv_sanitized_tests(<name> SOURCES <files...> LIBRARIES <targets...> LINK <targets...>): one GoogleTest program of
# which all is built with ASan and UBSan, the libraries' files included, within a build that has neither. Its cases
# are called Sanitized.<suite>.<name>.
function(spv_sanitized_tests name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  foreach(library ${ARG_LIBRARIES})
    get_target_property(folder ${library} SOURCE_DIR)
    get_target_property(files ${library} SOURCES)
    list(TRANSFORM files PREPEND ${folder}/)
    target_sources(${name} PRIVATE ${files})
    target_compile_definitions(${name} PRIVATE $<TARGET_PROPERTY:${library},COMPILE_DEFINITIONS>)
    # What a folder says of a file is not known in another.
    foreach(file ${files})
      foreach(property SKIP_UNITY_BUILD_INCLUSION COMPILE_DEFINITIONS COMPILE_OPTIONS)
        get_source_file_property(value ${file} DIRECTORY ${folder} ${property})
        if(value)
          set_property(SOURCE ${file} PROPERTY ${property} ${value})
        endif()
      endforeach()
    endforeach()
  endforeach()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main spv_warnings)
  # What is fortified stands in ASan's way. -Og compiles a quarter faster than -O1 here.
  set(sanitize -fsanitize=address,undefined)
  target_compile_options(${name} PRIVATE -Og -g0 -U_FORTIFY_SOURCE ${sanitize} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(${name} PRIVATE ${sanitize})
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_PREFIX Sanitized.
    PROPERTIES TIMEOUT 300)
endfunction()

# spv_embed(<target> <folder> <function>): the files of the folder, as C++ in the target.
function(spv_embed target folder function)
  set(output ${PROJECT_BINARY_DIR}/generated/${function}.cpp)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*)
  add_custom_command(OUTPUT ${output}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/embed_files.py ${folder} ${function} ${output}
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/tools/embed_files.py
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
