import { pipelined } from './database.js';

describe('statements that are sent together', () => {
  it('have all settled when the first error is thrown', async () => {
    let settled = 0;
    const statement = async (turns: number, error?: Error) => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      settled += 1;
      if (error) throw error;
    };
    const first = new Error('first in order');
    const all = pipelined([statement(5), statement(3, first), statement(1, new Error('first in time')), statement(9)]);
    await expect(all).rejects.toBe(first);
    expect(settled).toBe(4);
  });

  it('may be none', async () => {
    await expect(pipelined([])).resolves.toBeUndefined();
  });
});
