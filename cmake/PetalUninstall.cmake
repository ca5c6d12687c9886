# The target `uninstall` removes what the last `cmake --install` of each component installed, and the
# folders that it made, if they are empty. Included before anything is installed.
if(PROJECT_IS_TOP_LEVEL)
    foreach(folder IN ITEMS
        "${CMAKE_INSTALL_BINDIR}" "${CMAKE_INSTALL_DATADIR}/doc/petal" "${CMAKE_INSTALL_INCLUDEDIR}/petal"
        "${CMAKE_INSTALL_LIBDIR}/cmake/petal" "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
        "${CMAKE_INSTALL_MANDIR}/man1" "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
        "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
        "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
        # The prefix is that of `cmake --install`.
        cmake_path(ABSOLUTE_PATH folder BASE_DIRECTORY "\${CMAKE_INSTALL_PREFIX}")
        list(APPEND folders "${folder}")
    endforeach()
    set(notes "${PROJECT_BINARY_DIR}/install_folders.txt")
    install(CODE "set(petal_notes [[${notes}]])\nset(petal_folders \"${folders}\")
        include([[${CMAKE_CURRENT_LIST_DIR}/PetalNoteFolders.cmake]])" ALL_COMPONENTS)
    add_custom_target(uninstall
        COMMAND "${CMAKE_COMMAND}" -D "petal_build=${PROJECT_BINARY_DIR}"
            -P "${CMAKE_CURRENT_LIST_DIR}/PetalRemoveInstalled.cmake"
        COMMENT "Removing what was installed")
endif()
