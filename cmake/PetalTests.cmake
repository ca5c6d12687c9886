include(GoogleTest)

set(PETAL_TEST_SHARDS 0 CACHE STRING
    "Processes that share a program's tests; 0: one for each test, which takes minutes to start.")

# petal_tests(NAME SOURCES file... [LINKS target...] [LABEL label] [PRECOMPILED kind]
#             [NO_SHARDS] [PURE])
#
# Makes the executable petal_NAME_tests, whose tests CTest knows one by one as NAME/Suite.Test, or,
# with PETAL_TEST_SHARDS, as NAME/shard_1 and so on.
#
# LABEL        what kind of tests these are, `unit` unless given
# PRECOMPILED  which headers petal_precompile() adds, `gtest` unless given
# NO_SHARDS    CTest needs to know each of them, with or without PETAL_TEST_SHARDS
# PURE         these tests run no coroutines and no command: the sanitizers of `asan` are for them. Their label
#              is `pure`, and the target petal_pure_tests builds them; petal_programs builds the rest
function(petal_tests NAME)
    cmake_parse_arguments(PARSE_ARGV 1 arg "NO_SHARDS;PURE" "LABEL;PRECOMPILED" "SOURCES;LINKS")
    if(NOT arg_LABEL)
        set(arg_LABEL unit)
    endif()
    if(NOT arg_PRECOMPILED)
        set(arg_PRECOMPILED gtest)
    endif()
    if(NOT arg_SOURCES)
        return()
    endif()

    add_executable(petal_${NAME}_tests ${arg_SOURCES})
    if(arg_PURE)
        set(arg_LABEL pure)
        add_dependencies(petal_pure_tests petal_${NAME}_tests)
    else()
        add_dependencies(petal_programs petal_${NAME}_tests)
    endif()
    target_link_libraries(petal_${NAME}_tests PRIVATE
        ${arg_LINKS} petal_test_support GTest::gtest GTest::gtest_main petal_build_flags)
    petal_precompile(petal_${NAME}_tests ${arg_PRECOMPILED})
    if(PETAL_TEST_SHARDS AND NOT arg_NO_SHARDS)
        petal_shards(${NAME} ${arg_LABEL})
        return()
    endif()
    gtest_discover_tests(petal_${NAME}_tests
        TEST_PREFIX "${NAME}/"
        TEST_FILTER *  # else the GTEST_FILTER of the first run decides which tests are known
        DISCOVERY_MODE PRE_TEST
        DISCOVERY_TIMEOUT 60
        NO_PRETTY_VALUES
        PROPERTIES LABELS ${arg_LABEL})
endfunction()

# petal_shards(NAME LABEL): the tests of petal_NAME_tests, divided among PETAL_TEST_SHARDS processes.
function(petal_shards NAME LABEL)
    math(EXPR last "${PETAL_TEST_SHARDS} - 1")
    foreach(index RANGE ${last})
        math(EXPR number "${index} + 1")
        add_test(NAME ${NAME}/shard_${number} COMMAND petal_${NAME}_tests)
        set_tests_properties(${NAME}/shard_${number} PROPERTIES
            LABELS ${LABEL}
            ENVIRONMENT "GTEST_TOTAL_SHARDS=${PETAL_TEST_SHARDS};GTEST_SHARD_INDEX=${index}")
    endforeach()
endfunction()

# petal_fuzz(NAME LINKS target... [SECONDS number])
#
# From NAME_fuzz.cpp makes, with PETAL_BUILD_FUZZ, the libFuzzer binary petal_fuzz_NAME; else a part
# of petal_fuzz_replay or, if it links what has AddressSanitizer with PETAL_ASAN_COROUTINES, of
# petal_fuzz_replay_io. Each is the CTest fuzz/NAME or io_fuzz/NAME, which runs the seeds
# (corpus/NAME/ and corpus/NAME.seeds), and then mutations of them for PETAL_FUZZ_SECONDS; if its
# inputs are slow, for SECONDS.
function(petal_fuzz NAME)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SECONDS" "LINKS")
    if(NOT PETAL_BUILD_FUZZ)
        set(seconds "${PETAL_FUZZ_SECONDS}")
        if(arg_SECONDS GREATER seconds)
            set(seconds "${arg_SECONDS}")
        endif()
        if(arg_LINKS MATCHES "petal::(cli|client|net_io|regtest_serve|regtest_rpc)")
            set(program petal_fuzz_replay_io)
            set(test io_fuzz/${NAME})
        else()
            set(program petal_fuzz_replay)
            set(test fuzz/${NAME})
        endif()
        if(NOT TARGET ${program})
            return()
        endif()
        target_link_libraries(${program} PRIVATE ${arg_LINKS})
        set_property(TARGET ${program} APPEND PROPERTY petal_fuzz_targets ${NAME})
        file(GLOB seeds CONFIGURE_DEPENDS LIST_DIRECTORIES true
            "corpus/${NAME}" "corpus/${NAME}.seeds")
        add_test(NAME ${test} COMMAND ${program} ${NAME} ${seconds} ${seeds})
        if(program STREQUAL "petal_fuzz_replay")
            set(pure pure)
        endif()
        set_tests_properties(${test} PROPERTIES LABELS "fuzz;${pure}")
        return()
    endif()

    set(target petal_fuzz_${NAME})
    add_executable(${target} ${NAME}_fuzz.cpp)
    target_link_libraries(${target} PRIVATE ${arg_LINKS} petal_build_flags)
    petal_precompile(${target} base)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    add_dependencies(petal_fuzzers ${target})
    add_test(NAME fuzz/${NAME}
        COMMAND Python3::Interpreter -B "${CMAKE_CURRENT_SOURCE_DIR}/run.py"
            --seconds ${PETAL_FUZZ_SECONDS} --binaries "${CMAKE_CURRENT_BINARY_DIR}"
            --corpus "${PROJECT_BINARY_DIR}/corpus" --log "${PROJECT_BINARY_DIR}/log" ${NAME})
    set_tests_properties(fuzz/${NAME} PROPERTIES LABELS fuzz)
endfunction()

# petal_house_test(NAME SCRIPT argument...): the Python script as the CTest house/NAME.
function(petal_house_test NAME SCRIPT)
    add_test(NAME house/${NAME}
        COMMAND Python3::Interpreter -B "${CMAKE_CURRENT_SOURCE_DIR}/${SCRIPT}" ${ARGN})
    set_tests_properties(house/${NAME} PROPERTIES LABELS house)
endfunction()
