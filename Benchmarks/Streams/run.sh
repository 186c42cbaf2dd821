#!/bin/bash
# Event streams under load: see streams.c for what is measured.
#
#   Benchmarks/Streams/run.sh PROGRAM [all|one|queries|storm STREAMS ROUNDS-OR-SECONDS]...
#
# With HTTP=1.0 in the environment streams are asked for in HTTP/1.0, in which they have no chunks.
#
# PROGRAM is a release build of realmgate, such as .build/release/realmgate. Needs cc and curl.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$1
shift
[ $# -gt 0 ] || set -- all 1000 20 all 5000 20 all 15000 10 one 1000 50 one 15000 50 queries 1000 50 storm 1000 10
scratch=$(mktemp -d)
server=
failed=0
finish() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null && wait "$server" 2>/dev/null || true; fi
    rm -rf "$scratch"
}
trap finish EXIT
ulimit -n "$(ulimit -Hn)"
cc -O2 -o "$scratch/streams" "$here/streams.c"
cat >"$scratch/schema.json" <<'JSON'
{"schemaVersion": 1, "classes": [{"name": "Item", "primaryKey": "_id", "properties": [
  {"name": "_id", "type": "int"}, {"name": "n", "type": "int"}, {"name": "name", "type": "string"}]}]}
JSON
while [ $# -ge 3 ]; do
    # Not the port of the server before.
    : >"$scratch/out"
    "$program" serve --data "$scratch/$RANDOM.realmgate" --schema "$scratch/schema.json" --port 0 --log-level warning --set limits.streamsPerCaller=0 \
        >"$scratch/out" 2>"$scratch/err" &
    server=$!
    port=
    for _ in $(seq 100); do
        port=$(sed -n 's/.*http:.*:\([0-9]*\).*/\1/p' "$scratch/out")
        [ -z "$port" ] || break
        sleep 0.1
    done
    [ -n "$port" ] || { cat "$scratch/err" >&2; exit 1; }
    for first in 0 5000 10000 15000; do
        awk -v first=$first 'BEGIN { printf "["; for (i = first; i < first + 5000; i++)
            printf "%s{\"_id\":%d,\"n\":0,\"name\":\"item %d\"}", (i > first) ? "," : "", i, i; print "]" }' |
            curl -sf -o "$scratch/answer" -H 'Content-Type: application/json' --data-binary @- \
                "http://127.0.0.1:$port/v1/objects/Item"
    done
    echo "== $1, $2 streams"
    "$scratch/streams" "$port" "$server" "$1" "$2" "$3" || { echo "FAILED"; failed=1; }
    cat "$scratch/err" >&2
    kill "$server" && wait "$server" 2>/dev/null || true
    server=
    shift 3
done
exit $failed
