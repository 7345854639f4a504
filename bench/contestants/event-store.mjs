import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Runs a program of `event-stores/` on a database and gives the figures that it sends. */
export async function measureEventStore(name, { folder, environment }, options) {
  const program = fileURLToPath(new URL(`../event-stores/${name}.mjs`, import.meta.url));
  const child = fork(program, [], { cwd: folder.path, env: { ...environment, OPTIONS: JSON.stringify(options) } });
  const exited = once(child, 'exit');
  const [measured] = await Promise.race([once(child, 'message'), exited.then(() => [undefined])]);
  if (!measured) throw new Error(`The event store ${name} could not be measured.`);
  await exited;
  return measured;
}
