# lab_NAME from every bench/kernels/NAME_lab.cpp: check a kernel, then time it beside a plain loop. Built on request.
file(GLOB labs CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/kernels/*_lab.cpp")
foreach(source IN LISTS labs)
  get_filename_component(name "${source}" NAME_WE)
  string(REGEX REPLACE "_lab$" "" name "${name}")
  add_executable(lab_${name} EXCLUDE_FROM_ALL "${source}")
  target_link_libraries(lab_${name} PRIVATE brio brio_options)
endforeach()
