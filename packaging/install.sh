#!/bin/sh
# Installs Realmgate from the directory that this script is in, or removes it.
#
#   ./install.sh                        into /usr/local
#   ./install.sh --prefix ~/.local      into another directory, without root
#   ./install.sh --remove               removes what was installed there; databases stay
#
# Nothing outside of the prefix is changed: the program finds its files beside itself.
set -eu

glibc=@GLIBC@
here=$(cd "$(dirname "$0")" && pwd)
prefix=/usr/local
remove=no

# The exit codes are those of sysexits.h.
fail() {
    printf 'install.sh: %s\n' "$1" >&2
    exit "$2"
}

while [ $# -gt 0 ]; do
    case $1 in
        --prefix)
            [ $# -ge 2 ] || fail "--prefix needs a directory." 64
            prefix=$2
            shift
            ;;
        --prefix=*) prefix=${1#--prefix=} ;;
        --remove) remove=yes ;;
        -h | --help)
            sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
            exit 0
            ;;
        *) fail "'$1' is not an option; see --help." 64 ;;
    esac
    shift
done
[ -n "$prefix" ] || fail "--prefix needs a directory." 64

if [ $remove = yes ]; then
    [ -e "$prefix/bin/realmgate" ] || fail "There is no Realmgate in '$prefix'; name its directory with --prefix." 66
    rm -rf "$prefix/bin/realmgate" "$prefix/lib/realmgate" "$prefix/share/realmgate" "$prefix/share/doc/realmgate" ||
        fail "This user may not remove files from '$prefix': run this as root." 77
    echo "Removed Realmgate from $prefix."
    exit 0
fi

[ "$(uname -s) $(uname -m)" = "Linux x86_64" ] ||
    fail "This program is for Linux on x86-64, and this is $(uname -s) on $(uname -m): use the container image or build from source." 69

# "glibc 2.36"; other C libraries have no such answer.
found=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d ' ' -f 2) || found=
oldest=$(printf '%s\n%s\n' "$glibc" "$found" | sort -V | head -n 1)
[ -n "$found" ] && [ "$oldest" = "$glibc" ] ||
    fail "This program needs glibc $glibc or newer, and this system has ${found:-another C library}: use the container image, or a system such as Debian 12." 69

for directory in bin lib share share/doc; do
    if ! mkdir -p "$prefix/$directory" 2>/dev/null || ! [ -w "$prefix/$directory" ]; then
        [ "$(id -u)" -ne 0 ] ||
            fail "The directory '$prefix/$directory' cannot be made or written to: install elsewhere with --prefix." 73
        fail "This user may not write to '$prefix/$directory': run this as root, or install elsewhere with --prefix ~/.local." 73
    fi
done

# Complete first, then in place: a server that runs keeps the program that it was started from.
rm -rf "$prefix/lib/realmgate" "$prefix/share/realmgate" "$prefix/share/doc/realmgate"
cp -R "$here/lib/realmgate" "$prefix/lib/" && cp -R "$here/share/realmgate" "$prefix/share/" &&
    cp -R "$here/share/doc/realmgate" "$prefix/share/doc/" && cp "$here/bin/realmgate" "$prefix/bin/realmgate.new" &&
    mv "$prefix/bin/realmgate.new" "$prefix/bin/realmgate" ||
    fail "Copying to '$prefix' failed: see the message above, then run this again." 73

"$prefix/bin/realmgate" --version >/dev/null || fail "'$prefix/bin/realmgate' does not start: see the message above." 70
echo "Installed Realmgate $("$prefix/bin/realmgate" --version) in $prefix."
echo "Start it with the demo:  $prefix/bin/realmgate serve --demo"
