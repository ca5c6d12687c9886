# Run by cpack between installing and packing: what Debian wants of a package beyond what
# `cmake --install` installs.
cmake_minimum_required(VERSION 3.25)

set(root "${CMAKE_CURRENT_LIST_DIR}/..")
find_program(PETAL_GZIP gzip REQUIRED)

# Without name and time, so that the same input makes the same file.
function(compress FILE)
    execute_process(COMMAND "${PETAL_GZIP}" -9nf "${FILE}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# LICENSE in the form https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/.
file(READ "${root}/LICENSE" license)
string(REGEX REPLACE "^MIT License\n\nCopyright \\(c\\) ([^\n]*)\n\n" "" license "${license}")
set(holder "${CMAKE_MATCH_1}")
string(STRIP "${license}" license)
string(REPLACE "\n\n" "\n.\n" license "${license}")
string(REPLACE "\n" "\n " license " ${license}")
set(copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: petal

Files: *
Copyright: ${holder}
License: Expat
${license}
")

# SOURCE_DATE_EPOCH decides the time, if it is set.
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(changelog "petal (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Changes are listed in CHANGELOG.md of the sources.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")

set(command_package petal)
set(development_package libpetal-dev)
foreach(component IN ITEMS command development)
    set(share "${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share")
    set(doc "${share}/doc/${${component}_package}")
    file(WRITE "${doc}/copyright" "${copyright}")
    file(WRITE "${doc}/changelog" "${changelog}")
    compress("${doc}/changelog")
endforeach()

set(share "${CPACK_TEMPORARY_DIRECTORY}/command/usr/share")
file(GLOB pages "${share}/man/man1/*.1")
foreach(page IN LISTS pages)
    compress("${page}")
endforeach()
file(RENAME "${share}/zsh/site-functions" "${share}/zsh/vendor-completions")
