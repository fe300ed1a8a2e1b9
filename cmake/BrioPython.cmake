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
# Headers of others are not held to our warnings.
target_include_directories(_core SYSTEM PRIVATE ${NB_DIR}/include ${Python_INCLUDE_DIRS})
set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/python/brio")
# For pip alone (pyproject.toml): the C++ package has no use for it.
install(TARGETS _core LIBRARY DESTINATION brio COMPONENT python EXCLUDE_FROM_ALL)
# The Python part lies beside it as links: an edit is seen at once.
file(GLOB_RECURSE modules CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/python" "${PROJECT_SOURCE_DIR}/python/*.py")
foreach(module IN LISTS modules)
  cmake_path(GET module PARENT_PATH dir)
  file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/python/${dir}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/${module}" "${PROJECT_BINARY_DIR}/python/${module}" SYMBOLIC)
endforeach()
