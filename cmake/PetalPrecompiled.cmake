# The standard and third-party headers that take most of a cold build's time, precompiled once.
# Sources name what they use all the same: the release build compiles them without.
set(petal_pch_base
    <algorithm> <array> <chrono> <deque> <filesystem> <functional> <map> <memory> <optional> <set>
    <span> <string> <unordered_map> <variant> <vector>)
set(petal_pch_asio
    ${petal_pch_base} <boost/asio/as_tuple.hpp> <boost/asio/awaitable.hpp>
    <boost/asio/co_spawn.hpp> <boost/asio/experimental/parallel_group.hpp>
    <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp> <boost/asio/read.hpp>
    <boost/asio/steady_timer.hpp> <boost/asio/use_awaitable.hpp> <boost/asio/write.hpp>)
set(petal_pch_cli ${petal_pch_asio} <CLI/CLI.hpp> <nlohmann/json.hpp>)
set(petal_pch_gtest ${petal_pch_base} <gtest/gtest.h>)
# Without CLI11, which adds the code of all its classes to each unit, used or not: five seconds.
set(petal_pch_gtest_asio ${petal_pch_asio} <nlohmann/json.hpp> <gtest/gtest.h>)

# petal_compile_in_large_units(TARGET): for what includes Asio, CLI11 or JSON. To instantiate their
# templates takes two thirds of a unit's time, however many sources are in it.
function(petal_compile_in_large_units TARGET)
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD_BATCH_SIZE 32)
endfunction()

# petal_options_of_kind(TARGET KIND): what uses the headers of Asio runs coroutines, and is compiled as
# PETAL_ASAN_COROUTINES says; what needs the basic ones alone, as PETAL_PURE_OPTIONS says.
function(petal_options_of_kind TARGET KIND)
    if(NOT KIND MATCHES "gtest")
        # The libraries can become part of a shared object. The compiler may inline nevertheless: the
        # functions of a static library are not replaced by others of the same name.
        target_compile_options(${TARGET} PRIVATE -fPIC -fno-semantic-interposition)
    endif()
    if(KIND MATCHES "asio|cli")
        petal_sanitize_coroutines(${TARGET})
        petal_compile_in_large_units(${TARGET})
        if(KIND STREQUAL "gtest_asio" AND PETAL_SANITIZES_COROUTINES)
            # It is a fifth of the time that tests take to compile; the preset asan has it.
            target_compile_options(${TARGET} PRIVATE -fno-sanitize-address-use-after-scope)
        endif()
    elseif(KIND STREQUAL "base")
        target_compile_options(${TARGET} PRIVATE ${PETAL_PURE_OPTIONS})
    endif()
endfunction()

# petal_precompile(TARGET KIND): has TARGET use the headers of petal_pch_KIND, with PETAL_PCH, and
# the options of that kind.
function(petal_precompile TARGET KIND)
    petal_options_of_kind(${TARGET} ${KIND})
    if(NOT PETAL_PCH)
        return()
    endif()
    if(NOT TARGET petal_pch_${KIND})
        set(unit "${PROJECT_BINARY_DIR}/petal_pch_${KIND}.cpp")
        file(CONFIGURE OUTPUT "${unit}" CONTENT "")
        add_library(petal_pch_${KIND} OBJECT "${unit}")
        target_compile_features(petal_pch_${KIND} PUBLIC cxx_std_20)
        target_precompile_headers(petal_pch_${KIND} PRIVATE ${petal_pch_${KIND}})
        petal_options_of_kind(petal_pch_${KIND} ${KIND})
        target_link_libraries(petal_pch_${KIND} PRIVATE
            $<TARGET_NAME_IF_EXISTS:Boost::headers> $<TARGET_NAME_IF_EXISTS:CLI11::CLI11>
            $<TARGET_NAME_IF_EXISTS:nlohmann_json::nlohmann_json>
            $<TARGET_NAME_IF_EXISTS:GTest::gtest> petal_build_flags)
    endif()
    target_precompile_headers(${TARGET} REUSE_FROM petal_pch_${KIND})
endfunction()
