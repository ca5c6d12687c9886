#!/usr/bin/env bash
# Builds petal and runs its tests; see usage below.
set -euo pipefail
cd "$(dirname "$0")"

usage() {
    cat <<'END'
usage: ./test.sh [--quick]

Installs what is missing (Debian, Ubuntu; bcoin from npm), then builds and tests:

  programs    what runs coroutines, with its fuzz targets and AddressSanitizer;
              the command, also against real nodes; long simulations; the
              model, the examples and the benchmarks; with g++
  asan        the other libraries and fuzz targets; clang with
              AddressSanitizer and UndefinedBehaviorSanitizer

  --quick     the libraries' unit tests alone, with g++

Without clang, asan-gcc takes the place of asan: all libraries and fuzz targets, with g++.

Environment:
  CXX              the compiler to take instead of g++
  BITCOIND         a Bitcoin Core to run the integration tests against too (else the PATH's)
  PETAL_TEST_DATA  a folder with more test vectors
  PETAL_CACHE      where bcoin is kept between runs (default ~/.cache/petal)
  CI=true          whatever cannot be installed is an error
END
}

first=programs
second=asan
for option in "$@"; do
    case "$option" in
        --quick)
            first=quick
            second=
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
        second=asan-gcc
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
if [ "$first" != quick ]; then
    prepare_clang
    prepare_bcoin
fi

# Most tests wait for nodes: with two a core, an eighth of the cores' time was idle.
CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$((3 * $(nproc)))}
export CTEST_PARALLEL_LEVEL

results=()
broken=()
for workflow in $first $second; do
    mkdir -p "build/$workflow"
    results+=("build/$workflow/junit.xml")
    rm -f "build/$workflow/junit.xml"
done

say "== $first"
built=true
cmake --preset dev && cmake --build --preset "$first" || built=false

# While these tests wait for nodes, the second workflow builds, and then tests, at the lowest priority.
if [ -n "$second" ]; then
    set -m # a process group of its own, which ends with this script
    nice -n 19 cmake --workflow --preset "$second" </dev/null >"build/$second/workflow.log" 2>&1 &
    set +m
    trap 'kill -- -$! 2>/dev/null || true' EXIT
fi
if ! "$built" || ! ctest --preset "$first"; then broken+=("$first"); fi
if [ -n "$second" ]; then
    say "== $second"
    tail -n +1 -f --pid=$! "build/$second/workflow.log"
    wait $! || broken+=("$second")
fi

status=0
if [ "${#broken[@]}" -gt 0 ]; then
    say "error: failed: ${broken[*]}"
    status=1
fi
python3 -B tests/summarise_results.py "${results[@]}" || status=1
exit "$status"
