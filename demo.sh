#!/usr/bin/env bash
# Builds petal and shows it: a regtest chain, a wallet on it, a sync over TCP.
set -euo pipefail
cd "$(dirname "$0")"

case "${1:-}" in
    -h | --help)
        echo "usage: ./demo.sh [OPTION OF petal demo]..."
        echo "Installs what is missing (Debian, Ubuntu), builds petal, runs 'petal demo'."
        echo "CXX names the compiler (default g++; CXX=clang++ ./demo.sh)."
        exit 0
        ;;
esac

# shellcheck source=.ci/packages.sh
. .ci/packages.sh
prepare_build
follow_compiler release

log=build/release/configure.log
mkdir -p build/release
if ! cmake --preset release >"$log" 2>&1; then
    cat "$log" >&2
    die "petal could not be configured; the reason stands above"
fi
say "building petal"
cmake --build --preset release >&2 || die "petal could not be built; the reason stands above"

if [ -z "${PETAL_DATADIR:-}" ]; then
    PETAL_DATADIR=$(mktemp -d)
    export PETAL_DATADIR
    trap 'rm -rf "$PETAL_DATADIR"' EXIT
fi
build/release/cli/petal demo "$@"
