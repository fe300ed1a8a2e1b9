# libbrio from the rooms, and the tool `brio` from brio/cli.

# The backends of this build register themselves, in this order, through one generated function: the core names none.
set(BRIO_BACKENDS host_device reference cpu CACHE STRING "backends to register, first ones first; those that were found (cuda) follow")
set(declarations "")
set(calls "")
foreach(backend IN LISTS BRIO_BACKENDS BRIO_FOUND_BACKENDS)
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
add_library(brio::brio ALIAS brio)
target_compile_features(brio PUBLIC cxx_std_20)
target_include_directories(brio PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_link_libraries(brio PUBLIC Threads::Threads PRIVATE ${BRIO_LIBRARIES})
if(BRIO_COVERAGE)
  target_compile_options(brio_ops PRIVATE --coverage -O0)
  target_link_options(brio INTERFACE --coverage)
endif()

file(GLOB cli CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/brio/cli/*.cpp")
if(cli)
  brio_joined(units brio_cli ${cli})
  add_executable(brio_tool ${units})
  set_target_properties(brio_tool PROPERTIES OUTPUT_NAME brio)
  target_compile_definitions(brio_tool PRIVATE BRIO_VERSION="${PROJECT_VERSION}")
  target_link_libraries(brio_tool PRIVATE brio brio_options)
endif()
