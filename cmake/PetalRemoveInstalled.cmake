# Run by the target `uninstall`: removes the files that the manifests in petal_build list, and the
# folders that PetalNoteFolders.cmake has noted, with those below, where they are empty.
cmake_minimum_required(VERSION 3.25)

file(GLOB manifests "${petal_build}/install_manifest*.txt")
set(files "")
foreach(manifest IN LISTS manifests)
    file(STRINGS "${manifest}" listed)
    list(APPEND files ${listed})
endforeach()
list(TRANSFORM files PREPEND "$ENV{DESTDIR}")
set(noted "")
if(EXISTS "${petal_build}/install_folders.txt")
    file(STRINGS "${petal_build}/install_folders.txt" noted)
endif()

set(folders "")
foreach(file IN LISTS files)
    file(REMOVE "${file}")
    foreach(root IN LISTS noted)
        cmake_path(GET file PARENT_PATH folder)
        cmake_path(IS_PREFIX root "${folder}" is_below)
        while(is_below)
            list(APPEND folders "${folder}")
            cmake_path(GET folder PARENT_PATH folder)
            cmake_path(IS_PREFIX root "${folder}" is_below)
        endwhile()
    endforeach()
endforeach()
list(REMOVE_DUPLICATES folders)
list(SORT folders ORDER DESCENDING)  # a folder after those in it
foreach(folder IN LISTS folders)
    execute_process(COMMAND rmdir "${folder}" ERROR_QUIET)  # not if it holds anything
endforeach()

file(REMOVE ${manifests} "${petal_build}/install_folders.txt")
list(LENGTH files count)
message("${count} files removed")
