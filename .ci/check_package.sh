#!/usr/bin/env bash
# Installs petal's Debian packages in this system, uses and removes them: only for a bare system that
# may be thrown away. usage, as root: check_package.sh FOLDER_OF_PACKAGES FOLDER_OF_CONSUMER
set -euo pipefail
folder=$1
consumer=$2

# shellcheck source=.ci/packages.sh
. "$(dirname "$0")/packages.sh"
unset CXX  # a package's user has the distribution's compiler, whichever one made the package

# All files that are called after petal, but for this script's own.
petal_files() {
    find / -xdev \( -path /proc -o -path "$folder" -o -path "$consumer" -o -path /srv \) -prune \
        -o -name '*petal*' -print | grep -v '^/var/cache/apt/' || true
}

install_file() {
    apt_install "$1" || die "$1 cannot be installed"
}

fetch_package_lists
[ -z "$(petal_files)" ] || die "there is a petal already: $(petal_files | head -n 3)"

say "== petal"
install_file "$folder"/petal_*.deb
petal --version
petal demo
[ -e /usr/share/man/man1/petal-sync.1.gz ] || die "there is no manual page of petal sync"
# shellcheck disable=SC2016
bash -c '. /usr/share/bash-completion/completions/petal; COMP_WORDS=(petal syn) COMP_CWORD=1
    _petal; [ "${COMPREPLY[*]}" = sync ]' || die "the completion of bash does not work"
for completion in zsh/vendor-completions/_petal fish/vendor_completions.d/petal.fish; do
    [ -e "/usr/share/$completion" ] || die "there is no completion in /usr/share/$completion"
done
dpkg --verify petal

say "== libpetal-dev"
install_file "$folder"/libpetal-dev_*.deb
apt_install cmake g++ ninja-build
build=$(mktemp -d)
cmake -G Ninja -S "$consumer" -B "$build"
cmake --build "$build"
for program in chain bloom net regtest wallet; do
    "$build/$program"
done
for program in net regtest wallet; do
    # shellcheck disable=SC2046
    g++ -std=c++20 "$consumer/$program.cpp" -o "$build/$program" \
        $(pkg-config --cflags --libs petal-regtest petal-wallet)
    "$build/$program"
done
rm -rf "$build"

apt-get purge -y -qq petal libpetal-dev >&2
[ -z "$(petal_files)" ] || die "left behind: $(petal_files)"
say "the packages install, run, and leave nothing behind"
