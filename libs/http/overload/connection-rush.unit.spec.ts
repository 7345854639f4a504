import { EventEmitter } from 'node:events';
import { watchConnectionRush } from './load-shedder.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a rush of connections', () => {
  const server = new EventEmitter();
  const rush = watchConnectionRush(server);
  let isOver = false;
  /** Lets a connection come and looks at what is waited for then. */
  const begin = (): void => {
    server.emit('connection');
    isOver = false;
    void rush()?.then(() => (isOver = true));
  };

  it('is there only while connections come', () => {
    expect(rush()).toBeUndefined();
  });

  it('is over when a turn has brought none', async () => {
    begin();
    for (let turn = 0; turn < 10; turn += 1) {
      await nextTurn();
      expect(isOver).toBe(false);
      server.emit('connection');
    }
    await rush();
    expect([isOver, rush()]).toEqual([true, undefined]);
  });

  it('is over after 1,024 turns although connections still come', async () => {
    begin();
    let turns = 0;
    while (!isOver) {
      await nextTurn();
      server.emit('connection');
      turns += 1;
    }
    expect(turns).toBeGreaterThanOrEqual(1_024);
    expect(turns).toBeLessThan(1_030);
    expect(rush()).toBeDefined();
    await rush();
  });
});
