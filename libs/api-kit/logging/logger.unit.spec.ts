import { Writable } from 'node:stream';
import { createLogger, type LoggerOptions } from './logger.js';
import { NestLogger } from './nest-logger.js';

function recorded(level: LoggerOptions['level'], write: (logger: NestLogger) => void): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      done();
    },
  });
  write(new NestLogger(createLogger({ level, destination })));
  return lines;
}

describe('the log', () => {
  it('takes what Nest says, with its context', () => {
    expect(recorded('debug', (logger) => logger.log('started', 'NestFactory'))).toMatchObject([
      { msg: 'started', context: 'NestFactory', level: 20 },
    ]);
  });

  it('leaves out what is below its level', () => {
    expect(recorded('info', (logger) => logger.log('started'))).toEqual([]);
    expect(recorded('silent', (logger) => logger.fatal('broken'))).toEqual([]);
  });

  it('writes of an error its type, message and stack, without keys and without what else it carries', () => {
    const error = Object.assign(new RangeError('adopt_dev_x is wrong'), { parameters: ['secret'], query: 'secret' });
    const lines = recorded('info', (logger) => logger.error(error, 'at adopt_dev_x', 'Module'));
    expect(lines).toMatchObject([
      { msg: '*** is wrong', context: 'Module', stack: 'at ***', err: { type: 'RangeError', message: '*** is wrong' } },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/secret|adopt_/);
  });
});
