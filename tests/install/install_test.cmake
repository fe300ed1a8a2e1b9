# Installs the built tree into a directory of its own, then builds and runs the project in consumer/ against it.
# Variables: SOURCE_DIR, BUILD_DIR, COMPILER.
set(work "${BUILD_DIR}/install_test")
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: status ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${work}/first)
# Used from another place than it was installed to, so a path baked into the package shows.
file(RENAME "${work}/first" "${work}/prefix")

file(GLOB_RECURSE package "${work}/prefix/*/cmake/brio/*.cmake")
list(LENGTH package files)
if(files LESS 4)
  message(FATAL_ERROR "the installed CMake package is incomplete: ${package}")
endif()
foreach(file IN LISTS package)
  file(STRINGS "${file}" bad REGEX "libdnnl\\.|libhwy\\.|libre2\\.|${SOURCE_DIR}/|${BUILD_DIR}/")
  if(bad)
    message(FATAL_ERROR "${file} names a path of this machine: ${bad}")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/tests/install/consumer -B ${work}/consumer -G Ninja
    -D CMAKE_PREFIX_PATH=${work}/prefix -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${work}/consumer)
run(${work}/consumer/consumer)
if(NOT output MATCHES "1.*2.*3.*shape=\\(3,\\)")
  message(FATAL_ERROR "the consumer printed: ${output}")
endif()
if(EXISTS "${BUILD_DIR}/brio")
  run(${work}/prefix/bin/brio --version)
endif()
