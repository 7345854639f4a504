import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Level, type LevelWithSilent, type Logger } from 'pino';
import { guardedOutput } from './guarded-output.js';
import { maskSecrets, printableLine } from './safe-text.js';

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  /** Default: standard output. */
  readonly destination?: DestinationStream | undefined;
}

const IN_SENTENCE = ['msg', 'method', 'route', 'status', 'durationMs'];

/** Creates a log of one JSON object a line. Pass errors as `err`. */
export function createLogger({ level, destination = guardedOutput(process.stdout) }: LoggerOptions): Logger {
  return pino({ level, serializers: { err: describeError } }, destination);
}

/** Returns a destination of lines for people. */
export async function prettyDestination(output: DestinationStream, hasColours: boolean): Promise<DestinationStream> {
  // The command line and the service in production do without it.
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    colorize: hasColours,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: describeLine,
    ignore: ['pid', 'hostname', ...IN_SENTENCE].join(','),
  });
  return { write: (line) => output.write(pretty(line)) };
}

/** Writes nothing else of an error: database errors contain the query's values. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  return { type: error.constructor.name, message: maskSecrets(error.message), stack: maskSecrets(error.stack ?? '') };
}

/** Nothing in the sentence can speak to a terminal or begin a line. */
function describeLine({ msg, method, route, status, durationMs }: Readonly<Record<string, unknown>>): string {
  const words = [msg, method, route].filter((word) => typeof word === 'string').map(printableLine);
  if (typeof status === 'number') words.push(`${status}`);
  if (typeof status === 'number' && status >= 400) words.push(status >= 500 ? 'server error' : 'client error');
  if (typeof durationMs === 'number') words.push(`in ${durationMs} ms`);
  return words.join(' ');
}

/** Writes what Nest logs to the service's log. */
export class NestLogger implements LoggerService {
  /** What Nest says of its own start, module by module, interests only developers. */
  readonly log = this.at('debug');
  readonly warn = this.at('warn');
  readonly error = this.at('error');
  readonly fatal = this.at('fatal');
  readonly debug = this.at('debug');
  readonly verbose = this.at('trace');

  constructor(private readonly logger: Logger) {}

  /** Nest gives the context as the last detail and, with an error, its stack before it. */
  private at(level: Level) {
    return (message: unknown, ...details: unknown[]): void => {
      const context = details.at(-1);
      const stack = details.length > 1 && typeof details[0] === 'string' ? details[0] : undefined;
      this.logger[level](
        {
          ...(typeof context === 'string' && { context }),
          ...(stack !== undefined && { stack: maskSecrets(stack) }),
          ...(message instanceof Error && { err: message }),
        },
        maskSecrets(message instanceof Error ? message.message : String(message)),
      );
    };
  }
}
