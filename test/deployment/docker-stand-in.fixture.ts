import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A container as the stand-in keeps it. The tag of its image says what it does: `1.0.0` serves, `exits`, `unhealthy`, `unready`, `errors`, `unmigrated`. */
export interface StandInContainer {
  readonly id: string;
  readonly tag: string;
  readonly state: 'created' | 'running' | 'exited';
}

/** A program `docker` that has one deployment, for `deploy/upgrade.sh`, which asks nothing else. The suite in containers runs the real one. */
export interface DockerStandIn {
  /** A copy of the script, so that one which really runs from this checkout is not in its way. */
  readonly script: string;
  /** The variables with which the script finds it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The containers, as `ID TAG STATE`. */
  containers(): Promise<string[]>;
  /** The tag with which the migration was made anew last. */
  migratedBy(): Promise<string>;
  /** What was done, such as `stop c1`, each with how many instances were ready afterwards. */
  done(): Promise<{ readonly command: string; readonly ready: number }[]>;
  /** Makes it end a script that is about to do this, such as `stop c2`, as `kill -9` does. */
  killAt(command: string): Promise<void>;
  remove(): Promise<void>;
}

export async function createDockerStandIn(containers: readonly StandInContainer[]): Promise<DockerStandIn> {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-docker-'));
  const at = (...names: string[]) => join(folder, ...names);
  for (const name of ['bin', 'containers', 'deploy']) await mkdir(at(name));
  await copyFile('deploy/upgrade.sh', at('deploy', 'upgrade.sh'));
  await writeFile(at('bin', 'docker'), PROGRAM);
  await chmod(at('bin', 'docker'), 0o755);
  for (const { id, tag, state } of containers) await writeFile(at('containers', id), `${tag} ${state}\n`);
  await writeFile(at('done'), '');
  return {
    script: at('deploy', 'upgrade.sh'),
    environment: { PATH: `${at('bin')}${delimiter}${process.env['PATH'] ?? ''}`, STAND_IN: folder },
    async containers() {
      const ids = (await readdir(at('containers'))).sort();
      return Promise.all(ids.map(async (id) => `${id} ${(await readFile(at('containers', id), 'utf8')).trim()}`));
    },
    migratedBy: async () => (await readFile(at('migration'), 'utf8')).trim(),
    async done() {
      const lines = (await readFile(at('done'), 'utf8')).split('\n').slice(0, -1);
      return lines.map((line) => ({ command: line.slice(0, line.lastIndexOf(' ')), ready: Number(line.slice(line.lastIndexOf(' '))) }));
    },
    killAt: (command) => writeFile(at('kill-at'), command),
    remove: () => rm(folder, { recursive: true }),
  };
}

/** In the language that starts fastest: an upgrade asks some hundred times. */
const PROGRAM = `#!/usr/bin/env bash
set -euo pipefail
cd "$STAND_IN"
target=\${ADOPTION_VERSION:-1.0.0}
ids() { ls containers | sort -V; }
load() { read -r tag state <"containers/$1"; }
# answers ID
answers() { load "$1" && [[ $state == running && $tag != exits && $tag != unhealthy && $tag != unready ]]; }
# change COMMAND: writes down what was done; the function \`act\` does it.
change() {
  if [[ -e kill-at && $(<kill-at) == "$1" ]]; then
    rm kill-at
    kill -KILL "$PPID"
    exit 1
  fi
  act
  local id ready=0
  for id in $(ids); do if answers "$id"; then ready=$((ready + 1)); fi; done
  echo "$1 $ready" >>done
}
set_state() { load "$1" && echo "$tag $2" >"containers/$1"; }
unknown() {
  echo "The stand-in knows no docker $*" >&2
  exit 1
}
inspect() {
  if [[ $2 == migration ]]; then
    echo "sha256:$(<migration)"
    return
  fi
  load "$2"
  local health=healthy
  [[ $tag != unhealthy ]] || health=unhealthy
  case $1 in
    '{{.Id}} {{.State.Status}} {{.Image}} '*) echo "$2 $state sha256:$tag hash-$tag" ;;
    '{{.State.Status}} {{.RestartCount}} '*) if [[ $tag == exits ]]; then echo 'restarting 1 starting'; else echo "$state 0 $health"; fi ;;
    '{{slice .Name 1}}') echo "$2" ;;
    *config-hash*) echo "hash-$tag" ;;
    *IPAddress*) echo " 10.0.0.\${2#c}:3000 " ;;
    *) unknown "$@" ;;
  esac
}
tell_servers() {
  local id asked=0 failed
  [[ ! -e asked ]] || asked=$(<asked)
  # Each time it is asked, 100 more requests have been answered.
  echo $((asked + 100)) >asked
  echo '# pxname,svname,status,addr,hrsp_2xx,hrsp_3xx,hrsp_4xx,hrsp_5xx,'
  for id in $(ids); do
    answers "$id" || continue
    failed=0
    [[ $tag != errors ]] || failed=$asked
    echo "ready,instance\${id#c},UP,10.0.0.\${id#c}:3000,$((asked - failed)),0,0,$failed,"
  done
}
# The container of the migration is called so, and is in no list of instances.
migration() {
  case $1 in
    ps) [[ ! -e migration ]] || echo migration ;;
    create) echo "$target" >migration ;;
    run)
      [[ $target != unmigrated ]] || exit 1
      act() { :; }
      change "migrate $target"
      ;;
    *) unknown "$@" ;;
  esac
}
compose() {
  if [[ \${!#} == *-migration ]]; then
    migration "\${@:3}"
    return
  fi
  case "$3 \${4:-}" in
    'config --hash') echo "$2 hash-$target" ;;
    config*) printf '%s\\n' services: '  production-redis:' '    image: redis' "  $2:" '    deploy:' "      replicas: $PRODUCTION_INSTANCES" "    image: animal-adoption-service:$target" ;;
    ps*) ids ;;
    exec*) tell_servers ;;
    create*)
      [[ "$*" == *"--scale production=$(($(ids | wc -l) + 1)) "* ]] || unknown "$@"
      new=c$(($(ids | tail -1 | tr -d c) + 1))
      act() { echo "$target created" >"containers/$new"; }
      change "create $new"
      ;;
    *) unknown "$@" ;;
  esac
}
case $1 in
  compose) compose "\${@:2}" ;;
  container) for id in "\${@:5}"; do inspect "$4" "$id"; done ;;
  image) echo "sha256:$target" ;;
  exec) answers "$2" ;;
  logs) echo "the log of \${!#}" ;;
  start)
    [[ $2 != --attach ]] || exit 0
    act() { set_state "$id" running; }
    id=$2
    change "$*"
    ;;
  stop)
    act() { set_state "$id" exited; }
    id=$2
    change "$*"
    ;;
  rm)
    [[ "$2 $3" == '--force --volumes' ]] || unknown "$@"
    id=$4
    if [[ $id == migration ]]; then
      rm migration
      exit 0
    fi
    act() { rm "containers/$id"; }
    change "rm $id"
    ;;
  *) unknown "$@" ;;
esac
`;
