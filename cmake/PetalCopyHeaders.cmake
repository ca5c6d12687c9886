# Run by the build: copies the headers that the file petal_names lists, paths below petal_root, to
# petal_output, where they include each other as "petal/chain/bytes.h" instead of "chain/bytes.h". So
# users need no include path on which a folder has a name as common as chain or net.
cmake_minimum_required(VERSION 3.25)

# A missing file ends the compilation: an #error would be followed by hundreds of errors.
set(first "#pragma once
#if __cplusplus < 202002L
#include \"petal needs C++20: compile with -std=c++20 or later\"
#endif
")

# write_new(FILE TEXT): leaves a file as it is that has this text, so that nothing is compiled again.
function(write_new FILE TEXT)
    set(old "")
    if(EXISTS "${FILE}")
        file(READ "${FILE}" old)
    endif()
    if(NOT old STREQUAL TEXT)
        file(WRITE "${FILE}" "${TEXT}")
    endif()
endfunction()

file(STRINGS "${petal_names}" names)
foreach(name IN LISTS names)
    file(READ "${petal_root}/${name}" text)
    string(REGEX REPLACE "(^|\n)([ \t]*#[ \t]*include[ \t]*\")" "\\1\\2petal/" text "${text}")
    string(REPLACE "#pragma once\n" "${first}" text "${text}")
    write_new("${petal_output}/${name}" "${text}")
endforeach()

file(GLOB_RECURSE present RELATIVE "${petal_output}" "${petal_output}/*.h")
foreach(name IN LISTS present)
    if(NOT name IN_LIST names)
        file(REMOVE "${petal_output}/${name}")
    endif()
endforeach()
# Folders that were moved away, the deepest first.
file(GLOB_RECURSE folders LIST_DIRECTORIES true "${petal_output}/*")
list(REVERSE folders)
foreach(folder IN LISTS folders)
    file(GLOB inside "${folder}/*")
    if(IS_DIRECTORY "${folder}" AND NOT inside)
        file(REMOVE_RECURSE "${folder}")
    endif()
endforeach()
