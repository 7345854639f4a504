#!/bin/sh
# As Redis' image does: not as root, and reachable from other containers.
set -eu
chown redis /data
exec setpriv --reuid=redis --regid=redis --init-groups "$@" --protected-mode no
