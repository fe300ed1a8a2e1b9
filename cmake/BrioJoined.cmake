# brio_joined(OUT NAME SOURCES…): the units to compile for these sources. A small source spends its time on headers and on
# templates that its neighbours use too, so up to BRIO_JOINED of them are compiled as one unit, which includes them in
# turn: the rooms take a third of the time (docs/decisions/build.md). Names in unnamed namespaces are therefore unique
# within a room; `make lint` compiles each source by itself and so sees that each includes what it uses.
set(BRIO_JOINED 10 CACHE STRING "how many sources of a room are compiled as one unit; 1: each by itself")

function(brio_joined out name)
  set(units "")
  set(joined "")
  foreach(source IN LISTS ARGN)
    # Highway's kernels include themselves once for each instruction set.
    file(STRINGS "${source}" includes_itself REGEX "foreach_target" LIMIT_COUNT 1)
    if(BRIO_JOINED LESS 2 OR includes_itself)
      list(APPEND units "${source}")
    else()
      list(APPEND joined "${source}")
    endif()
  endforeach()
  set(number 0)
  while(joined)
    list(SUBLIST joined 0 ${BRIO_JOINED} part)
    list(REMOVE_ITEM joined ${part})
    set(text "")
    foreach(source IN LISTS part)
      # Relative to the root, so that the compiler cache serves every checkout.
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
      string(APPEND text "#include \"${source}\"\n")
    endforeach()
    set(unit "${PROJECT_BINARY_DIR}/joined/${name}_${number}.cpp")
    file(CONFIGURE OUTPUT "${unit}" CONTENT "${text}" @ONLY)
    set(options "")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # Types of an unnamed namespace in an included file might have several definitions; here they have one.
      list(APPEND options -Wno-subobject-linkage)
      # GCC stops inlining in a unit that is large and has grown by 40 %: not here, where ten small ones make a large one
      # (recording an op took 13 % longer, finding and running its plan 8 %).
      if(name MATCHES "^brio_")
        list(APPEND options --param=large-unit-insns=1000000)
      endif()
    endif()
    set_source_files_properties("${unit}" PROPERTIES COMPILE_OPTIONS "${options}")
    list(APPEND units "${unit}")
    math(EXPR number "${number} + 1")
  endwhile()
  set(${out} "${units}" PARENT_SCOPE)
endfunction()
