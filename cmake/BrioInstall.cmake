# cmake --install: headers, library, tool, and the CMake package that find_package(brio) finds.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/brio)

install(DIRECTORY brio/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/brio FILES_MATCHING PATTERN "*.h")
install(TARGETS brio EXPORT brioTargets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET brio_tool)
  install(TARGETS brio_tool)
endif()
install(EXPORT brioTargets NAMESPACE brio:: DESTINATION ${package_dir})

configure_package_config_file(cmake/brioConfig.cmake.in ${PROJECT_BINARY_DIR}/brioConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/brioConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/brioConfig.cmake ${PROJECT_BINARY_DIR}/brioConfigVersion.cmake
              cmake/BrioDependencies.cmake
        DESTINATION ${package_dir})
