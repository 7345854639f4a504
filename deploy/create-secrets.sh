#!/bin/sh
# Draws the passwords of a deployment, or that of Grafana, once: deploy/create-secrets.sh production|staging|observability
# Others than the owner cannot enter the folder; the files are readable, as containers run under other users.
set -eu
deployment=${1:-}
case $deployment in
production | staging | observability) ;;
*)
  echo "Usage: deploy/create-secrets.sh production|staging|observability" >&2
  exit 1
  ;;
esac

folder=$(dirname "$0")/../secrets/$deployment
if [ -e "$folder" ]; then
  echo "$folder exists already; what it holds is in use." >&2
  exit 1
fi
random_password() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

draw() { random_password >"$folder/$1"; }
address() { printf 'postgres://%s:%s@postgres:5432/adoption' "$1" "$(cat "$folder/$2")"; }

mkdir -p "$folder"
chmod 700 "$folder"
if [ "$deployment" = observability ]; then
  draw grafana-password
else
  draw postgres-password
  draw owner-password
  draw service-password
  address adoption service-password >"$folder/database-url"
  address adoption_owner owner-password >"$folder/migration-database-url"
fi
chmod 444 "$folder"/*
