import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { logDestination, TurnDestination, type LogFormat } from './log-destination.js';
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

/** What is printed for a request; undefined where the lines go to standard output as they are. */
async function printed(format: LogFormat, isTTY: boolean): Promise<string | undefined> {
  const output = new Output(isTTY);
  const destination = await logDestination({ format, output });
  if (!destination) return undefined;
  createLogger({ level: 'info', destination }).info(
    { requestId: 'r-1', method: 'GET', route: '/v1/pets', status: 200, durationMs: 1.5, keyId: '7' },
    'request',
  );
  return output.text;
}

describe('the format of the log', () => {
  it('is JSON where it is not read by people', async () => {
    expect(await printed('json', true)).toBeUndefined();
    expect(await printed('auto', false)).toBeUndefined();
  });

  it('is a line for people on a terminal, or where that is asked for', async () => {
    expect(await printed('pretty', false)).toMatch(
      /^\[[\d:.]{12}\] INFO: request GET \/v1\/pets 200 in 1\.5 ms {"requestId":"r-1","keyId":"7"}\n$/,
    );
    const onTerminal = await printed('auto', true);
    expect(onTerminal).toContain('GET /v1/pets 200 in 1.5 ms');
    expect(onTerminal).toContain('\u001b[');
  });
});

function recording(): { written: string[]; destination: TurnDestination } {
  const written: string[] = [];
  return { written, destination: new TurnDestination({ write: (text) => void written.push(text) }) };
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
