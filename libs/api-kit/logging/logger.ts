import { pino, type DestinationStream, type LevelWithSilent, type Logger } from 'pino';
import { TurnDestination } from './log-destination.js';
import { maskApiKeys } from './mask.js';

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  /** Standard output when left out, to which the lines of a turn of the event loop go together. */
  readonly destination?: DestinationStream | undefined;
}

/** The service's log: one JSON object a line. Pass errors as `err`. */
export function createLogger({ level, destination = standardOutput() }: LoggerOptions): Logger {
  return pino({ level, serializers: { err: describeError } }, destination);
}

function standardOutput(): DestinationStream {
  return new TurnDestination(pino.destination({ dest: 1, sync: true }));
}

/** An error for the log. Nothing else of it is written: database errors carry the values of the query. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  return { type: error.constructor.name, message: maskApiKeys(error.message), stack: maskApiKeys(error.stack ?? '') };
}
