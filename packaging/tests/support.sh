# Sourced by the tests, in a minimal Debian root: a plain user without Swift installs and uses Realmgate.
# shellcheck shell=bash

fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# The seconds to wait for what must come: a slow machine is no fault.
patience=120

# eventually COMMAND…: waits until the command succeeds.
eventually() {
    local end=$((SECONDS + patience))
    until "$@"; do
        ((SECONDS < end)) || fail "in vain: $*"
        sleep 0.1
    done
}

# refuses CODE TEXT COMMAND…: the command must end with that exit code and say that text on standard error.
refuses() {
    local code=0 expected=$1 text=$2
    shift 2
    "$@" >/tmp/refused.out 2>/tmp/refused.err || code=$?
    [[ $code -eq $expected ]] || fail "$* ended with $code, not $expected: $(cat /tmp/refused.err)"
    grep -qF -- "$text" /tmp/refused.err || fail "$* does not say '$text': $(cat /tmp/refused.err)"
}

# A user without rights.
make_user() {
    useradd --create-home --shell /bin/bash ann
    command -v swift cc clang && fail "this root has a compiler"
    true
}

# as_user COMMAND…: runs a command as that user, in the home directory.
as_user() { (cd /home/ann && exec setpriv --reuid ann --regid ann --clear-groups env HOME=/home/ann "$@"); }

# install_rpm FILE: installs an RPM package, or upgrades to it; nothing may be wrong. Without --nodeps rpm refuses, since
# Debian's own packages are not in its database: nobody provides glibc or /bin/sh.
install_rpm() {
    rpm_here --upgrade --nodeps "$1"
    [[ ! -s /tmp/rpm.log ]] || fail "rpm says: $(cat /tmp/rpm.log)"
}
erase_rpm() { rpm_here --erase --nodeps realmgate; }
rpm_here() {
    local options=()
    # The rpm of Debian 12 warns that dpkg manages this system; that of Debian 13 does not, and has no such option.
    ! rpm --force-debian --version >/dev/null 2>&1 || options=(--force-debian)
    rpm "${options[@]}" "$@" >/tmp/rpm.log 2>&1 || fail "$(cat /tmp/rpm.log)"
}

server=
address=

# start COMMAND…: starts a server as the user and waits until it says where it listens.
start() {
    : >/tmp/server.out
    (cd /home/ann && exec setpriv --reuid ann --regid ann --clear-groups env HOME=/home/ann "$@") \
        >/tmp/server.out 2>/tmp/server.err &
    server=$!
    eventually is_ready
}
is_ready() {
    address=$(sed -n 's/^realmgate: listening on http:\/\///p' /tmp/server.out)
    [[ -n $address ]] || kill -0 "$server" 2>/dev/null || fail "the server ended: $(cat /tmp/server.err)"
    [[ -n $address ]]
}

# exchange TEXT: sends the text to the server's address, and prints what it answers until it closes the connection.
exchange() {
    timeout "$patience" bash -c 'exec 3<>"/dev/tcp/$1/$2" && printf "%s" "$3" >&3 && cat <&3' - \
        "${address%:*}" "${address##*:}" "$1"
}

# Ends the server; it must end in an orderly way.
stop() {
    local status=0
    kill -TERM "$server"
    wait "$server" || status=$?
    [[ $status -eq 0 ]] || fail "the server ended with $status: $(cat /tmp/server.err)"
}

# ask METHOD PATH [JSON]: prints the response's body; fails for a status of 300 and above.
ask() {
    local method=$1 path=$2 body=${3:-} status request
    printf -v request '%s %s HTTP/1.0\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %s\r\n\r\n%s' \
        "$method" "$path" "$address" "${#body}" "$body"
    exchange "$request" >/tmp/response || fail "$method $path: no answer"
    status=$(head -n 1 /tmp/response | cut -d ' ' -f 2)
    [[ $status == 2?? ]] || fail "$method $path: $(cat /tmp/response)"
    sed '1,/^\r$/d' /tmp/response
}

# uses PROGRAM…: a first session with the demo, and a second one that finds what the first one changed.
uses() {
    local command=("$@" serve --demo --port 0 --data /home/ann/demo.realmgate)
    start "${command[@]}"
    ! grep -q missing /tmp/server.err || fail "files are missing: $(cat /tmp/server.err)"
    as_user "$@" health --port "${address##*:}" >/dev/null
    grep -q '"count":6099' <<<"$(ask GET '/v1/objects/Flight?limit=0&count=true')" || fail "the demo has no flights"
    grep -qi '<!doctype html' <<<"$(ask GET /)" || fail "the console is not served"
    grep -q '"openapi":' <<<"$(ask GET /openapi.json)" || fail "the API's description is not served"
    ask PATCH /v1/objects/Airport/JFK '{"name": "kept over a restart"}' >/dev/null
    stop
    start "${command[@]}"
    grep -q 'kept over a restart' <<<"$(ask GET /v1/objects/Airport/JFK)" || fail "the change is gone after a restart"
    refuses 69 "Port ${address##*:} on 127.0.0.1 is in use" \
        as_user "$@" serve --port "${address##*:}" --data /home/ann/other.realmgate
    stop
    [[ $(as_user "$@" query Airport 'iata == "JFK"' --data /home/ann/demo.realmgate) == *'kept over a restart'* ]] ||
        fail "the query command does not find the change"
}

# loads_only_from DIRECTORY PROGRAM…: of the libraries that the program loads, only those of glibc and of the compiler
# may come from the system. Prints how many come from the directory.
loads_only_from() {
    local directory=$1
    shift
    start "$@" serve --port 0 --data /home/ann/maps.realmgate
    local loaded foreign
    loaded=$(sed -n 's/.* \(\/.*\.so[.0-9]*\)$/\1/p' "/proc/$server/maps" | sort --unique)
    foreign=$(grep -v "^$directory/" <<<"$loaded" |
        grep -vE '/(ld-linux-x86-64|libc|libm|libdl|librt|libpthread|libresolv|libutil|libgcc_s|libstdc\+\+)\.so' || true)
    [[ -z $foreign ]] || fail "libraries of the system are loaded: $foreign"
    grep -c "^$directory/" <<<"$loaded"
    stop
}
