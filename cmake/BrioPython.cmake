# brio._core, the C++ part of the Python package: built where BRIO_PYTHON is on, for the interpreter Python_EXECUTABLE,
# with the nanobind that this interpreter finds. The package lies complete under <build>/python.
option(BRIO_PYTHON "build the Python package" OFF)
if(NOT BRIO_PYTHON)
  return()
endif()
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
if(NOT nanobind_ROOT)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE
                  OUTPUT_VARIABLE nanobind_ROOT COMMAND_ERROR_IS_FATAL ANY)
endif()
find_package(nanobind CONFIG REQUIRED)

file(GLOB bindings CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/brio/python/*.cpp")
nanobind_add_module(_core NB_STATIC NOMINSIZE ${bindings})
target_link_libraries(_core PRIVATE brio brio_options)
# Calls between our own functions, in libbrio.a too, go straight and not through a table that others might change.
target_link_options(_core PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/python_exports.map")
set_target_properties(_core PROPERTIES LINK_DEPENDS "${PROJECT_SOURCE_DIR}/cmake/python_exports.map")
# A daemon thread that Python ends while it is in one of these stops there: see calls_to_python.cpp.
file(STRINGS "${PROJECT_SOURCE_DIR}/brio/python/calls_to_python.cpp" calls REGEX "^BRIO_CALLS")
foreach(call IN LISTS calls)
  string(REGEX REPLACE "^BRIO_CALLS\\([^,]*, ([A-Za-z_]+),.*" "LINKER:--wrap=\\1" call "${call}")
  target_link_options(_core PRIVATE ${call})
endforeach()
# Headers of others are not held to our warnings.
target_include_directories(_core SYSTEM PRIVATE ${NB_DIR}/include ${Python_INCLUDE_DIRS})
set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/python/brio")
# For pip alone (pyproject.toml): the C++ package has no use for it.
install(TARGETS _core LIBRARY DESTINATION brio COMPONENT python EXCLUDE_FROM_ALL)
# The Python part lies beside it as links: an edit is seen at once.
file(GLOB_RECURSE modules CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/python" "${PROJECT_SOURCE_DIR}/python/*.py"
     "${PROJECT_SOURCE_DIR}/python/*.pyi" "${PROJECT_SOURCE_DIR}/python/*.typed")
foreach(module IN LISTS modules)
  cmake_path(GET module PARENT_PATH dir)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/python/${dir}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/${module}" "${PROJECT_BINARY_DIR}/python/${module}" SYMBOLIC)
endforeach()

# Type stubs: what a type checker cannot see in the sources, asked of the package itself.
file(GLOB stub_scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/scripts/api/*.py")
list(TRANSFORM modules PREPEND "${PROJECT_SOURCE_DIR}/python/" OUTPUT_VARIABLE sources)
add_custom_command(
  OUTPUT "${PROJECT_BINARY_DIR}/stubs.stamp"
  COMMAND ${CMAKE_COMMAND} -E env "PYTHONPATH=${PROJECT_BINARY_DIR}/python" PYTHONDONTWRITEBYTECODE=1 ${Python_EXECUTABLE}
          "${PROJECT_SOURCE_DIR}/scripts/api/stubs.py" "${PROJECT_BINARY_DIR}/python/brio"
  COMMAND ${CMAKE_COMMAND} -E touch "${PROJECT_BINARY_DIR}/stubs.stamp"
  DEPENDS _core ${stub_scripts} ${sources}
  COMMENT "Writing the type stubs of the Python package"
  VERBATIM)
add_custom_target(stubs ALL DEPENDS "${PROJECT_BINARY_DIR}/stubs.stamp")
install(DIRECTORY "${PROJECT_BINARY_DIR}/python/brio" DESTINATION . COMPONENT python EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN "*.pyi")
