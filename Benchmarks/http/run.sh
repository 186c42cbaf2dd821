#!/bin/bash
# CPU per request of our HTTP layer against bare libmicrohttpd, measured in turns on one machine.
#
#   Benchmarks/http/run.sh PATH COMMAND [ARGUMENT...]
#
# COMMAND starts a server that prints "listening on http://HOST:PORT"; PATH is what is fetched, for example
#   Benchmarks/http/run.sh /healthz .build/release/realmgate serve --data /tmp/bench.realmgate --port 0
# Needs wrk, cc and libmicrohttpd-dev. ROUNDS, SECONDS_EACH and CONNECTIONS may be set in the environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
path=$1
shift
rounds=${ROUNDS:-5} seconds=${SECONDS_EACH:-3} connections=${CONNECTIONS:-64}
scratch=$(mktemp -d)
pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    rm -rf "$scratch"
}
trap finish EXIT

cc -O2 -pthread -o "$scratch/bare" "$here/bare.c" -lmicrohttpd

start() { # NAME COMMAND...: leaves the address in url_NAME and the process in pid_NAME
    local name=$1
    shift
    "$@" >"$scratch/$name.out" 2>"$scratch/$name.err" &
    pids+=($!)
    eval "pid_$name=$!"
    for _ in $(seq 100); do
        local url
        url=$(grep -om1 'http://[^ ]*' "$scratch/$name.out" || true)
        if [ -n "$url" ]; then
            eval "url_$name=$url"
            return
        fi
        sleep 0.1
    done
    echo "$name did not start: $(cat "$scratch/$name.err")" >&2
    exit 1
}

ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
per_second=$(getconf CLK_TCK)

measure() { # PID URL: prints µs of CPU per request and requests per second
    local before after requests report
    before=$(ticks "$1")
    report=$(wrk -t1 -c"$connections" -d"${seconds}s" "$2")
    after=$(ticks "$1")
    if grep -q 'Non-2xx' <<<"$report"; then
        echo "errors from $2: $report" >&2
        exit 1
    fi
    requests=$(awk '/requests in/ { print $1 }' <<<"$report")
    awk -v t=$((after - before)) -v hz="$per_second" -v n="$requests" -v s="$seconds" \
        'BEGIN { printf "%.2f %.0f\n", t / hz / n * 1e6, n / s }'
}

start fresh "$scratch/bare"
start shared "$scratch/bare" shared
start ours "$@"
measure "$pid_fresh" "$url_fresh/" >/dev/null
measure "$pid_ours" "$url_ours$path" >/dev/null
echo "round  bare, fresh response  bare, shared response  ours   (µs of CPU per request, requests/s)"
for round in $(seq "$rounds"); do
    fresh=$(measure "$pid_fresh" "$url_fresh/")
    shared=$(measure "$pid_shared" "$url_shared/")
    ours=$(measure "$pid_ours" "$url_ours$path")
    printf '%-6s %-21s %-22s %s\n' "$round" "$fresh" "$shared" "$ours"
    echo "$fresh $shared $ours" >>"$scratch/rounds"
done
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
awk -v ours="$(awk '{ print $5 }' "$scratch/rounds" | median)" \
    -v fresh="$(awk '{ print $1 }' "$scratch/rounds" | median)" \
    -v shared="$(awk '{ print $3 }' "$scratch/rounds" | median)" \
    'BEGIN { printf "ratio of medians: %.2f against a fresh response, %.2f against a shared one\n", ours / fresh, ours / shared }'
