#!/bin/sh
# Run by the PostgreSQL image at its first start. One role owns the tables and migrates them; the one that serves cannot change
# or remove events. The owner is a member of the other, as the tables of projections belong to that one.
set -eu
psql --no-psqlrc --quiet --username postgres --dbname postgres --set ON_ERROR_STOP=1 \
  --set owner_password="$(cat /run/secrets/owner-password)" --set service_password="$(cat /run/secrets/service-password)" <<'SQL'
CREATE ROLE adoption LOGIN PASSWORD :'service_password';
CREATE ROLE adoption_owner LOGIN PASSWORD :'owner_password' IN ROLE adoption;
CREATE DATABASE adoption OWNER adoption_owner TEMPLATE template0 ENCODING 'UTF8';
REVOKE ALL ON DATABASE adoption FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE adoption TO adoption;
SQL
