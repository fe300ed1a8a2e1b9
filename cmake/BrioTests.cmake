# Tests, by label:
#   unit      one program per directory of tests/ that has .cpp files: tests/ir/*.cpp → test_ir; tests/main.cpp runs them
#   portable  the unit tests again without SIMD paths; other settings may follow (brio_unit_tests_again)
#   example   every examples/NAME.cpp and examples/pages/NAME.cpp → example_NAME, built and run
#   python    tests/python, where the Python package is built (BRIO_PYTHON)
#   check     layout of the sources, layering of the includes, the installed package, what README.md and docs/adding-*.md
#             tell a reader to do
#   The seeds of the parsers' fuzz targets are replayed as unit tests fuzz/NAME (BrioFuzz.cmake).
# tests/fuzz → brio_fuzz and tests/soak → brio_soak are programs, not tests: `make fuzz`, `make soak`.
enable_testing()
find_package(GTest REQUIRED)

# brio_program(TARGET SOURCES…): an executable on libbrio with the flags of the tree.
function(brio_program target)
  add_executable(${target} ${ARGN})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE brio brio_options)
endfunction()

# Memory that the system refuses is refused by the sanitizers too: tests ask for more than there is. What tests fork may
# start threads. intercept_tls_get_addr=0: LeakSanitizer takes a thread's variables of a loaded library for a chunk of an
# old C library if they lie 16 bytes behind the start of a page, reads the chunk's size from there, and dies of SIGSEGV.
set(BRIO_TEST_ENVIRONMENT
    "ASAN_OPTIONS=allocator_may_return_null=1:intercept_tls_get_addr=0"
    "TSAN_OPTIONS=allocator_may_return_null=1:die_after_fork=0")
# ThreadSanitizer makes a test some thirty times as slow. Of random cases, which other builds draw all, it sees a tenth.
if(BRIO_TSAN)
  list(APPEND BRIO_TEST_ENVIRONMENT BRIO_TEST_SHARE=0.1)
endif()

# brio_unit_tests_again(NAME TESTS VARIABLE=VALUE…): these unit tests once more under these environment variables, as
# NAME/<test>, labelled NAME; of the random graphs a tenth (tests/share.h).
function(brio_unit_tests_again name tests)
  foreach(test IN LISTS tests)
    string(REPLACE "/" "_" id "${test}")
    add_test(NAME ${name}/${test} COMMAND test_${id} --gtest_brief=1)
    set_tests_properties(${name}/${test} PROPERTIES LABELS ${name}
                         ENVIRONMENT "${BRIO_TEST_ENVIRONMENT};BRIO_TEST_SHARE=0.1;${ARGN}")
  endforeach()
endfunction()

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/tests" "tests/*.cpp")
set(test_dirs "")
foreach(source IN LISTS test_sources)
  cmake_path(GET source PARENT_PATH dir)
  list(APPEND test_dirs ${dir})
endforeach()
list(REMOVE_DUPLICATES test_dirs)
list(REMOVE_ITEM test_dirs "")

add_library(test_main OBJECT tests/main.cpp tests/walled_device.cpp)
target_include_directories(test_main PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_definitions(test_main PRIVATE BRIO_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(test_main PRIVATE brio brio_options GTest::gtest)

foreach(dir IN LISTS test_dirs)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${dir}/*.cpp")
  if(dir STREQUAL "fuzz" OR dir STREQUAL "soak")
    brio_program(brio_${dir} ${sources})
  elseif(NOT dir MATCHES "^((install|fuzz)/|emulated_gpu$)")
    string(REPLACE "/" "_" id "${dir}")
    if(NOT dir STREQUAL "ops")  # its sources use the same names, each for its own op
      brio_joined(sources test_${id} ${sources})
    endif()
    brio_program(test_${id} ${sources})
    # What is tested is optimised; the tests themselves compile in half the time without it, and the checks of a
    # sanitizer double that once more. Tests of kernels compute by themselves what they compare with.
    if((BRIO_ASAN OR BRIO_TSAN) AND NOT dir MATCHES "^(ops|backends)")
      target_compile_options(test_${id} PRIVATE -O0)
    else()
      target_compile_options(test_${id} PRIVATE -O1)
    endif()
    target_link_libraries(test_${id} PRIVATE test_main GTest::gtest)
    add_test(NAME ${dir} COMMAND test_${id} --gtest_brief=1)
    set_tests_properties(${dir} PROPERTIES LABELS unit ENVIRONMENT "${BRIO_TEST_ENVIRONMENT}")
    set_property(GLOBAL APPEND PROPERTY BRIO_UNIT_TESTS ${dir})
  endif()
endforeach()

if(TARGET brio_backends_cuda)
  target_compile_definitions(test_ops PRIVATE BRIO_WITH_CUDA)
  target_include_directories(test_ops SYSTEM PRIVATE "${BRIO_CUDA_INCLUDE}" "${BRIO_CUDNN_INCLUDE}")

  # A GPU that the host emulates, for `make test-cuda-emulated`: NVIDIA's libraries, as far as they are needed.
  foreach(library driver:libcuda.so.1 compiler:libnvrtc.so.13 products:libcublasLt.so.13 jpegs:libnvjpeg.so.13
          device_file:device_file.so)
    string(REPLACE ":" ";" pair ${library})
    list(GET pair 0 source)
    list(GET pair 1 file)
    add_library(emulated_${source} MODULE EXCLUDE_FROM_ALL "tests/emulated_gpu/${source}.cpp")
    set_target_properties(emulated_${source} PROPERTIES PREFIX "" OUTPUT_NAME "${file}" SUFFIX ""
                          LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/emulated_gpu")
    target_include_directories(emulated_${source} PRIVATE ${PROJECT_SOURCE_DIR})
    target_include_directories(emulated_${source} SYSTEM PRIVATE "${BRIO_CUDA_INCLUDE}")
    target_compile_definitions(emulated_${source} PRIVATE EMULATED_GPU_SOURCES="${PROJECT_SOURCE_DIR}/tests/emulated_gpu")
    target_link_libraries(emulated_${source} PRIVATE brio_options ${CMAKE_DL_LIBS})
    list(APPEND emulated emulated_${source})
  endforeach()
  target_link_libraries(emulated_jpegs PRIVATE brio::jpeg)
  add_custom_target(emulated_gpu)
  add_dependencies(emulated_gpu ${emulated})
endif()

# The tool is tested as a program.
add_dependencies(test_cli brio_tool)
target_compile_definitions(test_cli PRIVATE BRIO_TOOL="$<TARGET_FILE:brio_tool>")

# unit_tests builds what carries the label unit, and nothing else: enough for a run under a sanitizer.
get_property(unit_tests GLOBAL PROPERTY BRIO_UNIT_TESTS)
list(TRANSFORM unit_tests REPLACE "/" "_" OUTPUT_VARIABLE unit_programs)
list(TRANSFORM unit_programs PREPEND test_)
add_custom_target(unit_tests)
add_dependencies(unit_tests ${unit_programs})

# Not under ThreadSanitizer: the instruction set decides what a thread computes, not what threads share.
if(NOT BRIO_TSAN)
  brio_unit_tests_again(portable "${unit_tests}" BRIO_ISA=portable)
endif()
# On a device that the host cannot touch, whole and without some of its kernels; see tests/walled_device.h.
brio_unit_tests_again(walled "ops;ops/image;autodiff;runtime;nn;models;train;golden" BRIO_DEVICE=walled:0)
brio_unit_tests_again(walled_lacking "autodiff;runtime;nn;train" BRIO_DEVICE=walled:0
                      BRIO_WALLED_LACKS=matmul,linear,gather,softmax,reduce_sum,fused,tanh,broadcast_to,adam_update,scaled_dot_product_attention,scaled_dot_product_attention_grad)

file(GLOB examples CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/*.cpp" "${PROJECT_SOURCE_DIR}/examples/pages/*.cpp")
foreach(source IN LISTS examples)
  cmake_path(GET source STEM name)
  brio_program(example_${name} ${source})
  add_test(NAME example/${name} COMMAND example_${name})
  set_tests_properties(example/${name} PROPERTIES LABELS example)
endforeach()

if(BRIO_PYTHON)
  # In this tree alone: pip builds without the tests.
  target_sources(_core PRIVATE "${PROJECT_SOURCE_DIR}/tests/walled_module.cpp" "${PROJECT_SOURCE_DIR}/tests/walled_device.cpp")
  target_include_directories(_core PRIVATE ${PROJECT_SOURCE_DIR})
  add_test(NAME python COMMAND ${Python_EXECUTABLE} -m pytest -q --no-header -p no:cacheprovider tests/python
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # Cost: what takes minutes starts first, so that no core waits for it in the end.
  set_tests_properties(python PROPERTIES LABELS python ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python" COST 100)
  add_test(NAME wheel COMMAND ${PROJECT_SOURCE_DIR}/tests/wheel/check ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
                              ${Python_EXECUTABLE})
  add_test(NAME api_pages COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/api/pages.py --check)
  set_tests_properties(api_pages PROPERTIES LABELS check ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python")
  set_tests_properties(wheel PROPERTIES LABELS check)
  if(NOT BRIO_ASAN AND NOT BRIO_TSAN)
    # ruff lies beside the Python that was configured, where that is not the one of .venv.
    cmake_path(GET Python_EXECUTABLE PARENT_PATH python_bin)
    add_test(NAME style COMMAND ${PROJECT_SOURCE_DIR}/scripts/style)
    set_tests_properties(style PROPERTIES LABELS check ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:${python_bin}")
  endif()
endif()

add_test(NAME layering COMMAND ${PROJECT_SOURCE_DIR}/tests/layering/check ${PROJECT_SOURCE_DIR})
add_test(NAME layering/self COMMAND ${PROJECT_SOURCE_DIR}/tests/layering/self_test)
add_test(NAME layering/rooms COMMAND ${PROJECT_SOURCE_DIR}/tests/layering/rooms ${PROJECT_SOURCE_DIR})
set_tests_properties(layering layering/self layering/rooms PROPERTIES LABELS check)

# It compiles what the pages add, without a sanitizer, and links it with this tree.
if(NOT BRIO_ASAN AND NOT BRIO_TSAN AND NOT BRIO_COVERAGE AND CMAKE_GENERATOR STREQUAL "Ninja")
  add_test(NAME extending COMMAND ${PROJECT_SOURCE_DIR}/tests/extending/check ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  set_tests_properties(extending PROPERTIES LABELS check)
endif()

# The runtime of a sanitizer or of gcov would have to be linked by the consumer too: these are for plain builds.
file(GLOB umbrella CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/brio/brio.h")
if(umbrella AND NOT BRIO_ASAN AND NOT BRIO_TSAN AND NOT BRIO_COVERAGE)
  add_test(NAME install COMMAND ${CMAKE_COMMAND} -D SOURCE_DIR=${PROJECT_SOURCE_DIR} -D BUILD_DIR=${PROJECT_BINARY_DIR}
                                -D COMPILER=${CMAKE_CXX_COMPILER} -P ${PROJECT_SOURCE_DIR}/tests/install/install_test.cmake)
  add_test(NAME readme_commands COMMAND ${PROJECT_SOURCE_DIR}/tests/readme/check ${PROJECT_SOURCE_DIR}
                                        ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER})
  # Both write the build tree's list of installed files.
  set_tests_properties(install readme_commands PROPERTIES LABELS check RESOURCE_LOCK install_manifest)
endif()
