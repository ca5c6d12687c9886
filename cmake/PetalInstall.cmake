# Installs the command, the libraries and the package that finds them again.
include(CMakePackageConfigHelpers)

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/petal")
configure_package_config_file(
    "${CMAKE_CURRENT_LIST_DIR}/petal-config.cmake.in" "${CMAKE_BINARY_DIR}/petal-config.cmake"
    INSTALL_DESTINATION "${config_dir}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/petal-config-version.cmake"
    COMPATIBILITY SameMinorVersion)

install(TARGETS petal RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(EXPORT petal-targets NAMESPACE petal:: DESTINATION "${config_dir}")
install(FILES
    "${CMAKE_BINARY_DIR}/petal-config.cmake"
    "${CMAKE_BINARY_DIR}/petal-config-version.cmake"
    "${CMAKE_CURRENT_LIST_DIR}/PetalPkgConfig.cmake"
    DESTINATION "${config_dir}")
