import { pino, type DestinationStream, type LevelWithSilent, type Logger } from 'pino';
import { maskApiKeys } from './mask.js';

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  /** Standard output when left out. */
  readonly destination?: DestinationStream;
}

/** The service's log: one JSON object a line, written before the call returns. Pass errors as `err`. */
export function createLogger({ level, destination }: LoggerOptions): Logger {
  return pino({ level, serializers: { err: describeError } }, destination);
}

/** An error for the log. Nothing else of it is written: database errors carry the values of the query. */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  return { type: error.constructor.name, message: maskApiKeys(error.message), stack: maskApiKeys(error.stack ?? '') };
}
