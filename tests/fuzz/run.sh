#!/usr/bin/env bash
# Builds the fuzz targets and runs them; takes the arguments of run.py (tests/fuzz/run.py --help).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=.ci/packages.sh
. "$here/../../.ci/packages.sh"

build() {
    cd "$here/../.."
    prepare_build
    prepare_tests
    install_clang || die "libFuzzer needs clang"
    cmake --preset fuzz
    cmake --build --preset fuzz
}

(build) >&2
exec python3 -B "$here/run.py" "$@"
