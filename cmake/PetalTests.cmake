include(GoogleTest)

# petal_tests(NAME SOURCES file... [LINKS target...] [LABELS label...] [TIMEOUT seconds])
#
# Makes the executable petal_NAME_tests, whose tests CTest knows one by one as NAME/Suite.Test.
#
# LABELS   what kind of tests these are, `unit` unless given
# TIMEOUT  for one test, 60 seconds unless given
function(petal_tests NAME)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;LINKS;LABELS")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 60)
    endif()
    if(NOT arg_LABELS)
        set(arg_LABELS unit)
    endif()
    if(NOT arg_SOURCES)
        return()
    endif()

    add_executable(petal_${NAME}_tests ${arg_SOURCES})
    target_link_libraries(petal_${NAME}_tests PRIVATE
        ${arg_LINKS} petal_test_support GTest::gtest GTest::gtest_main petal_build_flags)
    gtest_discover_tests(petal_${NAME}_tests
        TEST_PREFIX "${NAME}/"
        DISCOVERY_MODE PRE_TEST
        DISCOVERY_TIMEOUT 60
        NO_PRETTY_VALUES
        PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# petal_fuzz(NAME LINKS target...)
#
# From NAME_fuzz.cpp makes, with PETAL_BUILD_FUZZ, the libFuzzer binary petal_fuzz_NAME, and with
# the tests a program that replays corpus/NAME and the empty input, registered as fuzz/NAME.
function(petal_fuzz NAME)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LINKS")
    if(PETAL_BUILD_FUZZ)
        add_executable(petal_fuzz_${NAME} ${NAME}_fuzz.cpp)
        target_link_libraries(petal_fuzz_${NAME} PRIVATE ${arg_LINKS} petal_build_flags)
        target_link_options(petal_fuzz_${NAME} PRIVATE -fsanitize=fuzzer)
    endif()
    if(PETAL_BUILD_TESTS)
        add_executable(petal_replay_${NAME} ${NAME}_fuzz.cpp)
        target_link_libraries(petal_replay_${NAME} PRIVATE
            ${arg_LINKS} petal_fuzz_replay petal_build_flags)
        add_test(NAME fuzz/${NAME}
            COMMAND petal_replay_${NAME} "${CMAKE_CURRENT_SOURCE_DIR}/corpus/${NAME}")
        set_tests_properties(fuzz/${NAME} PROPERTIES LABELS "fuzz;unit" TIMEOUT 60)
    endif()
endfunction()
