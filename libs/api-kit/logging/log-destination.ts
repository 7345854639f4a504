import type { DestinationStream } from 'pino';
import { logForPeople, type PeoplesOutput } from './log-for-people.js';

/** `json`: one JSON object a line; `pretty`: lines for people; `auto`: `pretty` on a terminal, else `json`. */
export type LogFormat = 'auto' | 'json' | 'pretty';

export interface LogDestinationOptions extends PeoplesOutput {
  readonly format: LogFormat;
}

/** Whether lines of the format are for people to read, and not JSON. */
export function isHumanReadable({ format, output }: Pick<LogDestinationOptions, 'format' | 'output'>): boolean {
  return format === 'pretty' || (format === 'auto' && output.isTTY === true);
}

/** Where a logger writes to so that its lines have the format; undefined where that is standard output as it is. */
export async function logDestination({ format, ...rest }: LogDestinationOptions): Promise<DestinationStream | undefined> {
  return isHumanReadable({ format, output: rest.output }) ? logForPeople(rest) : undefined;
}

/**
 * Hands on the lines of one turn of the event loop together, at its end, or when the process exits before. A write for every
 * request took a tenth of its processor time. What a kill -9 loses are the lines of the turn that it ends.
 */
export class BatchedStdout implements DestinationStream {
  private lines = '';

  constructor(private readonly destination: DestinationStream) {}

  write(line: string): void {
    if (this.lines === '') this.scheduleFlush();
    this.lines += line;
  }

  /** The process is listened to while lines wait, and no longer: a log has no end of its own at which to leave it alone. */
  private scheduleFlush(): void {
    setImmediate(this.flush);
    process.once('exit', this.flush);
  }

  private readonly flush = (): void => {
    const { lines } = this;
    if (lines === '') return;
    process.removeListener('exit', this.flush);
    this.lines = '';
    this.destination.write(lines);
  };
}
