# libbrio from the rooms, and the tests.
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWY REQUIRED IMPORTED_TARGET libhwy)
find_library(DNNL_LIBRARY dnnl REQUIRED)

# The backends of this build register themselves, in this order, through one generated function: the core names none.
set(BRIO_BACKENDS host_device reference cpu CACHE STRING "backends to register, first ones first")
set(declarations "")
set(calls "")
foreach(backend IN LISTS BRIO_BACKENDS)
  string(APPEND declarations "void register_${backend}(Registry& registry);\n")
  string(APPEND calls "  register_${backend}(registry);\n")
endforeach()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/register_backends.cpp" @ONLY CONTENT
"#include \"brio/runtime/backend.h\"

namespace brio {
@declarations@
void register_backends(Registry& registry) {
@calls@}
}  // namespace brio
")

set(objects "")
foreach(room IN LISTS BRIO_ROOM_TARGETS)
  list(APPEND objects $<TARGET_OBJECTS:${room}>)
endforeach()
add_library(brio STATIC ${objects} "${PROJECT_BINARY_DIR}/register_backends.cpp")
target_include_directories(brio PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_link_libraries(brio PUBLIC Threads::Threads PRIVATE ${DNNL_LIBRARY} PkgConfig::HWY)

if(PROJECT_IS_TOP_LEVEL)
  enable_testing()
  find_package(GTest REQUIRED)
  foreach(room base tensor ir ops autodiff passes runtime nn train profile backends/reference backends/cpu)
    brio_test(${room})
  endforeach()
endif()
