import { hostname } from 'node:os';
import { pino, type DestinationStream, type LevelWithSilent, type Logger } from 'pino';
import { BatchedStdout } from './log-destination.js';
import { maskApiKeys } from './mask.js';

export interface LoggerOptions {
  readonly level: LevelWithSilent;
  /** Standard output when left out, to which the lines of a turn of the event loop go together. */
  readonly destination?: DestinationStream | undefined;
}

/** On every line: the process that writes it. */
export const PROCESS = { pid: process.pid, hostname: hostname() };

/** A logger that tells where its lines go, for those that are formed elsewhere. */
export type ServiceLogger = Logger & { readonly destination: DestinationStream };

/** The service's log: one JSON object a line. Pass errors as `err`. */
export function createLogger({ level, destination = standardOutput() }: LoggerOptions): ServiceLogger {
  return Object.assign(pino({ level, base: PROCESS, serializers: { err: describeError } }, destination), { destination });
}

function standardOutput(): DestinationStream {
  return new BatchedStdout(pino.destination({ dest: 1, sync: true }));
}

/** An error for the log. Nothing else of it is written: database errors carry the values of the query. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  return { type: error.constructor.name, message: maskApiKeys(error.message), stack: maskApiKeys(error.stack ?? '') };
}
