import { createLogger, NestLogger, prettyDestination, type LoggerOptions } from './logger.js';
import { setSecretPattern } from './safe-text.js';

const REQUEST = { requestId: 'r-1', method: 'GET', route: '/v1/pets', status: 200, durationMs: 1.5, keyId: '7' };

class Output {
  text = '';

  write(line: string): void {
    this.text += line;
  }
}

function recorded(level: LoggerOptions['level'], write: (logger: NestLogger) => void): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  write(new NestLogger(createLogger({ level, destination })));
  return lines;
}

describe('the log', () => {
  it('takes what Nest says, with its context, and omits lines below its level', () => {
    const started = { msg: 'started', context: 'NestFactory', level: 20 };
    expect(recorded('debug', (logger) => logger.log('started', 'NestFactory'))).toMatchObject([started]);
    expect(recorded('info', (logger) => logger.log('started'))).toEqual([]);
    expect(recorded('silent', (logger) => logger.fatal('broken'))).toEqual([]);
  });

  it('writes of an error its type, message and stack, without secrets and without what else it carries', () => {
    setSecretPattern(/adopt_[a-z_]*/g);
    const error = Object.assign(new RangeError('adopt_dev_x is wrong'), { parameters: ['secret'], query: 'secret' });
    const lines = recorded('info', (logger) => logger.error(error, 'at adopt_dev_x', 'Module'));
    expect(lines).toMatchObject([
      { msg: '*** is wrong', context: 'Module', stack: 'at ***', err: { type: 'RangeError', message: '*** is wrong' } },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/secret|adopt_/);
  });

  describe('for people', () => {
    const printed = async (line: object, message: string): Promise<string> => {
      const output = new Output();
      createLogger({ level: 'info', destination: await prettyDestination(output, false) }).info(line, message);
      return output.text;
    };

    it('is a sentence, followed by what is not in it', async () => {
      expect(await printed(REQUEST, 'request')).toMatch(
        /^\[[\d:.]{12}\] INFO: request GET \/v1\/pets 200 in 1\.5 ms {"requestId":"r-1","keyId":"7"}\n$/,
      );
      expect(await printed({ status: 431 }, 'refused connection')).toContain('refused connection 431 client error');
    });

    it('says nothing to a terminal that a message contains', async () => {
      expect(await printed({}, 'a\u001b[31mb\nc')).toMatch(/INFO: a \[31mb c\n$/);
    });
  });
});
