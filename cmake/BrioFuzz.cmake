# Fuzz targets of the parsers: tests/fuzz/parsers/NAME.cpp, with seeds in tests/fuzz/corpus/NAME.
#   replay_NAME  in every build: runs the target on its seeds and on damaged copies of them, as the test fuzz/NAME
#   fuzz_NAME    in builds with BRIO_FUZZ (preset `fuzz`, clang): libFuzzer; fuzz_parsers builds them all
# They stand on the rooms of the parsers alone, so that they need not wait for the rest of libbrio; the state of an
# iterator, which is read by the stages of pipelines, the configs of models, and saved traces, which hold any op, need
# it all.
set(fuzzed_objects "")
foreach(room base tensor formats)
  list(APPEND fuzzed_objects $<TARGET_OBJECTS:brio_${room}>)
endforeach()
add_library(brio_fuzzed STATIC EXCLUDE_FROM_ALL ${fuzzed_objects})
target_include_directories(brio_fuzzed PUBLIC ${PROJECT_SOURCE_DIR})
target_link_libraries(brio_fuzzed PUBLIC Threads::Threads PRIVATE ${BRIO_LIBRARIES})

if(BRIO_FUZZ)
  add_custom_target(fuzz_parsers)
endif()
file(GLOB parsers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/parsers/*.cpp")
foreach(source IN LISTS parsers)
  cmake_path(GET source STEM name)
  if(name MATCHES "^(iterator_state|model_config|saved_trace)$")
    set(fuzzed brio)
  else()
    set(fuzzed brio_fuzzed)
  endif()
  if(BRIO_FUZZ)
    add_executable(fuzz_${name} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(fuzz_${name} PRIVATE ${fuzzed} brio_options -fsanitize=fuzzer)
    add_dependencies(fuzz_parsers fuzz_${name})
  else()
    add_executable(replay_${name} ${source} tests/fuzz/replay/main.cpp)
    target_link_libraries(replay_${name} PRIVATE ${fuzzed} brio_options)
    add_test(NAME fuzz/${name} COMMAND replay_${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
    set_tests_properties(fuzz/${name} PROPERTIES LABELS unit)
    add_dependencies(unit_tests replay_${name})
  endif()
endforeach()
