import { Writable } from 'node:stream';
import { logDestination, type LogFormat } from './log-destination.js';
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
