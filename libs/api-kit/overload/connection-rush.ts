import type { EventEmitter } from 'node:events';

/** Turns of the event loop after which requests are handled although connections go on to come. */
const MOST_TURNS = 1_024;

/**
 * Node takes up one new connection in a turn of the event loop. Where each turn does the work of the request that came with it, those
 * who wait to be let in wait for all that work; so it is put off for as long as each turn brings another connection.
 */
export class ConnectionRush {
  private passed: Promise<void> | undefined;
  private hasCome = false;

  watch(server: EventEmitter): void {
    server.on('connection', () => {
      this.hasCome = true;
      this.passed ??= new Promise((resolve) => setImmediate(() => this.look(resolve, 1)));
    });
  }

  /** Resolves when a turn has brought no further connection; undefined where none is waited for. */
  over(): Promise<void> | undefined {
    return this.passed;
  }

  private look(resolve: () => void, turns: number): void {
    if (this.hasCome && turns < MOST_TURNS) {
      this.hasCome = false;
      setImmediate(() => this.look(resolve, turns + 1));
      return;
    }
    this.passed = undefined;
    resolve();
  }
}
