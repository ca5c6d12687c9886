# Warnings, the C++ library's assertions and sanitizers for petal's own targets. Linked privately and
# only in the build tree, so that none of it reaches users of an installed petal.
add_library(petal_build_flags INTERFACE)

target_compile_definitions(petal_build_flags INTERFACE _GLIBCXX_ASSERTIONS)
target_compile_options(petal_build_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
    $<$<BOOL:${PETAL_WERROR}>:-Werror>)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Wrong about std::string::insert in optimised code (GCC bug 105651).
    target_compile_options(petal_build_flags INTERFACE -Wno-restrict)
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Wrong in optimised code that orders std::vector<unsigned char>, as std::set does: g++ 13 and 14
    # hold it possible that a vector is longer than any object.
    target_compile_options(petal_build_flags INTERFACE -Wno-stringop-overread)
endif()

if(PETAL_SANITIZERS)
    target_compile_options(petal_build_flags INTERFACE
        -fsanitize=${PETAL_SANITIZERS} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(petal_build_flags INTERFACE -fsanitize=${PETAL_SANITIZERS})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND PETAL_SANITIZERS MATCHES "undefined")
        # clang 14 cannot emit the function check for coroutines.
        target_compile_options(petal_build_flags INTERFACE -fno-sanitize=function)
    endif()
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND PETAL_SANITIZERS MATCHES "address"
            AND PETAL_SANITIZERS MATCHES "undefined")
        # These checks take a quarter of clang's time, and g++ makes them (.ci/thorough.sh asan-gcc).
        # AddressSanitizer notices by itself what is read through null or beside an object. Pointers
        # are cast to types of bytes alone.
        target_compile_options(petal_build_flags INTERFACE
            -fno-sanitize=null,alignment,object-size,vptr)
    endif()
endif()

# petal_find_asan(): sets PETAL_HAS_ASAN where programs can be linked with AddressSanitizer.
function(petal_find_asan)
    set(CMAKE_REQUIRED_FLAGS -fsanitize=address)
    check_cxx_source_compiles("int main() {}" PETAL_HAS_ASAN)
    if(NOT PETAL_HAS_ASAN)
        message(WARNING "${CMAKE_CXX_COMPILER} has no AddressSanitizer: coroutines go without.")
    endif()
endfunction()
include(CheckCXXSourceCompiles)
set(PETAL_SANITIZES_COROUTINES OFF)
if(PETAL_ASAN_COROUTINES AND NOT PETAL_SANITIZERS)
    petal_find_asan()
    set(PETAL_SANITIZES_COROUTINES ${PETAL_HAS_ASAN})
endif()

# petal_sanitize_coroutines(TARGET): AddressSanitizer in TARGET and in the programs that link it, with
# PETAL_ASAN_COROUTINES. An installed library keeps it, too: install what has no sanitizers.
function(petal_sanitize_coroutines TARGET)
    if(PETAL_SANITIZES_COROUTINES)
        target_compile_options(${TARGET} PRIVATE -fsanitize=address -fno-omit-frame-pointer)
        target_link_options(${TARGET} PUBLIC -fsanitize=address)
    endif()
endfunction()

# Debug builds compile large units: g++ takes a tenth less time where it looks for garbage only above
# 1 GiB of its memory. And they link many programs: a quick linker, where there is one that the
# compiler takes.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_BUILD_TYPE STREQUAL "Debug")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(petal_build_flags INTERFACE --param=ggc-min-heapsize=1048576)
    endif()
    include(CheckLinkerFlag)
    check_linker_flag(CXX -fuse-ld=mold PETAL_HAS_MOLD)
    if(PETAL_HAS_MOLD)
        add_link_options(-fuse-ld=mold)
    endif()
endif()
