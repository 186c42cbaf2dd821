#!/usr/bin/env bash
# How much ten clients with expensive queries slow down one with cheap ones. Loopback, half a minute.
#   Benchmarks/Fairness/run.sh [PROGRAM]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=${1:-$here/../../.build/release/realmgate}
directory=$(mktemp -d)
server=
finish() {
  [[ -z $server ]] || { kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; }
  rm -rf "$directory"
}
trap finish EXIT
python3 "$here/fairness.py" data "$directory"
"$program" import Dog "$directory/dogs.ndjson" --data "$directory/db" --schema "$directory/schema.json" >/dev/null 2>&1
"$program" import Person "$directory/people.ndjson" --data "$directory/db" >/dev/null 2>&1
# Callers are told apart by the address that a trusted proxy names.
"$program" serve --data "$directory/db" --port 0 --set trustedProxies=127.0.0.1 >"$directory/out" 2>"$directory/log" &
server=$!
for _ in $(seq 200); do
  port=$(grep -ohE '127\.0\.0\.1:[0-9]+' "$directory/out" "$directory/log" | head -n 1 | cut -d: -f2 || true)
  [[ -z $port ]] || break
  sleep 0.1
done
python3 "$here/fairness.py" run "$port"
