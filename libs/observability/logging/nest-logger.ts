import type { LoggerService } from '@nestjs/common';
import type { Level, Logger } from 'pino';
import { maskSecrets } from './mask.js';

type Write = (message: unknown, ...details: unknown[]) => void;

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
  private at(level: Level): Write {
    return (message, ...details) => {
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
