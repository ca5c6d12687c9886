# Run by each build: writes the commit of the sources in petal_root to the C++ source petal_output,
# unless it is there already. In an archive of git's, commit.txt names the commit; elsewhere git
# does; without either, or if the sources lie in another project's repository, it is empty.
cmake_minimum_required(VERSION 3.25)

file(READ "${CMAKE_CURRENT_LIST_DIR}/commit.txt" commit)
string(STRIP "${commit}" commit)
if(commit MATCHES "^[0-9a-f]+$")
    string(SUBSTRING "${commit}" 0 12 commit)
else()
    set(commit "")
    # In a hook, git's own variables name the repository that the hook is of.
    set(git "${CMAKE_COMMAND}" -E env --unset=GIT_DIR --unset=GIT_WORK_TREE --unset=GIT_INDEX_FILE
        git --no-optional-locks -C "${petal_root}")
    execute_process(COMMAND ${git} rev-parse --show-prefix
        OUTPUT_VARIABLE inside RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(failed EQUAL 0 AND inside STREQUAL "")
        execute_process(COMMAND ${git} describe --always --dirty --abbrev=12 --exclude=*
            OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
endif()

file(CONFIGURE OUTPUT "${petal_output}" @ONLY CONTENT "// Made by cmake/PetalCommit.cmake.
namespace petal::cli {
extern const char* const kCommit;
const char* const kCommit = \"@commit@\";
}  // namespace petal::cli
")
