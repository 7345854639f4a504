import { EventEmitter } from 'node:events';
import { watchConnectionRush } from './load-shedder.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a rush of connections', () => {
  it('is over when a turn has brought none, or after 1,024 turns although connections still come', async () => {
    const server = new EventEmitter();
    const rush = watchConnectionRush(server);
    expect(rush()).toBeUndefined();
    for (const [mostTurns, atLeast, below] of [
      [10, 10, 13],
      [Infinity, 1_024, 1_030],
    ] as const) {
      const state = { isOver: false };
      let turns = 0;
      server.emit('connection');
      void rush()?.then(() => (state.isOver = true));
      for (; !state.isOver; turns += 1) {
        await nextTurn();
        if (turns < mostTurns) server.emit('connection');
      }
      expect(turns).toBeGreaterThanOrEqual(atLeast);
      expect(turns).toBeLessThan(below);
      await rush();
    }
    expect(rush()).toBeUndefined();
  });
});
