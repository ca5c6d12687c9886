# The libraries of petal, what each needs, and how to find that. Installed beside petal-config.cmake,
# so that a build on petal needs as much as petal's own.
set(petal_needed_by_bloom OpenSSL)
set(petal_needed_by_chain OpenSSL Boost secp256k1)
set(petal_needed_by_wallet ${petal_needed_by_chain} SQLite3 SQLiteCpp utf8proc)
set(petal_needed_by_net ${petal_needed_by_chain} SQLite3 SQLiteCpp Threads)
set(petal_needed_by_client ${petal_needed_by_wallet} ${petal_needed_by_net} nlohmann_json)
set(petal_needed_by_regtest ${petal_needed_by_net})

set(petal_find_Boost Boost 1.81 CONFIG)
set(petal_find_nlohmann_json nlohmann_json)
set(petal_find_OpenSSL OpenSSL 3.0)
set(petal_find_SQLite3 SQLite3)
set(petal_find_SQLiteCpp SQLiteCpp)
set(petal_find_Threads Threads)

# petal_list_needed(VARIABLE component...): sets VARIABLE to the names of what the components need.
function(petal_list_needed VARIABLE)
    set(needed "")
    foreach(component IN LISTS ARGN)
        list(APPEND needed ${petal_needed_by_${component}})
    endforeach()
    list(REMOVE_DUPLICATES needed)
    set(${VARIABLE} "${needed}" PARENT_SCOPE)
endfunction()

# Defines the target IMPORTED_NAME from the pkg-config module MODULE: some systems describe some
# libraries to pkg-config alone. With QUIET in place of REQUIRED, a missing library is no error.
function(petal_find_pkg_config IMPORTED_NAME MODULE REQUIREMENT)
    if(TARGET ${IMPORTED_NAME})
        return()
    endif()
    find_package(PkgConfig ${REQUIREMENT})
    if(NOT PkgConfig_FOUND)
        return()
    endif()
    string(MAKE_C_IDENTIFIER "petal_${MODULE}" prefix)
    pkg_check_modules(${prefix} ${REQUIREMENT} IMPORTED_TARGET GLOBAL ${MODULE})
    if(NOT ${prefix}_FOUND)
        return()
    endif()
    add_library(${IMPORTED_NAME} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(${IMPORTED_NAME} INTERFACE PkgConfig::${prefix})
endfunction()

# libsecp256k1 installs a CMake package since 0.3; Debian 12 and Ubuntu 24.04 have 0.2. Sets
# PETAL_SECP256K1_VERSION, which the library itself cannot tell.
function(petal_find_secp256k1 REQUIREMENT)
    if(NOT TARGET secp256k1::secp256k1)
        find_package(secp256k1 CONFIG QUIET)
    endif()
    set(PETAL_SECP256K1_VERSION "${secp256k1_VERSION}" PARENT_SCOPE)
    if(NOT TARGET secp256k1::secp256k1)
        petal_find_pkg_config(secp256k1::secp256k1 libsecp256k1 ${REQUIREMENT})
        set(PETAL_SECP256K1_VERSION "${petal_libsecp256k1_VERSION}" PARENT_SCOPE)
    endif()
endfunction()

# petal_find_libraries(VARIABLE REQUIREMENT): finds those in the list VARIABLE that need a function
# here. REQUIREMENT is that of petal_find_pkg_config().
macro(petal_find_libraries VARIABLE REQUIREMENT)
    if("secp256k1" IN_LIST ${VARIABLE})
        petal_find_secp256k1(${REQUIREMENT})
    endif()
    if("utf8proc" IN_LIST ${VARIABLE})
        petal_find_pkg_config(utf8proc::utf8proc libutf8proc ${REQUIREMENT})
    endif()
endmacro()

# petal_find_optional(component): sets petal_<component>_FOUND to whether all that the component
# needs is found.
macro(petal_find_optional component)
    petal_list_needed(petal_needed ${component})
    petal_find_libraries(petal_needed QUIET)
    set(petal_${component}_FOUND TRUE)
    foreach(name IN LISTS petal_needed)
        if(DEFINED petal_find_${name})
            find_package(${petal_find_${name}} QUIET)
        elseif(TARGET ${name}::${name})
            set(${name}_FOUND TRUE)
        endif()
        if(NOT ${name}_FOUND)
            set(petal_${component}_FOUND FALSE)
        endif()
    endforeach()
endmacro()
