# petal_folder(NAME SOURCES file... [DEPENDS folder...] [LINKS target...]
#              [PRECOMPILED kind] [NOT_INSTALLED])
#
# Makes the static library petal_NAME, known as petal::NAME, from the sources and headers given.
# Petal's own sources include headers from the repository's root ("chain/bytes.h"), and others include
# <petal/chain/bytes.h>: PetalHeaders.cmake copies the public ones of the headers that are listed here.
#
# DEPENDS      other folders this one may include; what stands here is what links
# LINKS        third-party targets
# PRECOMPILED  which headers and options petal_precompile() adds, `base` unless given
function(petal_folder NAME)
    cmake_parse_arguments(PARSE_ARGV 1 arg "NOT_INSTALLED" "PRECOMPILED" "SOURCES;DEPENDS;LINKS")
    if(NOT arg_PRECOMPILED)
        set(arg_PRECOMPILED base)
    endif()

    set(headers ${arg_SOURCES})
    list(FILTER headers INCLUDE REGEX "\\.h$")
    set(units ${arg_SOURCES})
    list(FILTER units EXCLUDE REGEX "\\.h$")
    if(NOT units)
        # A folder of headers alone is still an archive, so that it links like the others.
        set(units "${CMAKE_CURRENT_BINARY_DIR}/petal_${NAME}.cpp")
        file(CONFIGURE OUTPUT "${units}" CONTENT "")
    endif()

    add_library(petal_${NAME} STATIC ${units})
    add_library(petal::${NAME} ALIAS petal_${NAME})
    set_target_properties(petal_${NAME} PROPERTIES EXPORT_NAME ${NAME})
    target_compile_features(petal_${NAME} PUBLIC cxx_std_20)
    target_include_directories(petal_${NAME} PUBLIC
        "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
        "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    list(TRANSFORM arg_DEPENDS PREPEND "petal::")
    target_link_libraries(petal_${NAME}
        PUBLIC ${arg_DEPENDS} ${arg_LINKS}
        PRIVATE $<BUILD_INTERFACE:petal_build_flags>)
    petal_precompile(petal_${NAME} ${arg_PRECOMPILED})

    if(arg_NOT_INSTALLED)
        return()
    endif()
    file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
    list(TRANSFORM headers PREPEND "${folder}/")
    set_property(GLOBAL APPEND PROPERTY petal_headers ${headers})
    add_dependencies(petal_${NAME} petal_headers)
    if(PETAL_INSTALL)
        install(TARGETS petal_${NAME} EXPORT petal-targets
            ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
    endif()
endfunction()
