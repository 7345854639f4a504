import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { stop } from '../contestants/baseline.mjs';

const PROGRAM = fileURLToPath(new URL('stream-clients.mjs', import.meta.url));
// The server has then noticed that they are gone.
const AFTER_CLOSE_MILLISECONDS = 500;

/** Streams of events of one server, held open by a process of their own. */
export class Streams {
  /** @param request its `path`, and its `headers` with the key */
  constructor(origin, { path, headers }, streams) {
    const { hostname: host, port } = new URL(origin);
    this.given = { host, port: Number(port), path, headers: { ...headers, accept: 'text/event-stream' }, streams };
  }

  /** Resolves once all are answered; those that are open already stay. @throws Error where one is refused */
  async open() {
    if (this.child) return this.assertOpen();
    this.child = fork(PROGRAM, [JSON.stringify(this.given)]);
    const exited = once(this.child, 'exit').then(() => undefined);
    if (!(await Promise.race([once(this.child, 'message'), exited]))) throw new Error('The streams could not be opened.');
  }

  /** Resolves when all are closed. @throws Error where one has ended before */
  async close() {
    if (!this.child) return;
    this.assertOpen();
    await stop(this.child);
    this.child = undefined;
    await delay(AFTER_CLOSE_MILLISECONDS);
  }

  assertOpen() {
    if (this.child.exitCode !== null) throw new Error('A stream has ended that was to stay open.');
  }
}
