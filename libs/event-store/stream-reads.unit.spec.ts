import type { RecordedEvent } from './event.js';
import { StreamReads } from './stream-reads.js';

const event = (stream: string, version: number) => ({ stream, version }) as RecordedEvent;

function recording(answer: (streams: readonly string[]) => Promise<readonly RecordedEvent[]>) {
  const asked: (readonly string[])[] = [];
  const reads = new StreamReads((streams) => {
    asked.push(streams);
    return answer(streams);
  });
  return { asked, reads };
}

describe('reading streams', () => {
  it('is one reading for all that are asked for in one turn, each once, and another one afterwards', async () => {
    const { asked, reads } = recording(async () => [event('a', 1), event('b', 1), event('a', 2)]);
    expect(await Promise.all([reads.of('a'), reads.of('b'), reads.of('c'), reads.of('a')])).toEqual([
      [event('a', 1), event('a', 2)],
      [event('b', 1)],
      [],
      [event('a', 1), event('a', 2)],
    ]);
    await reads.of('a');
    expect(asked).toEqual([['a', 'b', 'c'], ['a']]);
  });

  it('fails for all who share a reading that fails, and for nobody after them', async () => {
    let fails = true;
    const { reads } = recording(async () => {
      if (!fails) return [event('a', 1)];
      fails = false;
      throw new Error('unreachable');
    });
    expect(await Promise.allSettled([reads.of('a'), reads.of('b')])).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    expect(await reads.of('a')).toEqual([event('a', 1)]);
  });
});
