import type { DestinationStream } from 'pino';

/** `json`: one JSON object a line; `pretty`: lines for people; `auto`: `pretty` on a terminal, else `json`. */
export type LogFormat = 'auto' | 'json' | 'pretty';

export interface LogDestinationOptions {
  readonly format: LogFormat;
  /** Where the lines go. */
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

/** Where a logger writes to so that its lines have the format; undefined where that is standard output as it is. */
export async function logDestination({ format, output }: LogDestinationOptions): Promise<DestinationStream | undefined> {
  const isTerminal = output.isTTY === true;
  if (format === 'json' || (format === 'auto' && !isTerminal)) return undefined;
  // Loaded where it is used: the command line and the service in production do without.
  const { build } = await import('pino-pretty');
  return build({
    destination: output,
    colorize: isTerminal,
    sync: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: '{msg}{if route} {method} {route}{end}{if status} {status}{end}{if durationMs} in {durationMs} ms{end}',
    ignore: 'pid,hostname,method,route,status,durationMs',
  });
}

/**
 * Hands on the lines of one turn of the event loop together, at its end, or when the process exits before. A write for every
 * request took a tenth of its processor time. What a kill -9 loses are the lines of the turn that it ends.
 */
export class TurnDestination implements DestinationStream {
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
