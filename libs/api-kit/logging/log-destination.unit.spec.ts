import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { logDestination, BatchedStdout, type LogFormat } from './log-destination.js';
import { createLogger } from './logger.js';

class Output extends Writable {
  text = '';

  constructor(readonly isTTY: boolean) {
    super();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

const REQUEST = { requestId: 'r-1', method: 'GET', route: '/v1/pets', status: 200, durationMs: 1.5, keyId: '7' };
const COLOUR = '\u001b[';

/** What is printed for some lines; undefined where they go to standard output as they are. */
async function printed(
  { format = 'pretty', isTTY = false, environment = {} }: { format?: LogFormat; isTTY?: boolean; environment?: Record<string, string> },
  line: object = REQUEST,
  message = 'request',
): Promise<string | undefined> {
  const output = new Output(isTTY);
  const destination = await logDestination({ format, output, environment });
  if (!destination) return undefined;
  createLogger({ level: 'info', destination }).info(line, message);
  return output.text;
}

describe('the format of the log', () => {
  it('is JSON where it is not read by people', async () => {
    expect(await printed({ format: 'json', isTTY: true })).toBeUndefined();
    expect(await printed({ format: 'auto' })).toBeUndefined();
  });

  it('is a line for people on a terminal, or where that is asked for', async () => {
    expect(await printed({})).toMatch(/^\[[\d:.]{12}\] INFO: request GET \/v1\/pets 200 in 1\.5 ms {"requestId":"r-1","keyId":"7"}\n$/);
    const onTerminal = await printed({ format: 'auto', isTTY: true });
    expect(onTerminal).toContain('GET /v1/pets 200 in 1.5 ms');
    expect(onTerminal).toContain(COLOUR);
  });

  it.each([{ NO_COLOR: '1' }, { FORCE_COLOR: '0' }, { TERM: 'dumb' }])('has no colours on a terminal with %j', async (environment) => {
    expect(await printed({ isTTY: true, environment }, { ...REQUEST, status: 500 })).not.toContain(COLOUR);
  });

  it.each([
    [204, 'GET /v1/pets 204 in'],
    [304, 'GET /v1/pets 304 in'],
    [400, 'GET /v1/pets 400 client error in'],
    [499, 'GET /v1/pets 499 client error in'],
    [500, 'GET /v1/pets 500 server error in'],
    [503, 'GET /v1/pets 503 server error in'],
  ])('marks %i for people as %s', async (status, expected) => {
    expect(await printed({}, { ...REQUEST, status })).toContain(expected);
  });

  it('marks refusals and failures by colours of their own', async () => {
    const coloured = (status: number) => printed({ isTTY: true }, { ...REQUEST, status });
    expect(await coloured(404)).toContain(`${COLOUR}33m404 client error`);
    expect(await coloured(500)).toContain(`${COLOUR}31m500 server error`);
    expect(await printed({}, { status: 431, code: 'head_too_large' }, 'refused connection')).toContain(
      'refused connection 431 client error',
    );
  });

  it.each(['/docs/reference.css', '/docs/reference.mjs', '/graphiql/graphiql.min.js', '/docs/icon.svg'])(
    'leaves out %s for people, unless it was not found or failed',
    async (route) => {
      for (const status of [200, 304]) expect(await printed({}, { ...REQUEST, route, status })).toBe('');
      for (const status of [404, 429, 500]) expect(await printed({}, { ...REQUEST, route, status })).toContain(`${route} ${status}`);
    },
  );

  it.each(['/docs', '/graphiql', '/openapi.json', '/v1/pets/:petId'])('keeps %s for people', async (route) => {
    expect(await printed({}, { ...REQUEST, route })).toContain(route);
  });

  it('says nothing to a terminal that a message has in it', async () => {
    expect(await printed({}, {}, 'a\u001b[31mb\nc')).toMatch(/INFO: a \[31mb c\n$/);
  });
});

function recording(): { written: string[]; destination: BatchedStdout } {
  const written: string[] = [];
  return { written, destination: new BatchedStdout({ write: (text) => void written.push(text) }) };
}

describe('the destination of the log', () => {
  it('gets the lines of a turn of the event loop together, at its end, in order', async () => {
    const { written, destination } = recording();
    destination.write('a\n');
    await Promise.resolve();
    destination.write('b\n');
    expect(written).toEqual([]);
    await nextTurn();
    expect(written).toEqual(['a\nb\n']);
    destination.write('c\n');
    await nextTurn();
    expect(written).toEqual(['a\nb\n', 'c\n']);
  });

  it('gets what is left when the process exits', () => {
    const { written, destination } = recording();
    destination.write('last\n');
    process.emit('exit', 0);
    expect(written).toEqual(['last\n']);
  });
});
