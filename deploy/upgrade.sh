#!/usr/bin/env bash
# Replaces the instances of a deployment one by one, so that there are never fewer ready ones than before:
#   ADOPTION_VERSION=1.1.0 deploy/upgrade.sh production|staging [--replace]
# Old is an instance of another image or configuration than docker compose would start now; with --replace every existing one.
# First it migrates the database, while the old ones serve. Then it starts and checks a new one and stops an old one, until all are replaced.
# If a check fails, it starts the old ones again and removes the new ones. Interrupted, it continues when it is run again; with the previous
# version it goes back. See docs/operate/upgrade.md.
# Exit codes: 0 all are replaced; 1 refused or interrupted; 2 the old ones serve as before; 3 an old one did not start again.
set -euo pipefail

# Seconds that a new instance may take until it is ready: it migrates, and builds projections whose version changed.
ready_seconds=${UPGRADE_READY_SECONDS:-600}
# Seconds for which the answers that a new instance gives are looked at.
watch_seconds=${UPGRADE_WATCH_SECONDS:-5}

deployment=${1:-}
case "$deployment ${*:2}" in
  'production ' | 'staging ') replaces_all=false ;;
  'production --replace' | 'staging --replace') replaces_all=true ;;
  *)
    echo 'Usage: ADOPTION_VERSION=VERSION deploy/upgrade.sh production|staging [--replace]' >&2
    exit 1
    ;;
esac
cd "$(dirname "$0")/.."

say() { printf '%s\n' "$*"; }
# end CODE LINE: the last line of a run that did not replace all.
end() {
  trap - EXIT
  say "$2" >&2
  exit "$1"
}
# Without the lock, which a docker stop that outlives this script would keep.
docker() { command docker "$@" 9>&-; }
compose() { docker compose --profile "$deployment" "$@"; }
# configured KEY: what docker compose would start now. No pipe below ends before what writes into it does, which would fail by that.
configured() {
  compose config "$deployment" | awk -v service="$deployment:" -v key="$1:" '
    /^  [^ ]/ { of = $1 }
    of == service && $1 == key { gsub(/"/, "", $2); print $2; of = "" }'
}

# all_instances: the containers of the deployment, whatever state they are in.
all_instances() { compose ps --all --quiet "$deployment"; }
# property CONTAINER TEMPLATE
property() { docker container inspect --format "$2" "$1"; }
name_of() { property "$1" '{{slice .Name 1}}'; }
hash_of() { property "$1" '{{index .Config.Labels "com.docker.compose.config-hash"}}'; }
# instances old|new [running|stopped]
instances() {
  local containers id state image hash age
  containers=$(all_instances)
  # shellcheck disable=SC2086 # a word each
  docker container inspect --format '{{.Id}} {{.State.Status}} {{.Image}} {{index .Config.Labels "com.docker.compose.config-hash"}}' $containers |
    while read -r id state image hash; do
      age=new
      if $replaces_all; then
        if [[ " $there_before " == *" $id "* ]]; then age=old; fi
      elif [[ $image != "$target_image" || $hash != "$target_hash" ]]; then
        age=old
      fi
      [[ $state == running ]] || state=stopped
      if [[ $age == "$1" && $state == "${2:-$state}" ]]; then echo "$id"; fi
    done
}
count() { instances "$@" | wc -l; }

# servers: what the proxy knows of the instances, a line each: ADDRESS STATUS ANSWERS ERRORS
servers() {
  compose exec -T "$deployment-proxy" wget -q -O - 'http://127.0.0.1:8405/servers;csv' | awk -F, '
    NR == 1 { sub(/^# /, ""); for (i = 1; i <= NF; i++) column[$i] = i; next }
    $1 == "ready" && $2 ~ /^instance/ && $column["addr"] != "" {
      split($column["status"], status, " ")
      print $column["addr"], status[1], $column["hrsp_2xx"] + $column["hrsp_3xx"] + $column["hrsp_4xx"] + $column["hrsp_5xx"], $column["hrsp_5xx"]
    }'
}
# server_of CONTAINER: its line, if the proxy has one
server_of() {
  local addresses
  addresses=$(property "$1" '{{range .NetworkSettings.Networks}} {{.IPAddress}}:3000 {{end}}')
  servers | awk -v addresses="$addresses" 'index(addresses, " " $1 " ")'
}
is_ready() { [[ $(server_of "$1") == *' UP '* ]]; }

# Each version has all three, and they need neither a key nor the proxy.
# shellcheck disable=SC2016 # JavaScript
questions='
  for (const [path, status] of Object.entries({ "/health/ready": 200, "/v1/pets": 401, "/openapi.json": 200 })) {
    const answer = await fetch(`http://127.0.0.1:${process.env.PORT}${path}`).catch((error) => ({ status: error.message }));
    if (answer.status === status) continue;
    console.log(`it answers ${path} with ${answer.status}`);
    process.exit(1);
  }'
# What is wrong with the instance that was looked at last.
problem=

# becomes_ready CONTAINER: healthy to Docker, answering as it should, and found ready by the proxy, within the time there is.
becomes_ready() {
  local until=$((SECONDS + ready_seconds))
  while ((SECONDS < until)); do
    case $(property "$1" '{{.State.Status}} {{.RestartCount}} {{.State.Health.Status}}' || true) in
      'running 0 healthy')
        if problem=$(docker exec "$1" node --input-type=module --eval "$questions" 2>&1); then
          if is_ready "$1"; then return; fi
          problem='the proxy does not find it ready'
        fi
        ;;
      'running 0 starting') problem='it is not healthy' ;;
      'running 0 unhealthy') problem='it is unhealthy' && return 1 ;;
      *) problem='it ended by itself' && return 1 ;;
    esac
    sleep 0.5
  done
  problem="$problem, $ready_seconds s after its start"
  return 1
}

# answers_well CONTAINER: for a while, with errors in no more than one of a hundred answers, or no more often than the others.
answers_well() {
  local address before until=$((SECONDS + watch_seconds))
  address=$(server_of "$1" | cut -d' ' -f1)
  before=$(servers)
  while true; do
    sleep 0.5
    problem=$(printf '%s\n' "$before" "$(servers)" | awk -v address="$address" '
      $1 in answers { own = $1 == address; answered[own] += $3 - answers[$1]; failed[own] += $4 - errors[$1]; status[own] = $2; next }
      { answers[$1] = $3; errors[$1] = $4 }
      END {
        if (status[1] != "UP") print "the proxy no longer finds it ready"
        else if (failed[1] * 100 > answered[1] && failed[1] * answered[0] > failed[0] * answered[1])
          print "it answered " failed[1] " of " answered[1] " requests with an error of its own"
      }')
    if [[ -n $problem ]]; then return 1; fi
    if ((SECONDS >= until)); then return; fi
  done
}

# migrate: as the role that owns the tables, which no instance has; by the version that is to serve.
migrate() {
  say 'Migrating the database.'
  compose run --rm -T --no-deps "$deployment-migration" >/dev/null ||
    end 1 'The database could not be migrated, for the reason above. No instance was replaced.'
}

# renew_migration: leaves the container of the migration that the next `up` would make. That makes another one anew, and then all that depends on it.
renew_migration() {
  local container
  container=$(compose ps --all --quiet "$deployment-migration")
  if [[ -n $container ]]; then
    [[ $(property "$container" '{{.Image}}') != "$target_image" ]] || return 0
    remove_instance "$container"
  fi
  compose create --no-recreate --no-build "$deployment-migration" >/dev/null 2>&1 &&
    docker start --attach "$(compose ps --all --quiet "$deployment-migration")" >/dev/null ||
    say "$deployment-migration could not be made anew: the next docker compose up would replace all instances at once." >&2
}

# add_instance: starts one that is new, and first of all one that is there and does not run.
add_instance() {
  local before
  added=$(instances new stopped)
  added=${added%%$'\n'*}
  if [[ -z $added ]]; then
    before=$(all_instances)
    # Not `up`, which would start the old ones that are stopped; not --no-deps, with which the next `up` would take each for changed.
    compose create --no-recreate --no-build --scale "$deployment=$(($(wc -l <<<"$before") + 1))" "$deployment" >/dev/null 2>&1 ||
      end 1 "docker compose makes no further instance. Nothing was changed by that: see docker compose --profile $deployment create $deployment"
    added=$(all_instances | grep -vxF "$before")
    # What compose says of the configuration may differ from what it writes down.
    target_hash=$(hash_of "$added")
  fi
  say "Starting $(name_of "$added")."
  docker start "$added" >/dev/null
}
stop_instance() {
  say "Stopping $(name_of "$1")."
  docker stop "$1" >/dev/null
}
remove_instance() { docker rm --force --volumes "$1" >/dev/null; }

# go_back FAULTY
go_back() {
  local container lost=
  say "$(name_of "$1") is not fit to serve: $problem. The last lines of its log:" >&2
  docker logs --tail 5 "$1" >&2 || true
  stop_instance "$1"
  remove_instance "$1"
  for container in $(instances old stopped); do
    say "Starting $(name_of "$container") again."
    docker start "$container" >/dev/null
    becomes_ready "$container" || lost="$lost $(name_of "$container") does not come back: $problem."
  done
  if [[ -n $lost ]]; then
    end 3 "Gone back in part:$lost New instances that are ready serve on. See its log, then run this again, with this version or the one before."
  fi
  for container in $(instances new); do
    stop_instance "$container"
    remove_instance "$container"
  done
  end 2 "Gone back: $(count old running) old instances serve. Set ADOPTION_VERSION and .env to the version before: the next docker compose up would
replace all instances at once."
}

# Read as a whole before it begins, so that another version of this file, as by git pull, does not get in between.
{
  exec 9<deploy/upgrade.sh
  flock --nonblock 9 || end 1 'An upgrade is under way already.'

  image=$(configured image)
  wanted=$(configured replicas)
  docker image inspect "$image" >/dev/null 2>&1 || compose build "$deployment"
  target_image=$(docker image inspect --format '{{.Id}}' "$image")
  target_hash=$(compose config --hash "$deployment" | awk '{ print $2 }')
  there_before=$(all_instances | tr '\n' ' ')
  running=$(($(count old running) + $(count new running)))
  ((running > 0)) || end 1 "No instance of $deployment serves. Start it: docker compose --profile $deployment up --detach --wait"
  servers >/dev/null 2>&1 || end 1 "The proxy does not answer at /servers: see docker compose ps. Where deploy/haproxy is newer than it, let it read that:
docker compose --profile $deployment kill --signal SIGUSR2 $deployment-proxy"
  # As many as served, where somebody started more than are configured.
  ((wanted >= $(count old running))) || wanted=$(count old running)

  trap 'end 1 "Interrupted. What was ready serves on. Run this again to go on, or with the version before to go back; until then no docker compose up."' \
    INT TERM HUP EXIT

  if (($(count old) > 0 || $(count new running) < wanted)); then migrate; fi
  while (($(count old) > 0 || $(count new running) < wanted)); do
    # Those of a run that was interrupted are checked too, and each again before one fewer of the old serves.
    for container in $(instances new running); do
      becomes_ready "$container" || go_back "$container"
    done
    if (($(count new running) < wanted)); then
      add_instance
      if ! becomes_ready "$added" || ! answers_well "$added"; then go_back "$added"; fi
      say "$(name_of "$added") serves."
    fi
    old=$(instances old running)
    for container in $old; do
      # One that is not ready goes first.
      if ! is_ready "$container"; then old=$container; fi
    done
    if [[ -n $old ]]; then
      stop_instance "$(head -1 <<<"$old")"
    elif (($(count new running) >= wanted)); then
      for container in $(instances old); do remove_instance "$container"; done
    fi
  done

  renew_migration

  trap - EXIT
  say "$(count new running) instances of $image serve."
  [[ $(unset ADOPTION_VERSION && configured image) == "$image" ]] ||
    say "Write ADOPTION_VERSION=${image##*:} into .env: without it, docker compose up replaces all instances at once."
  exit
}
