import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordedEvent } from './event.js';
import { StreamReads } from './stream-reads.js';

const eventOf = (stream: string, version: number) => ({ stream, version }) as RecordedEvent;

describe('reads of streams', () => {
  it('that are asked for in one turn are one, and give each its own events in their order', async () => {
    const asked: (readonly string[])[] = [];
    const reads = new StreamReads(async (streams) => {
      asked.push(streams);
      return Promise.resolve([eventOf('b', 1), eventOf('a', 1), eventOf('b', 2)]);
    });

    const found = await Promise.all(['a', 'b', 'none', 'b'].map((stream) => reads.of(stream)));

    expect(asked).toEqual([['a', 'b', 'none']]);
    expect(found.map((events) => events.map(({ stream, version }) => `${stream} ${version}`))).toEqual([
      ['a 1'],
      ['b 1', 'b 2'],
      [],
      ['b 1', 'b 2'],
    ]);
    expect(found[1]).not.toBe(found[3]);
  });

  it('never give what was read before they were asked for', async () => {
    let version = 0;
    const finishes: (() => void)[] = [];
    const reads = new StreamReads(async () => {
      const read = [eventOf('a', (version += 1))];
      await new Promise<void>((resolve) => finishes.push(resolve));
      return read;
    });

    const early = reads.of('a');
    await nextTurn();
    const late = reads.of('a');
    await nextTurn();
    for (const finish of finishes) finish();

    expect(await early).toEqual([eventOf('a', 1)]);
    expect(await late).toEqual([eventOf('a', 2)]);
  });

  it('fail together, and those of a later turn do not', async () => {
    let isBroken = true;
    const reads = new StreamReads(() => (isBroken ? Promise.reject(new Error('lost')) : Promise.resolve([])));

    const outcomes = await Promise.allSettled([reads.of('a'), reads.of('b')]);
    isBroken = false;

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await reads.of('a')).toEqual([]);
  });
});
