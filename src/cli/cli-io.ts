import type { ResultStream } from './result-printer.js';

/** What a command line reads from and writes to. */
export interface CliIo {
  /** The environment variables, read when a command first needs its configuration. */
  readonly loadEnvironment: () => Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: ResultStream;
  readonly stderr: NodeJS.WritableStream;
}
