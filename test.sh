#!/usr/bin/env bash
# Builds petal and runs its tests; see usage below.
set -euo pipefail
cd "$(dirname "$0")"

usage() {
    cat <<'END'
usage: ./test.sh [--quick]

Installs what is missing (Debian, Ubuntu; bcoin from npm), then builds and tests:

  dev         what runs coroutines, with its fuzz targets and AddressSanitizer;
              the command, also against real nodes; long simulations; the
              model, the examples and the benchmarks; with g++
  asan        the other libraries and fuzz targets; clang (without it, g++)
              with AddressSanitizer and UndefinedBehaviorSanitizer

  --quick     the unit tests of the libraries without coroutines, with g++

Environment:
  CXX              the compiler to take instead of g++
  BITCOIND         a Bitcoin Core to run the integration tests against too (else the PATH's)
  PETAL_TEST_DATA  a folder with more test vectors
  PETAL_CACHE      where bcoin is kept between runs (default ~/.cache/petal)
  CI=true          whatever cannot be installed is an error
END
}

quick=false
for option in "$@"; do
    case "$option" in
        --quick)
            quick=true
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
done

# shellcheck source=.ci/packages.sh
. .ci/packages.sh

# A test that cannot run is skipped with its reason; in CI it is an error.
cannot() {
    [ "${CI:-}" != true ] || die "$*"
    say "note: $*"
}

prepare_clang() {
    if ! install_clang; then
        cannot "no clang, so g++'s sanitizers take the place of its own"
        with_compiler=(-D "CMAKE_CXX_COMPILER=${CXX:-g++}")
    fi
}

# Puts bcoin into a cache outside the sources and its folder into PETAL_BCOIN.
prepare_bcoin() {
    install_node || { cannot "no Node.js, so nothing is tested against bcoin"; return; }
    local key folder
    key=$(cat tests/integration/bcoin/package*.json | sha256sum | cut -c1-16)
    folder=${PETAL_CACHE:-${XDG_CACHE_HOME:-${HOME:-$PWD/build}/.cache}/petal}/bcoin-$key
    if [ ! -e "$folder/installed" ]; then
        say "installing bcoin from npm"
        mkdir -p "$folder"
        cp tests/integration/bcoin/package*.json "$folder"
        if ! (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund >npm.log 2>&1); then
            tail -n 5 "$folder/npm.log" >&2
            cannot "npm could not install bcoin, so nothing is tested against it"
            return
        fi
        touch "$folder/installed"
    fi
    export PETAL_BCOIN=$folder
}

prepare_build
prepare_tests
follow_compiler dev
with_compiler=()
if ! "$quick"; then
    prepare_clang
    prepare_bcoin
fi

# Most tests wait for nodes: with two a core, an eighth of the cores' time was idle.
CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$((3 * $(nproc)))}
export CTEST_PARALLEL_LEVEL

# What is chosen among the tests of the preset dev: those that asan does not run, or those alone.
if "$quick"; then
    presets=(dev)
    target=petal_pure_tests
    chosen=(-L '^(pure|house)$')
else
    presets=(dev asan)
    target=petal_programs
    chosen=(-LE '^pure$' -E '_memory_tests_NOT_BUILT$')
fi
results=()
broken=()
for preset in "${presets[@]}"; do
    mkdir -p "build/$preset"
    results+=("build/$preset/junit.xml")
    rm -f "build/$preset/junit.xml"
done

run_asan() {
    cmake --preset asan "${with_compiler[@]}" && cmake --build --preset asan && ctest --preset asan
}

say "== dev"
built=true
cmake --preset dev && cmake --build --preset dev --target "$target" || built=false

# While these tests wait for nodes, asan builds, and then tests, at the lowest priority.
if ! "$quick"; then
    set -m # a process group of its own, which ends with this script
    (renice -n 19 "$BASHPID" >/dev/null && run_asan) </dev/null >build/asan/workflow.log 2>&1 &
    set +m
    trap 'kill -- -$! 2>/dev/null || true' EXIT
fi
if ! "$built" || ! ctest --preset dev "${chosen[@]}"; then broken+=(dev); fi
if ! "$quick"; then
    say "== asan"
    tail -n +1 -f --pid=$! build/asan/workflow.log
    wait $! || broken+=(asan)
fi

status=0
if [ "${#broken[@]}" -gt 0 ]; then
    say "error: failed: ${broken[*]}"
    status=1
fi
python3 -B tests/summarise_results.py "${results[@]}" || status=1
exit "$status"
