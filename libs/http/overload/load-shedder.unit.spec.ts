import { Writable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { createLogger } from '#libs/observability';
import { LoadShedder } from './load-shedder.js';

const takenUpAt = (startedAt: number, method = 'GET', template = '/v1/pets') =>
  ({ method, context: { startedAt, routeInfo: { name: `${method} ${template}`, template } } }) as FastifyRequest;

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

  it('sheds requests beyond the maximum of their method and route, whatever the others have in progress', () => {
    const shedder = new LoadShedder({ mostInProgress: (template) => (template === '/v1/pets' ? 2 : 1), logger });
    const sheds = (method: string, template: string) => shedder.sheds(takenUpAt(0, method, template));
    expect([1, 2, 3, 4].map(() => sheds('GET', '/v1/pets'))).toEqual([false, false, true, true]);
    expect([1, 2, 3].map(() => sheds('POST', '/v1/pets'))).toEqual([false, false, true]);
    expect([1, 2].map(() => sheds('GET', '/graphql'))).toEqual([false, true]);
  });

  it('logs at most once a second, with how many were shed since the start', () => {
    const shedder = new LoadShedder({ mostInProgress: () => 0, logger });
    for (const at of [1_000, 1_001, 1_999, 2_000, 2_500]) shedder.sheds(takenUpAt(at));
    expect(lines).toMatchObject([
      { msg: 'requests are shed', shedSinceStart: 1, method: 'GET', route: '/v1/pets' },
      { msg: 'requests are shed', shedSinceStart: 4 },
    ]);
  });
});
