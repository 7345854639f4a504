#!/bin/bash
# As PostgreSQL's image does: makes the database at the first start, on its socket alone, and serves not as root.
set -eu
if [[ "$(id -u)" == 0 ]]; then
  mkdir -p "$PGDATA"
  chown postgres "$PGDATA" /run/postgresql
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [[ ! -s "$PGDATA/PG_VERSION" ]]; then
  # Unquoted: arguments, separated by spaces.
  # shellcheck disable=SC2086
  initdb --username=postgres --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=trust ${POSTGRES_INITDB_ARGS:-}
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf"
  pg_ctl -s -w -o "-c listen_addresses=''" start
  for script in /docker-entrypoint-initdb.d/*.sh; do
    if [[ -x "$script" ]]; then "$script"; else source "$script"; fi
  done
  pg_ctl -s -w -m fast stop
fi
exec "$@"
