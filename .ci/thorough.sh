#!/usr/bin/env bash
# Runs the checks before a release that ./test.sh leaves out, one after another, and stops at the first
# that fails. usage: .ci/thorough.sh [CHECK]...
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=.ci/packages.sh
. .ci/packages.sh
[ "$#" -gt 0 ] || set -- cppcheck tidy release bench asan-whole asan-gcc tsan fuzz crash fixtures

# What ./test.sh does not install.
packages=()
for check in "$@"; do
    case "$check" in
        cppcheck) have cppcheck || packages+=(cppcheck) ;;
        tidy) have clang-tidy || packages+=(clang-tidy) ;;
        fixtures) have go || packages+=(golang-go); have npm || packages+=(npm); packages+=(python3-venv) ;;
    esac
done
prepare_build
prepare_tests
install_clang || die "the checks need clang"
install_packages "${packages[@]}" || die "some checks cannot be installed"

# sanitize FOLDER [OPTION]...: builds with AddressSanitizer and UndefinedBehaviorSanitizer, and runs asan-whole.
sanitize() {
    local folder=$1
    shift
    cmake --preset asan -B "$folder" "$@"
    cmake --build "$folder"
    ctest --preset asan-whole --test-dir "$folder"
}

# fixtures PETAL: other projects' light wallets, from PyPI and the Go proxy, sync from petal's regtest node, and other
# projects' fixtures of bitcoind, also from npm, start petal-bitcoind.
fixtures() {
    local folder=$PWD/build/fixtures
    export PETAL=$1 BITCOIND_EXE=$1-bitcoind
    python3 -m venv "$folder/python"
    "$folder/python/bin/pip" install --quiet \
        bdkpython==3.1.1 pyln-testing==26.6.9 python-bitcoinlib==0.12.2 pytest
    "$folder/python/bin/python" -B -m pytest -p no:cacheprovider \
        examples/regtest/test_light_wallet.py examples/regtest/test_bitcoind_fixtures.py
    mkdir -p "$folder/node"
    cp examples/regtest/bitcoind.test.mjs "$folder/node"
    (
        cd "$folder/node"
        npm install --silent --no-save bitcoin-core@5.0.0
        node --test bitcoind.test.mjs
    )
    # Not of one module: neutrino needs an older btcd.
    test_go light_wallet github.com/lightninglabs/neutrino@v0.16.1 github.com/btcsuite/btcwallet/walletdb/bdb@v1.4.2
    test_go bitcoind github.com/btcsuite/btcd@v0.25.0
}

# test_go NAME MODULE...: runs examples/regtest/NAME_test.go, and the node's own test, with these modules.
test_go() {
    local folder=$PWD/build/fixtures/go-$1
    mkdir -p "$folder"
    cp "examples/regtest/$1_test.go" examples/regtest/payment_test.go "$folder"
    (
        cd "$folder"
        [ -e go.mod ] || go mod init regtest
        go get "${@:2}"
        go test -vet=off -count=1 .
    )
}

passed=()
check=
trap 'say "passed: ${passed[*]:-none}${check:+; failed: $check}"' EXIT
for check in "$@"; do
    say "== $check"
    case "$check" in
        cppcheck) .ci/cppcheck.sh ;;
        release)
            cmake --workflow --preset release
            python3 -B tests/check_hardening.py build/release/cli/petal build/release
            # The other builds have AddressSanitizer, which takes memory of its own.
            (cd tests/cli/end_to_end && PETAL_EXECUTABLE=$PWD/../../../build/release/cli/petal \
                python3 -B -m unittest hostile_peers_test)
            ;;
        crash)
            strace -qq -o /dev/null true || die "no strace, or it may not trace"
            # About an hour; not with AddressSanitizer, which would double it.
            cmake --workflow --preset release
            cmake --preset dev
            cmake --build build/dev --target petal_fault_shim
            python3 -B tests/crash/survival.py build/release/cli/petal \
                build/dev/tests/crash/libpetal_fault_shim.so
            (cd tests/cli/end_to_end && PETAL_EXECUTABLE=$PWD/../../../build/release/cli/petal \
                PETAL_KILLS=all python3 -B -m unittest send_killed_test)
            ;;
        # Each source by itself, as in a build without a preset; all others are unity builds.
        bench)
            cmake --preset release -B build/bench -D PETAL_BUILD_BENCH=ON -D CMAKE_UNITY_BUILD=OFF
            cmake --build build/bench
            ;;
        asan-whole) sanitize build/asan ;;
        asan-gcc) sanitize build/asan-gcc -D CMAKE_CXX_COMPILER=g++ ;;
        tsan)
            # What has a second thread.
            cmake --preset asan -B build/tsan -D PETAL_SANITIZERS=thread
            cmake --build build/tsan --target petal petal_chain_tests petal_net_io_tests \
                petal_regtest_serve_tests petal_example_fixture_tests petal_client_tests petal_cli_tests
            TSAN_OPTIONS="suppressions=$PWD/.ci/tsan.supp:halt_on_error=1:second_deadlock_stack=1" \
                ctest --test-dir build/tsan --output-on-failure --no-tests=error \
                -R '^(chain|net_io|regtest_serve|example_fixture|client|cli)/'
            ;;
        fixtures)
            cmake --workflow --preset release
            fixtures "$PWD/build/release/cli/petal"
            ;;
        tidy | fuzz) cmake --workflow --preset "$check" ;;
        *) die "there is no check $check" ;;
    esac
    passed+=("$check")
done
check=
