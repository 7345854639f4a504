import type { DestinationStream } from 'pino';
import { hasColours, printableLine } from '#libs/cli-kit';

/** Where lines for people go, and what decides on their colours. */
export interface PeoplesOutput {
  readonly output: NodeJS.WritableStream & { readonly isTTY?: boolean };
  /** Environment variables such as `NO_COLOR`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

type Line = Readonly<Record<string, unknown>>;
type Colours = Readonly<Record<'red' | 'yellow', (text: string) => string>>;

const SHOWN_IN_WORDS = ['msg', 'method', 'route', 'status', 'durationMs'];
const PART_OF_A_PAGE = /\.(?:css|ico|m?js|png|svg|woff2?)$/;

/**
 * Writes lines that people read: requests that were refused or failed are marked by a word and a colour, and those for the styles, scripts
 * and images of a page are left out where they were answered well. A line is written when this returns, so that the last one is not lost.
 */
export async function logForPeople({ output, environment }: PeoplesOutput): Promise<DestinationStream> {
  // Loaded where it is used: the command line and the service in production do without.
  const { prettyFactory } = await import('pino-pretty');
  const pretty = prettyFactory({
    colorize: output.isTTY === true && hasColours(environment),
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    messageFormat: (line, _messageKey, _levelLabel, { colors }) => sentenceOf(line, colors),
    ignore: ['pid', 'hostname', ...SHOWN_IN_WORDS].join(','),
  });
  return {
    write(text: string): void {
      const line = JSON.parse(text) as Line;
      if (!isServedPart(line)) output.write(pretty(line));
    },
  };
}

function sentenceOf({ msg, method, route, status, durationMs }: Line, colours: Colours): string {
  const words = [msg, method, route].filter((word) => typeof word === 'string').map(printableLine);
  if (typeof status === 'number') words.push(marked(status, colours));
  if (typeof durationMs === 'number') words.push(`in ${durationMs} ms`);
  return words.join(' ');
}

function marked(status: number, { red, yellow }: Colours): string {
  if (status >= 500) return red(`${status} server error`);
  return status >= 400 ? yellow(`${status} client error`) : `${status}`;
}

function isServedPart({ route, status }: Line): boolean {
  return typeof route === 'string' && PART_OF_A_PAGE.test(route) && typeof status === 'number' && status < 400;
}
