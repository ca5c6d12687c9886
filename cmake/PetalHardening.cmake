# Hardening of optimised builds, as Bitcoin Core's, checked by tests/check_hardening.py. Debug builds
# stay as they are, and so do those with sanitizers, which replace the functions that
# _FORTIFY_SOURCE would. Compiler flags are in petal_build_flags; those for
# executables alone are in petal_hardened_link, because CMake hands the linker flags of a static
# library on to its users.
include(CheckCXXCompilerFlag)
include(CheckCXXSourceCompiles)
include(CheckLinkerFlag)

add_library(petal_hardened_link INTERFACE)
set(petal_optimised "$<CONFIG:Release,RelWithDebInfo,MinSizeRel>")

# petal_harden_compiler(FLAG): compiles petal's optimised code with FLAG if the compiler knows it.
function(petal_harden_compiler FLAG)
    string(MAKE_C_IDENTIFIER "PETAL_CXX${FLAG}" known)
    check_cxx_compiler_flag("${FLAG}" ${known})
    if(${known})
        target_compile_options(petal_build_flags INTERFACE "$<${petal_optimised}:${FLAG}>")
    endif()
endfunction()

# petal_harden_linker(FLAG): links petal's optimised executables with FLAG if the linker knows it.
function(petal_harden_linker FLAG)
    string(MAKE_C_IDENTIFIER "PETAL_LINK${FLAG}" known)
    check_linker_flag(CXX "${FLAG}" ${known})
    if(${known})
        target_link_options(petal_hardened_link INTERFACE "$<${petal_optimised}:${FLAG}>")
    endif()
endfunction()

# The highest level of _FORTIFY_SOURCE that compiler and C library know, 2 or 3.
function(petal_harden_library)
    set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
    check_cxx_source_compiles("
        #include <cstring>
        static_assert(__USE_FORTIFY_LEVEL == 3);
        int main() {}" PETAL_FORTIFY_3)
    set(level 2)
    if(PETAL_FORTIFY_3)
        set(level 3)
    endif()
    # Some distributions' compilers define a level of their own.
    target_compile_options(petal_build_flags INTERFACE
        "$<${petal_optimised}:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>")
endfunction()

if(NOT PETAL_SANITIZERS)
    petal_harden_library()
    petal_harden_compiler(-fstack-protector-strong)
    petal_harden_compiler(-fstack-clash-protection)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86)$")
        petal_harden_compiler(-fcf-protection=full)
    elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
        petal_harden_compiler(-mbranch-protection=standard)
    endif()
    # So that assertions name their files from the root of the repository.
    petal_harden_compiler("-ffile-prefix-map=${PROJECT_BINARY_DIR}/=")
    petal_harden_compiler("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
    if(NOT DEFINED CMAKE_POSITION_INDEPENDENT_CODE)
        # petal_options_of_kind() has the libraries position-independent.
        target_compile_options(petal_hardened_link INTERFACE "$<${petal_optimised}:-fPIE>")
        petal_harden_linker(-pie)
    endif()
    petal_harden_linker(-Wl,-z,relro)
    petal_harden_linker(-Wl,-z,now)
    petal_harden_linker(-Wl,-z,noexecstack)
    petal_harden_linker(-Wl,-z,separate-code)
endif()
