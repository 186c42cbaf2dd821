#!/bin/bash
# What a client gets of the whole program, beside bare libmicrohttpd that answers as many bytes without looking at anything.
#
#   Benchmarks/http/workload.sh PROGRAM [OBJECTS]
#
# PROGRAM is a release build of realmgate, such as .build/release/realmgate. Every row is one kind of request at one number
# of keep-alive connections: requests per second, latency (median and 99th percentile) and CPU of the server per request,
# then the same of the bare server. Writes are durable: they are answered when they are on disk. The program runs with its
# default settings, so that each request is a line of a log that is a file; rows that say so have a server of their own
# with others. Needs wrk, curl, cc and libmicrohttpd-dev. SECONDS_EACH, CONNECTIONS and KINDS, a regular expression, may be
# set in the environment.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1 objects=${2:-100000}
seconds=${SECONDS_EACH:-4}
read -ra counts <<<"${CONNECTIONS:-1 32 256}"
scratch=$(mktemp -d)
pids=()
finish() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true; done
    rm -rf "$scratch"
}
trap finish EXIT

cc -O2 -pthread -o "$scratch/bare" "$here/bare.c" -lmicrohttpd

start() { # NAME COMMAND...: leaves the address in url and the process in pid
    "${@:2}" >"$scratch/$1.out" 2>"$scratch/$1.err" &
    pid=$!
    pids+=("$pid")
    for _ in $(seq 100); do
        url=$(grep -om1 'http://[^ ]*' "$scratch/$1.out" || true)
        [ -z "$url" ] || return 0
        sleep 0.1
    done
    echo "$1 did not start: $(cat "$scratch/$1.err")" >&2
    exit 1
}

cat >"$scratch/schema.json" <<'JSON'
{"schemaVersion": 1, "classes": [{"name": "Item", "primaryKey": "_id", "properties": [
  {"name": "_id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "age", "type": "int"},
  {"name": "weight", "type": "double"}, {"name": "breed", "type": "string"}]}]}
JSON
serve() { # NAME OPTION...: the program with all objects in it
    start "$1" "$program" serve --data "$scratch/$1.realmgate" --schema "$scratch/schema.json" --port 0 "${@:2}"
    for ((first = 0; first < objects; first += 5000)); do
        awk -v first="$first" -v last="$((first + 5000 < objects ? first + 5000 : objects))" 'BEGIN {
            srand(first); printf "["
            for (i = first; i < last; i++)
                printf "%s{\"_id\":%d,\"name\":\"item %d\",\"age\":%d,\"weight\":%.3f,\"breed\":\"breed%d\"}",
                    (i > first) ? "," : "", i, i, rand() * 20, rand() * 100, rand() * 50
            print "]" }' |
            curl -sf -o "$scratch/answer" -H 'Content-Type: application/json' --data-binary @- "$url/v1/objects/Item"
    done
}
declare -A urls server_pids
serve default
urls[default]=$url server_pids[default]=$pid
serve quiet --log-level warning
urls[quiet]=$url server_pids[quiet]=$pid
serve unlimited --set limits.queryMilliseconds=0
urls[unlimited]=$url server_pids[unlimited]=$pid

ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
hz=$(getconf CLK_TCK)
seed=0

measure() { # PID URL KIND CONNECTIONS: requests/s, p50 and p99 in ms, µs of CPU per request
    local before after
    before=$(ticks "$1")
    wrk -t1 -c"$4" -d"${seconds}s" --timeout 20s -s "$here/requests.lua" "$2" -- "$3" "$objects" "$seed" >"$scratch/report"
    after=$(ticks "$1")
    tail -n1 "$scratch/report" | awk -v ticks=$((after - before)) -v hz="$hz" '{
        if ($5 > 0) { print "errors: " $5 > "/dev/stderr"; exit 1 }
        printf "%.0f %.3f %.3f %.1f\n", $1 / $2, $3 / 1000, $4 / 1000, ticks / hz / $1 * 1e6 }'
}

length() { curl -sf "${urls[default]}$1" | wc -c; }
echo "$objects objects, ${seconds} s each"
echo "| request | connections | requests/s | p50 ms | p99 ms | CPU µs | bare: requests/s | p50 ms | p99 ms | CPU µs | CPU, times bare |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
while IFS='|' read -r kind server name size; do
    [[ $kind-$server =~ ${KINDS:-} ]] || continue
    start "bare-$kind-$server" "$scratch/bare" fresh "$size"
    bare=$url bare_pid=$pid
    for connections in "${counts[@]}"; do
        # No two runs draw the same.
        seed=$((seed + 1))
        read -r rate p50 p99 cpu <<<"$(measure "${server_pids[$server]}" "${urls[$server]}" "$kind" "$connections")"
        read -r brate bp50 bp99 bcpu <<<"$(measure "$bare_pid" "$bare" "$kind" "$connections")"
        ratio=$(awk -v a="$cpu" -v b="$bcpu" 'BEGIN { printf "%.1f", a / b }')
        echo "| $name | $connections | $rate | $p50 | $p99 | $cpu | $brate | $bp50 | $bp99 | $bcpu | $ratio |"
    done
    kill "$bare_pid"
done <<TABLE
get|default|GET by key|$(length /v1/objects/Item/7)
get|quiet|GET by key, \`--log-level warning\`|$(length /v1/objects/Item/7)
page|default|page of 30, unfiltered|$(length "/v1/objects/Item?limit=30")
query|default|page of 30, filtered and sorted|$(length "/v1/objects/Item?filter=age+%3E+10&sort=-weight&limit=30")
query|unlimited|page of 30, filtered and sorted, \`--set limits.queryMilliseconds=0\`|$(length "/v1/objects/Item?filter=age+%3E+10&sort=-weight&limit=30")
aggregate|default|count, sum and average with a filter|$(length "/v1/aggregates/objects/Item?filter=age+%3E+10&sum=weight&average=age")
aggregate|unlimited|count, sum and average with a filter, \`--set limits.queryMilliseconds=0\`|$(length "/v1/aggregates/objects/Item?filter=age+%3E+10&sum=weight&average=age")
create|default|create, durable|$(length /v1/objects/Item/7)
update|default|update, durable|$(length /v1/objects/Item/7)
batch|default|create 100 in one request, durable|7000
TABLE
