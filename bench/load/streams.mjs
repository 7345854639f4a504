import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { stop } from '../contestants/baseline.mjs';
import { startProgram } from './load.mjs';

// The server has then noticed that they are gone.
const AFTER_CLOSE_MILLISECONDS = 500;

/** Streams of events of one server, held open by a process of their own. */
export class Streams {
  constructor(origin, { path, headers }, streams) {
    this.given = { origin, path, headers, streams };
  }

  /** Opens them all, unless they are open. @throws Error if one is rejected */
  async open() {
    if (this.child) return this.assertOpen();
    this.child = startProgram('streams-program.mjs', this.given);
    const exited = once(this.child, 'exit').then(() => undefined);
    if (!(await Promise.race([once(this.child, 'message'), exited]))) throw new Error('The streams could not be opened.');
  }

  /** @throws Error if one has ended before */
  async close() {
    if (!this.child) return;
    this.assertOpen();
    await stop(this.child);
    this.child = undefined;
    await delay(AFTER_CLOSE_MILLISECONDS);
  }

  assertOpen() {
    if (this.child.exitCode !== null) throw new Error('A stream has ended early.');
  }
}
