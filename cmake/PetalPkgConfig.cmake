# Libraries that some systems describe to pkg-config alone. Installed beside petal-config.cmake.

# Defines the target IMPORTED_NAME from the pkg-config module MODULE.
function(petal_find_pkg_config IMPORTED_NAME MODULE)
    find_package(PkgConfig REQUIRED)
    string(MAKE_C_IDENTIFIER "petal_${MODULE}" prefix)
    pkg_check_modules(${prefix} REQUIRED IMPORTED_TARGET GLOBAL ${MODULE})
    add_library(${IMPORTED_NAME} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(${IMPORTED_NAME} INTERFACE PkgConfig::${prefix})
endfunction()

# libsecp256k1 installs a CMake package since 0.3; Debian 12 and Ubuntu 24.04 have 0.2. Sets
# PETAL_SECP256K1_VERSION, which the library itself cannot tell.
function(petal_find_secp256k1)
    if(NOT TARGET secp256k1::secp256k1)
        find_package(secp256k1 CONFIG QUIET)
    endif()
    set(PETAL_SECP256K1_VERSION "${secp256k1_VERSION}" PARENT_SCOPE)
    if(NOT TARGET secp256k1::secp256k1)
        petal_find_pkg_config(secp256k1::secp256k1 libsecp256k1)
        set(PETAL_SECP256K1_VERSION "${petal_libsecp256k1_VERSION}" PARENT_SCOPE)
    endif()
endfunction()
