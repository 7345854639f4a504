// Serves what is built, and after each change of a source file compiles that file and restarts the service, unless its syntax is wrong.
// Looks at no types and complains of nothing: `npm run start:dev` has the types checked beside it.
// Usage: node scripts/development/serve-changes.mjs [--inspect]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { watch } from 'chokidar';
import { compileChanged } from './compile-changed.mjs';

// An editor writes several files at once, and each in several steps.
const QUIET_MILLISECONDS = 50;
const standby = join(import.meta.dirname, 'standby.mjs');
// No load balancer needs notice of the end, so the service does not wait for one.
const env = { SHUTDOWN_GRACE_SECONDS: '1', ...process.env };

let next = prepare();
let serving;
let builds = 0;
let replaced = Promise.resolve();

function prepare() {
  return fork(standby, process.argv.slice(2), { env });
}

async function end(service) {
  if (service === undefined || service.exitCode !== null || service.signalCode !== null) return;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
}

/** Serves the newest build as soon as what serves now has ended: a database file is for one service at a time. */
function serveNewest() {
  builds += 1;
  const build = builds;
  replaced = replaced.then(async () => {
    if (build !== builds) return;
    await end(serving);
    serving = next ?? prepare();
    next = undefined;
    // Not before it serves: that comes first.
    serving.once('message', () => {
      next ??= prepare();
    });
    serving.send('serve');
  });
}

const changed = new Set();
let quiet;
const watcher = watch(['src', 'libs'], { ignoreInitial: true }).on('all', (_event, path) => {
  changed.add(path);
  clearTimeout(quiet);
  quiet = setTimeout(() => {
    if (!compileChanged(changed)) return;
    changed.clear();
    serveNewest();
  }, QUIET_MILLISECONDS);
});
serveNewest();

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    await watcher.close();
    await Promise.all([end(serving), end(next)]);
    process.exit();
  });
}
