#!/usr/bin/env bash
# Builds and tests petal in a bare Debian or Ubuntu; see usage below.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
    cat <<'END'
usage: .ci/bare_system.sh [OPTION]... DISTRIBUTION [g++|clang++]
       .ci/bare_system.sh --remove

Bootstraps a bare DISTRIBUTION (debian-12, debian-13, ubuntu-24.04) into a folder, clones HEAD
there, and runs in it, with the compiler given (default g++):

  ./demo.sh, cmake --install build/release, ./test.sh, tests/check_hardening.py build/release/cli/petal

makes Debian packages there, and installs, uses and removes them in another bare DISTRIBUTION
(.ci/check_package.sh). Then prints how long each took. Needs root, git, debootstrap, and a package
mirror: the machine's own, the one beside it for the other family, or debootstrap's default.

  --ccache   install ccache first and keep its cache: quicker, but no longer quite bare
  --prepare  only bootstrap, and download what the builds and the tests install
  --keep     leave the folder of the run, to look into it
  --remove   remove everything that is kept between runs

Environment:
  CI            unless `false`, whatever ./test.sh cannot install is an error
  PETAL_ROOTS   where bare systems, packages and ccache's caches are kept between runs
                (default /var/tmp/petal-roots)
END
}

# shellcheck source=.ci/packages.sh
. .ci/packages.sh

roots=${PETAL_ROOTS:-/var/tmp/petal-roots}
with_ccache=no
keep=no
only_prepare=no
arguments=()
for argument in "$@"; do
    case "$argument" in
        --ccache) with_ccache=yes ;;
        --prepare) only_prepare=yes ;;
        --keep) keep=yes ;;
        --remove)
            rm -rf "$roots"
            exit 0
            ;;
        -h | --help)
            usage
            exit 0
            ;;
        -*)
            usage >&2
            exit 2
            ;;
        *) arguments+=("$argument") ;;
    esac
done

distribution=${arguments[0]:-}
compiler=${arguments[1]:-g++}
case "$compiler" in
    g++ | clang++) ;;
    *)
        usage >&2
        exit 2
        ;;
esac
[ "$(id -u)" -eq 0 ] || die "a system is bootstrapped as root"
have debootstrap || die "there is no debootstrap: apt-get install debootstrap"

# Sets family, suite and components of the distribution $1.
describe_distribution() {
    components=main
    case "$1" in
        debian-12) family=debian suite=bookworm ;;
        debian-13) family=debian suite=trixie ;;
        ubuntu-24.04) family=ubuntu suite=noble components=main,universe ;;
        *)
            usage >&2
            exit 2
            ;;
    esac
}

# Prints the mirrors to try for the family $1, one a line; the empty one is debootstrap's default.
mirrors() {
    local label uri
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | sort -u |
        while read -r label uri; do
            uri=${uri%/}
            [ "${label,,}" != "$1" ] || echo "$uri"
            case "$label" in
                Debian | Ubuntu) [ "${label,,}" = "$1" ] || echo "${uri%/*}/$1" ;;
            esac
        done
    echo
}

# Prints the file with the keys of the family $1. Debian has Ubuntu's in a package since 13.
keyring() {
    local file=/usr/share/keyrings/$1-archive-keyring.gpg kept=$roots/$1-archive-keyring.gpg
    if [ ! -e "$file" ]; then
        file=$kept
        [ "$1" = ubuntu ] || die "there are no keys of Debian: apt-get install debian-archive-keyring"
    fi
    if [ ! -e "$file" ]; then
        bootstrap debian-13
        local root
        root=$(mktemp -d "$roots/keys.XXXXXX")
        cp -a "$roots/trixie/." "$root"
        in_root "$root" sh -c 'apt-get update -qq && cd /var/tmp &&
            apt-get download -qq ubuntu-keyring && dpkg-deb -x ubuntu-keyring_*.deb keys' >&2
        cp "$root/var/tmp/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg" "$kept"
        rm -rf "$root"
    fi
    echo "$file"
}

# Bootstraps the distribution $1 into a folder named after its suite, unless it is there already.
bootstrap() (
    describe_distribution "$1"
    [ ! -d "$roots/$suite" ] || exit 0
    mkdir -p "$roots"
    keys=$(keyring "$family")
    script=/usr/share/debootstrap/scripts/$suite
    if [ ! -e "$script" ]; then
        # Scripts of a family differ for old releases alone; this machine may be older than these.
        script=${script%/*}/sid
        [ "$family" = debian ] || script=${script%/*}/gutsy
    fi
    log=$roots/$suite.log
    mapfile -t tried < <(mirrors "$family")
    for mirror in "${tried[@]}"; do
        say "bootstrapping $1 from ${mirror:-the default mirror}"
        rm -rf "$roots/$suite.new"
        if debootstrap --variant=minbase --keyring="$keys" --components="$components" \
            "$suite" "$roots/$suite.new" ${mirror:+"$mirror" "$script"} >"$log" 2>&1; then
            mv "$roots/$suite.new" "$roots/$suite"
            exit 0
        fi
    done
    tail -n 5 "$log" >&2
    die "$1 could not be bootstrapped"
)

# Runs a command in the folder $1 with mounts and processes of its own, which end with it. Bash
# ignores errexit in a function that is called in a condition, as `timed` does.
in_root() {
    cp -L /etc/resolv.conf "$1/etc/resolv.conf" || return
    printf '%s localhost\n' 127.0.0.1 ::1 >"$1/etc/hosts" || return  # debootstrap makes none
    unshare --mount --propagation private --pid --fork --kill-child \
        bash -euc 'mount_and_run "$@"' bash "$@"
}

# shellcheck disable=SC2317  # bash calls it in in_root
mount_and_run() {
    local root=$1 name
    local variables=(HOME=/root TERM=dumb LANG=C.UTF-8 CXX="$compiler" CI="${CI:-true}")
    shift
    variables+=(PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount --bind "$archives" "$root/var/cache/apt/archives"
    if [ -n "$cache" ]; then
        mkdir -p "$root/var/cache/ccache"
        mount --bind "$cache" "$root/var/cache/ccache"
        variables+=(CCACHE_DIR=/var/cache/ccache)
    fi
    for name in http_proxy https_proxy no_proxy; do
        [ -z "${!name:-}" ] || variables+=("$name=${!name}")
    done
    exec chroot "$root" env -i "${variables[@]}" "$@"
}
export -f mount_and_run

# Runs a command in the clone in $root and adds how long that took to `times`.
timed() {
    local what=$1 begin=$SECONDS
    shift
    # shellcheck disable=SC2016
    if in_root "$root" sh -c 'cd /srv/clone-of-petal && exec "$@"' sh "$@"; then
        times+=("$what $((SECONDS - begin)) s")
    else
        times+=("$what FAILED after $((SECONDS - begin)) s")
        status=1
    fi
}

describe_distribution "$distribution"
export archives=$roots/$suite.packages cache='' compiler
mkdir -p "$archives/partial"
if [ "$with_ccache" = yes ]; then
    cache=$roots/$suite.ccache
    mkdir -p "$cache"
fi
bootstrap "$distribution"

# Makes a bare system with a clone, and sets root to its folder.
bare_root() {
    root=$(mktemp -d "$roots/$suite.XXXXXX")
    made+=("$root")
    say "$distribution is in $root"
    chmod 755 "$root"
    cp -a "$roots/$suite/." "$root"
    git clone --quiet --depth 1 "file://$PWD" "$root/srv/clone-of-petal"
}

made=()
[ "$keep" = yes ] || trap 'rm -rf "${made[@]}"' EXIT
bare_root

if [ "$only_prepare" = yes ]; then
    in_root "$root" bash -c 'cd /srv/clone-of-petal && . .ci/packages.sh && unset CXX CI
        install_packages() {
            apt-get install -y -qq --download-only --no-install-recommends "$@" >&2
        }
        prepare_build
        prepare_tests
        install_packages clang nodejs npm ccache'
    exit
fi

status=0
times=()
[ -z "$cache" ] || timed "ccache" bash -c '. .ci/packages.sh; fetch_package_lists; apt_install ccache'
timed "demo" ./demo.sh
# As the README says: everything, and all but the libraries.
# shellcheck disable=SC2016
timed "installing" bash -euc 'for component in "" command; do
        prefix=$(mktemp -d)
        cmake --install build/release --prefix "$prefix" ${component:+--component "$component"} >&2
        "$prefix/bin/petal" --version
        [ "$component" = command ] || [ -e "$prefix/include/petal/wallet/wallet.h" ]
        [ "$component" = "" ] || [ ! -e "$prefix/include" ]
    done'
timed "tests" ./test.sh
timed "unit tests" ./test.sh --quick
timed "hardening" python3 -B tests/check_hardening.py build/release/cli/petal
timed "packing" bash -c '. .ci/packages.sh && install_packages dpkg-dev file &&
    cpack --config build/release/CPackConfig.cmake -B build/packages'
# shellcheck disable=SC2016
version=$(in_root "$root" sh -c '"$CXX" --version | head -n 1') || version=$compiler
made_there=$root/srv/clone-of-petal/build/packages
bare_root
mkdir -p "$root/srv/packages"
cp "$made_there"/*.deb "$root/srv/packages" || status=1
timed "packages" .ci/check_package.sh /srv/packages tests/install/consumer
printf '%s, %s:' "$distribution" "$version"
printf ' %s;' "${times[@]}"
echo
exit "$status"
