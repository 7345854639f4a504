import { jest } from '@jest/globals';
import fc from 'fast-check';
import { createClient, type AdoptionEvent, type Client, type EventStreamOptions } from '../../packages/client/src/index.js';
import { refuse, startScriptedServer, waitsBefore, type ScriptedServer, type Step } from './scripted-server.fixture.js';
import { inFlyingTime, until, useVirtualTime } from './virtual-time.fixture.js';

function clientOf({ origin }: ScriptedServer, maxWait = 60_000): Client<bigint> {
  return createClient({ baseUrl: origin, key: 'adopt_dev_key', maxWait });
}

/** The text of an event as the service sends it. */
function event(position: number): string {
  const data = { id: 7, name: 'Rex', categoryId: 7 };
  return `id: ${position}\ndata: ${JSON.stringify({ id: String(position), type: 'pet.added', subject: 'pets/7', data })}\n\n`;
}

/** Begins a stream, sends these texts one after another, and leaves it open. */
function send(...texts: readonly string[]): Step {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('retry: 3000\n\n');
    for (const text of texts) response.write(text);
  };
}

/** The same, and ends it. */
function sendAndEnd(...texts: readonly string[]): Step {
  return (response, request) => {
    send(...texts)(response, request);
    response.end();
  };
}

/** The ids of the first events, whatever has to be waited for. */
async function firstIds(client: Client<bigint>, count: number, options?: EventStreamOptions): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of client.events.stream(options)) if (ids.push(id) === count) break;
  return ids;
}

describe('a stream of events of the client', () => {
  useVirtualTime();

  it('asks for what is meant, and gives events with their int64', async () => {
    const server = await startScriptedServer(send(event(42)));
    const events: AdoptionEvent<bigint>[] = [];
    for await (const one of clientOf(server).events.stream({ after: '41', types: ['pet.added', 'pet.withdrawn'], subject: 'pets/7' })) {
      events.push(one);
      break;
    }
    expect(events).toEqual([{ id: '42', type: 'pet.added', subject: 'pets/7', data: { id: 7n, name: 'Rex', categoryId: 7n } }]);
    expect(server.received[0]).toMatchObject({
      url: '/v1/events?after=41&type=pet.added%2Cpet.withdrawn&subject=pets%2F7',
      headers: { accept: 'text/event-stream', authorization: 'Bearer adopt_dev_key' },
    });
    expect(server.received[0]?.headers).not.toHaveProperty('last-event-id');
    // The connection ends with the loop.
    await until(() => server.open === 0);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('gives the same events however they are cut into chunks', async () => {
    const text = `: hello\n\n${event(1)}event: bookmark\nid: 7\ndata: {"position":"7"}\n\n${event(9).replaceAll('\n', '\r\n')}`.replace(
      'Rex',
      'Ännchen 🐕',
    );
    const bytes = Buffer.from(text);
    const chunkings = fc.asyncProperty(fc.uniqueArray(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
      const server = await startScriptedServer((response) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const write = (index: number): void => {
          if (index < places.length) response.write(bytes.subarray(places[index - 1], places[index]), () => write(index + 1));
        };
        write(1);
      });
      const names: string[] = [];
      for await (const { id, data } of clientOf(server).events.stream()) {
        if ('name' in data) names.push(`${id} ${data.name}`);
        if (id === '9') break;
      }
      expect(names).toEqual(['1 Ännchen 🐕', '9 Rex']);
    });
    await fc.assert(chunkings, { numRuns: 30 });
  });

  it('goes on behind the last position after each lost connection, and passes over what is no event', async () => {
    const server = await startScriptedServer(
      sendAndEnd(event(1), 'id: a b\ndata\n\n', 'event: other\ndata: text\n\n', 'id\n\n', event(2), event(3).slice(0, -10)),
      (response, request) => {
        send(event(3), 'event: bookmark\nid: 57\ndata: {"position":"57"}\n\n')(response, request);
        setImmediate(() => response.destroy());
      },
      refuse(503, 'service_unavailable', { 'retry-after': '10' }),
      send(event(58)),
    );
    expect(await inFlyingTime(firstIds(clientOf(server), 4, { after: 'earliest' }))).toEqual(['1', '2', '3', '58']);
    expect(server.received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '57', '57']);
    expect(waitsBefore(server)[2]).toBeGreaterThanOrEqual(10_000);
  });

  it('gives a connection up that has been silent for 45 seconds', async () => {
    const server = await startScriptedServer(send(event(1)), send(event(2)));
    expect(await inFlyingTime(firstIds(clientOf(server), 2))).toEqual(['1', '2']);
    expect(waitsBefore(server)[0]).toBeGreaterThanOrEqual(45_000);
    expect(server.received[1]?.headers['last-event-id']).toBe('1');
    await until(() => server.open === 0);
  });

  it('ends with the error where the history of its position is no longer there, without asking again', async () => {
    const server = await startScriptedServer(sendAndEnd(event(58)), refuse(410, 'log_rewound'), send(event(58)));
    const rewound = { name: 'AdoptionError', status: 410, code: 'log_rewound', message: 'It is log_rewound.' };
    await expect(inFlyingTime(firstIds(clientOf(server), 2, { after: '57' }))).rejects.toMatchObject(rewound);
    expect(server.received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '58']);
  });

  it('tells each position up to which the loop has done its work, also where a rare subscriber was passed by', async () => {
    const bookmark = (position: number) => `event: bookmark\nid: ${position}\ndata: {"position":"${position}"}\n\n`;
    const server = await startScriptedServer(sendAndEnd(bookmark(7), event(9), ': alive\n\n', bookmark(57)), send(event(60)));
    const steps: string[] = [];
    const onPosition = async (position: string) => {
      steps.push(`stores ${position}`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`stored ${position}`);
    };
    const loop = async () => {
      for await (const { id } of clientOf(server).events.stream({ after: '5', onPosition })) {
        steps.push(`begins ${id}`);
        await new Promise((resolve) => setImmediate(resolve));
        steps.push(`has done ${id}`);
        if (id === '60') break;
      }
    };
    await inFlyingTime(loop());
    expect(steps).toEqual([
      ...['stores 7', 'stored 7', 'begins 9', 'has done 9', 'stores 9', 'stored 9', 'stores 57', 'stored 57'],
      // Whoever leaves the loop knows the event that it was at.
      ...['begins 60', 'has done 60'],
    ]);
    expect(server.received.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '57']);
  });

  it('ends at once when the signal is aborted, while it listens and while it waits', async () => {
    const listening = new AbortController();
    const open = await startScriptedServer(send(event(1)));
    const ids = firstIds(clientOf(open), 2, { signal: listening.signal });
    await until(() => open.received.length === 1);
    listening.abort(new Error('enough'));
    await expect(ids).rejects.toThrow('enough');
    const waiting = new AbortController();
    const busy = await startScriptedServer(refuse(503, 'service_unavailable', { 'retry-after': '30' }));
    const later = firstIds(clientOf(busy), 1, { signal: waiting.signal });
    await until(() => busy.received.length === 1 && busy.open === 0);
    waiting.abort(new Error('enough'));
    await expect(later).rejects.toThrow('enough');
    expect(jest.getTimerCount()).toBe(0);
  });
});
