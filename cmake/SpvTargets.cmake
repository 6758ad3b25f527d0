# spv_library(<folder> SOURCES <files...> LINK <targets...>): the static library spv_<folder>.
# Every file includes others as "folder/file.h", from the top of the tree.
function(spv_library folder)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK;PRIVATE_LINK" ${ARGN})
  add_library(spv_${folder} STATIC ${ARG_SOURCES})
  target_include_directories(spv_${folder} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/spv>)
  target_link_libraries(spv_${folder} PUBLIC ${ARG_LINK} PRIVATE spv_warnings ${ARG_PRIVATE_LINK})
endfunction()

# spv_tests(<name> SOURCES <files...> LINK <targets...>): one GoogleTest program, each case a ctest.
function(spv_tests name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} spv_rapidcheck GTest::gmock GTest::gtest_main spv_warnings)
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()
