# The libraries that libbrio stands on, as imported targets: Threads::Threads and BRIO_LIBRARIES.
# The build includes this file, and so does the installed brioConfig.cmake: the installed package holds no path of the
# machine it was built on, and finds the libraries again where it is used.
include(CMakeFindDependencyMacro)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_dependency(Threads)

# brio_find_library(TARGET LIBRARY HEADER PACKAGE): an imported target from a library and a header that belongs to it.
macro(brio_find_library target library header package)
  if(NOT TARGET brio::${target})
    find_library(BRIO_${target}_LIBRARY ${library})
    find_path(BRIO_${target}_INCLUDE ${header})
    mark_as_advanced(BRIO_${target}_LIBRARY BRIO_${target}_INCLUDE)
    if(NOT BRIO_${target}_LIBRARY OR NOT BRIO_${target}_INCLUDE)
      message(FATAL_ERROR "brio needs lib${library} and <${header}>: on Debian, apt-get install ${package}. "
                          "Elsewhere, add the directory they are under to CMAKE_PREFIX_PATH.")
    endif()
    add_library(brio::${target} UNKNOWN IMPORTED)
    set_target_properties(brio::${target} PROPERTIES IMPORTED_LOCATION "${BRIO_${target}_LIBRARY}"
                                                     INTERFACE_INCLUDE_DIRECTORIES "${BRIO_${target}_INCLUDE}")
  endif()
endmacro()

brio_find_library(dnnl dnnl dnnl.hpp libdnnl-dev)
brio_find_library(hwy hwy hwy/highway.h libhwy-dev)
brio_find_library(re2 re2 re2/re2.h libre2-dev)
brio_find_library(jpeg jpeg jpeglib.h libjpeg62-turbo-dev)
brio_find_library(png png png.h libpng-dev)
brio_find_library(zlib z zlib.h zlib1g-dev)
set(BRIO_LIBRARIES brio::dnnl brio::hwy brio::re2 brio::jpeg brio::png brio::zlib)
