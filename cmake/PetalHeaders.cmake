# The public headers as users of the libraries include them: <petal/chain/bytes.h>. They lie in `include` of
# the build folder, which the targets of a build tree have, and which is installed.
set(headers "${PROJECT_BINARY_DIR}/petal_headers")
get_property(names GLOBAL PROPERTY petal_headers)
list(JOIN names "\n" lines)
file(CONFIGURE OUTPUT "${headers}.txt" CONTENT "${lines}\n" @ONLY)
list(TRANSFORM names PREPEND "${PROJECT_SOURCE_DIR}/")
add_custom_command(OUTPUT "${headers}.stamp"
    COMMAND "${CMAKE_COMMAND}" -D "petal_root=${PROJECT_SOURCE_DIR}" -D "petal_names=${headers}.txt"
        -D "petal_output=${PROJECT_BINARY_DIR}/include/petal"
        -P "${CMAKE_CURRENT_LIST_DIR}/PetalCopyHeaders.cmake"
    COMMAND "${CMAKE_COMMAND}" -E touch "${headers}.stamp"
    DEPENDS ${names} "${PROJECT_SOURCE_DIR}/docs/api.md" "${headers}.txt" "${CMAKE_CURRENT_LIST_DIR}/PetalCopyHeaders.cmake"
    COMMENT "Copying the headers")
add_custom_target(petal_headers DEPENDS "${headers}.stamp")
