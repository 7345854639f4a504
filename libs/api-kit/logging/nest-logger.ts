import type { LoggerService } from '@nestjs/common';
import type { Level, Logger } from 'pino';
import { maskApiKeys } from './mask.js';

/** Sends what Nest logs to the service's log. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  /** What Nest tells of its own start, module by module, is of interest to developers alone. */
  log(message: unknown, ...details: unknown[]): void {
    this.write('debug', message, details);
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.write('warn', message, details);
  }

  error(message: unknown, ...details: unknown[]): void {
    this.write('error', message, details);
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.write('fatal', message, details);
  }

  debug(message: unknown, ...details: unknown[]): void {
    this.write('debug', message, details);
  }

  verbose(message: unknown, ...details: unknown[]): void {
    this.write('trace', message, details);
  }

  /** Nest gives the context as the last detail and, with an error, its stack before it. */
  private write(level: Level, message: unknown, details: readonly unknown[]): void {
    const context = details.at(-1);
    const stack = details.length > 1 && typeof details[0] === 'string' ? details[0] : undefined;
    this.logger[level](
      {
        ...(typeof context === 'string' && { context }),
        ...(stack !== undefined && { stack: maskApiKeys(stack) }),
        ...(message instanceof Error && { err: message }),
      },
      maskApiKeys(message instanceof Error ? message.message : String(message)),
    );
  }
}
