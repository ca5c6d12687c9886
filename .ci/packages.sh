# shellcheck shell=bash
# Finds out which Debian packages are missing, installs those, and says clearly what it could not
# install. Sourced by demo.sh, test.sh and the scripts of .ci, which call prepare_build and the like.

say() { printf '%s\n' "$*" >&2; }

die() {
    say "error: $*"
    exit 1
}

have() { command -v "$1" >/dev/null; }

# Installs what building the command needs, or stops.
prepare_build() {
    fetch_package_lists
    local packages=(
        libssl-dev libsqlite3-dev libsqlitecpp-dev libsecp256k1-dev libutf8proc-dev
        libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libqrencode-dev
    )
    [ -z "$(compiler_package)" ] || packages+=("$(compiler_package)")
    have cmake || packages+=(cmake)
    have ninja || packages+=(ninja-build)
    have pkg-config || packages+=(pkg-config)
    have_boost || packages+=("$(boost_package)")
    install_packages "${packages[@]}" || die "petal cannot be built without these packages"
    [ -z "${CXX:-}" ] || have "${CXX%% *}" || die "there is no compiler $CXX, which CXX names"
}

# Installs what building and running the tests needs beyond that, or stops.
prepare_tests() {
    local packages=(libgtest-dev libbenchmark-dev)
    case "${CXX:-}" in
        clang++*) ! has_candidate libclang-rt-dev || packages+=(libclang-rt-dev) ;;
    esac
    have git || packages+=(git)
    have python3 || packages+=(python3)
    install_packages "${packages[@]}" || die "the tests cannot be built without these packages"
    local tools=(
        microsocks:microsocks:"no proxy but the tests' own is used"
        groff:groff-base:"no manual page is read"
        fish:fish:"its completion is not tested"
        zsh:zsh:"its completion is not tested"
        spin:spin:"the model of the sync is not checked"
        strace:strace:"send is not killed midway"
        pytest-3:python3-pytest:"the fixture for pytest is not run"
        mold:mold:"linking takes longer"
        ccache:ccache:"nothing is reused next time"
    )
    if is_ubuntu && ! have chromium; then
        say "note: Ubuntu's chromium is a snap, so the report page is not rendered"
    else
        tools+=(chromium:chromium:"the report page is not rendered")
    fi
    install_tools "${tools[@]}" || [ "${CI:-}" != true ] || die "CI needs these tools"
}

is_ubuntu() { grep -qs '^ID=ubuntu$' /etc/os-release; }

# Installs the tools that are missing, each given as command:package:"what is not done without it".
# All at once is quicker; where that fails, those that can be. Says what is missing then, and fails.
install_tools() {
    local tool command package without status=0 packages=()
    for tool in "$@"; do
        IFS=: read -r command package without <<<"$tool"
        have "$command" || packages+=("$package")
    done
    [ "${#packages[@]}" -gt 0 ] || return 0
    install_packages "${packages[@]}" ||
        for package in "${packages[@]}"; do install_packages "$package" || true; done
    for tool in "$@"; do
        IFS=: read -r command package without <<<"$tool"
        have "$command" || { say "note: no $command, so $without"; status=1; }
    done
    return "$status"
}

# Makes sure of a clang that can compile with the sanitizers.
install_clang() {
    clang_works || { install_packages clang libclang-rt-dev && clang_works; }
}

clang_works() {
    have clang++ && echo 'int main() {}' |
        clang++ -fsanitize=address,undefined -x c++ -o /dev/null - 2>/dev/null
}

# Makes sure of Node.js and npm.
install_node() {
    local packages=()
    have node || packages+=(nodejs)
    have npm || packages+=(npm)
    install_packages "${packages[@]}" && have node && have npm
}

have_boost() {
    local version
    version=$(sed -n 's/^#define BOOST_VERSION //p' /usr/include/boost/version.hpp 2>/dev/null) ||
        return 1
    [ "${version:-0}" -ge 108100 ]
}

# Prints the package that brings Boost 1.81 or newer: Debian 12 has it beside its default of 1.74.
boost_package() {
    if has_candidate libboost1.81-dev; then
        echo libboost1.81-dev
    else
        echo libboost-dev
    fi
}

# Whether apt could install the package. `apt-cache show` also knows packages that others name.
has_candidate() {
    [ -n "$(LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n '/^ *Candidate: [^(]/p')" ]
}

# Prints the package with the compiler that CXX names, g++ by default, if there is no such command.
compiler_package() {
    local command=${CXX:-g++}
    command=${command%% *}
    have "$command" && return
    case "$command" in
        clang++*) echo "clang${command#clang++}" ;;
        g++*) echo "$command" ;;
    esac
}

# CMake keeps the compiler of a build folder's first configuration. If CXX names another one, this
# has the folder of the preset $1 configured anew.
follow_compiler() {
    local folder=build/$1 kept
    [ -n "${CXX:-}" ] && [ -f "$folder/CMakeCache.txt" ] || return 0
    kept=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$folder/CMakeCache.txt")
    [ "$(command -v "${CXX%% *}")" = "$(command -v "$kept")" ] ||
        rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
}

# Fetches apt's package lists where there are none yet, as in a bare container.
fetch_package_lists() {
    if have apt-get && [ -z "$(find /var/lib/apt/lists -name '*_Packages*' -print -quit 2>/dev/null)" ]; then
        say "fetching the package lists"
        as_root apt-get update -qq >&2 || say "could not fetch the package lists"
    fi
}

# Installs those of the packages that are missing. Fails, having said which and what to do, if any
# is still missing then. Where there is no apt they are taken to be there: CMake says what is not.
install_packages() {
    local missing
    have apt-get || return 0
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0

    say "installing ${missing[*]}"
    # A list may be so old that what it names cannot be fetched any more.
    apt_install "${missing[@]}" ||
        { as_root apt-get update -qq >&2 && apt_install "${missing[@]}"; } || true
    mapfile -t missing < <(missing_packages "${missing[@]}")
    [ "${#missing[@]}" -gt 0 ] || return 0

    say "could not install ${missing[*]}"
    case " ${missing[*]} " in
        *" libboost1.81-dev "*) say "(it takes the place of libboost1.74-dev, which must go first)" ;;
    esac
    say "run this as root and start again:  apt-get update && apt-get install ${missing[*]}"
    return 1
}

# Prints those of the packages that are not installed.
missing_packages() {
    local package state
    for package in "$@"; do
        # shellcheck disable=SC2016
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || true
        [ "$state" = installed ] || printf '%s\n' "$package"
    done
}

# --no-remove: what someone else installed is not for this script to remove.
apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq -o Dpkg::Use-Pty=0 \
        --no-install-recommends --no-remove "$@" >&2
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        say "this needs root, and there is no sudo: $*"
        return 1
    fi
}
