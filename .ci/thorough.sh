#!/usr/bin/env bash
# Runs the checks before a release that ./test.sh leaves out, one after another, and stops at the first
# that fails. usage: .ci/thorough.sh [CHECK]...
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=.ci/packages.sh
. .ci/packages.sh
[ "$#" -gt 0 ] || set -- cppcheck tidy release bench asan-whole asan-gcc tsan fuzz crash

# What ./test.sh does not install.
packages=()
for check in "$@"; do
    case "$check" in
        cppcheck) have cppcheck || packages+=(cppcheck) ;;
        tidy) have clang-tidy || packages+=(clang-tidy) ;;
    esac
done
prepare_build
prepare_tests
install_clang || die "the checks need clang"
install_packages "${packages[@]}" || die "some checks cannot be installed"

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
        # bench compiles each source by itself, as a build without a preset does; the others do not.
        tidy | bench | asan-whole | asan-gcc | tsan | fuzz) cmake --workflow --preset "$check" ;;
        *) die "there is no check $check" ;;
    esac
    passed+=("$check")
done
check=
