# The room backends/cuda: built where the headers of a CUDA toolkit (13) and of cuDNN (9) are found. Nothing is linked:
# NVIDIA's libraries are found at run time (brio/backends/cuda/libraries.cpp), so that the same binary serves machines
# without a GPU. Kernels are text, which the library carries (device/*.cuh) and NVRTC compiles on the machine that runs.
option(BRIO_CUDA "build the CUDA backend where a toolkit is found" ON)
if(BRIO_CUDA)
  find_path(BRIO_CUDA_INCLUDE cuda.h PATHS "$ENV{CUDA_HOME}/include" /usr/local/cuda/include)
  find_path(BRIO_CUDNN_INCLUDE cudnn.h PATHS "$ENV{CUDA_HOME}/include" "${BRIO_CUDA_INCLUDE}")
  mark_as_advanced(BRIO_CUDA_INCLUDE BRIO_CUDNN_INCLUDE)
endif()
set(why "")
if(NOT BRIO_CUDA)
  set(why "BRIO_CUDA is off")
elseif(NOT BRIO_CUDA_INCLUDE OR NOT EXISTS "${BRIO_CUDA_INCLUDE}/cublasLt.h" OR NOT EXISTS "${BRIO_CUDA_INCLUDE}/nvrtc.h")
  set(why "no CUDA toolkit was found (cuda.h, cublasLt.h, nvrtc.h)")
elseif(NOT BRIO_CUDNN_INCLUDE)
  set(why "cudnn.h was not found")
else()
  file(STRINGS "${BRIO_CUDA_INCLUDE}/cuda.h" version REGEX "^#define CUDA_VERSION [0-9]+")
  string(REGEX REPLACE ".* ([0-9]+)$" "\\1" version "${version}")
  if(version LESS 13000)
    set(why "the CUDA toolkit is older than 13")
  endif()
endif()
if(why)
  message(STATUS "brio is built without CUDA: ${why}")
  return()
endif()

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/brio/backends/cuda/*.cpp")
file(GLOB device_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/brio/backends/cuda/device/*.cuh")
set(rows "")
foreach(source IN LISTS device_sources)
  cmake_path(GET source STEM name)
  file(READ "${source}" text)
  string(APPEND rows "  if (name == \"${name}\") return R\"device_source(${text})device_source\";\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
endforeach()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/device_sources.cpp" @ONLY CONTENT
"#include \"brio/backends/cuda/compiler.h\"
#include \"brio/base/error.h\"

namespace brio::cuda {
std::string_view device_source(std::string_view name) {
@rows@  throw_internal(__FILE__, __LINE__, \"device_source\", std::string(name));
}
}  // namespace brio::cuda
")
add_library(brio_backends_cuda OBJECT ${sources} "${PROJECT_BINARY_DIR}/device_sources.cpp")
target_include_directories(brio_backends_cuda PUBLIC ${PROJECT_SOURCE_DIR})
target_include_directories(brio_backends_cuda SYSTEM PUBLIC "${BRIO_CUDA_INCLUDE}" "${BRIO_CUDNN_INCLUDE}")
target_link_libraries(brio_backends_cuda PRIVATE brio_options)
set(BRIO_ROOM_TARGETS ${BRIO_ROOM_TARGETS} brio_backends_cuda CACHE INTERNAL "")
list(APPEND BRIO_FOUND_BACKENDS cuda)
