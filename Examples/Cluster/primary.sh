#!/usr/bin/env bash
# Runs once, when the primary's data directory has been made.
set -euo pipefail
# The standby is not there yet, so nothing may wait for it.
psql --username postgres --command "set synchronous_commit = local" \
  --command "create role replicator login replication password 'replicator'"
echo "host replication replicator all scram-sha-256" >>"$PGDATA/pg_hba.conf"
