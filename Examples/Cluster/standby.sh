#!/usr/bin/env bash
# Copies the primary at the first start, and follows it.
set -euo pipefail
data=/var/lib/postgresql/data
if [[ ! -s $data/PG_VERSION ]]; then
  pg_basebackup --host db1 --username replicator --pgdata "$data" --write-recovery-conf --checkpoint fast
  chmod 0700 "$data"
fi
exec postgres -D "$data" -c listen_addresses=*
