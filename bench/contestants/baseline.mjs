import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts a server of `baselines/`. Its origin is known when it listens. */
export async function startBaseline(name, environment = {}) {
  const program = fileURLToPath(new URL(`../baselines/${name}.mjs`, import.meta.url));
  const child = fork(program, [], { env: { ...process.env, NODE_ENV: 'production', ...environment } });
  const [started] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [undefined])]);
  if (!started) throw new Error(`The baseline ${name} did not start.`);
  return { name, origin: started.origin, pid: child.pid, stop: () => stop(child) };
}

/** Ends a process and waits for its end. */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill();
  await once(child, 'exit');
}
