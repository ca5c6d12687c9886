# Run by the build: of the headers that the file petal_names lists, paths below petal_root, copies those
# that the guide (docs/api.md) names, and those that they include, to petal_output, where they include each other as "petal/chain/bytes.h" instead of "chain/bytes.h". So
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

file(STRINGS "${petal_names}" known)
file(READ "${petal_root}/docs/api.md" guide)
string(REGEX MATCHALL "[a-z_]+(/[a-z0-9_]+)+[.]h" waiting "${guide}")
set(names "")
while(waiting)
    list(POP_FRONT waiting name)
    if(name IN_LIST names OR NOT name IN_LIST known)
        continue()
    endif()
    list(APPEND names "${name}")
    file(READ "${petal_root}/${name}" text)
    string(REGEX MATCHALL "#include \"[^\"\n]+" included "${text}")
    list(TRANSFORM included REPLACE "#include \"" "")
    list(APPEND waiting ${included})
    string(REGEX REPLACE "(^|\n)([ \t]*#[ \t]*include[ \t]*\")" "\\1\\2petal/" text "${text}")
    string(REPLACE "#pragma once\n" "${first}" text "${text}")
    write_new("${petal_output}/${name}" "${text}")
endwhile()

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
