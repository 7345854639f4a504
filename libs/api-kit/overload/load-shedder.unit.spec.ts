import { Writable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { createLogger } from '../logging/logger.js';
import { measureTurns } from './event-loop-turn.js';
import { LoadShedder } from './load-shedder.js';

const takenUpAt = (startedAt: number) => ({ exchange: { startedAt } }) as FastifyRequest;

describe('the load shedder', () => {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      done();
    },
  });
  const logger = createLogger({ level: 'info', destination });
  beforeEach(() => {
    lines.length = 0;
  });

  it('sheds what is taken up over its limit after the turn began, and nothing else', () => {
    const shedder = new LoadShedder({ turnTime: (now) => now, limitMilliseconds: 250, logger });
    expect([0, 250, 251, 249, 1_000].map((at) => shedder.sheds(takenUpAt(at)))).toEqual([false, false, true, false, true]);
  });

  it('logs at most once a second, with how many were shed since the start', () => {
    const shedder = new LoadShedder({ turnTime: () => 300.4, limitMilliseconds: 250, logger });
    for (const at of [1_000, 1_001, 1_999, 2_000, 2_500]) shedder.sheds(takenUpAt(at));
    expect(lines).toMatchObject([
      { msg: 'requests are shed', shedSinceStart: 1, turnMilliseconds: 300 },
      { msg: 'requests are shed', shedSinceStart: 4, turnMilliseconds: 300 },
    ]);
  });
});

describe('a turn of the event loop', () => {
  it('is measured from its first request, and anew in the next one', async () => {
    const turnTime = measureTurns();
    expect([turnTime(1_000), turnTime(1_010), turnTime(1_300)]).toEqual([0, 10, 300]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([turnTime(2_000), turnTime(2_001)]).toEqual([0, 1]);
  });
});
