import type { Answer } from '../../../libs/http/testing/raw-connection.js';

/** The values of an animal as they stand in JSON, `categoryId` as its digits. */
export interface AnimalValues {
  readonly name: string;
  readonly categoryId: string;
  readonly status?: string | undefined;
}

/**
 * How the connection stands after a request: `whole`, another one can follow; `unfinished`, the service still waits for
 * more; `unknown`, that depends on how the service reads it.
 */
export type Framing = 'whole' | 'unfinished' | 'unknown';

/** One request as bytes, and what must be true of its answer beside what is true of all answers. */
export interface HostileRequest {
  /** What is hostile about it, for the figures. */
  readonly kind: string;
  readonly method: string;
  readonly bytes: Buffer;
  readonly framing: Framing;
  /** Whether it is sent on the connection of the request before it, without waiting for the answer to that one. */
  readonly joins: boolean;
  /** Where to cut the bytes, as fractions of their length, to send them in pieces. */
  readonly cuts: readonly number[];
  /** Whether the path is certainly one below `/v1` or `/graphql`, whose answers carry the rate-limit headers. */
  readonly isProtected: boolean;
  /** Throws when the answer is not the one that the request calls for. */
  readonly judge: (answer: Answer) => void;
  /** The names of the parameters and arguments that it has hostile values for. */
  readonly draws: readonly string[];
}

/** What a kind of request says of itself; the rest is drawn or has a default. */
export interface RequestParts {
  readonly kind: string;
  readonly method?: string;
  readonly target?: string;
  /** Lines without their ends; in place of those that a well-behaved client sends. */
  readonly headers?: readonly string[];
  readonly body?: Buffer | string;
  readonly framing?: Framing;
  readonly isProtected?: boolean;
  readonly judge?: (answer: Answer) => void;
  readonly draws?: readonly string[];
}

export const BODY_LIMIT = 65_536;
// Well below the limits of a target and of a head.
const SAFE_TARGET = 8_000;
const SAFE_LINE = /^[\x20-\x7e]{0,2000}$/;

export const JSON_TYPE = 'Content-Type: application/json';

/** The lines every request needs, with the key of a caller. */
export function authorized(key: string): readonly string[] {
  return ['Host: shop', `Authorization: Bearer ${key}`];
}

/** How the connection stands after a request whose target, headers and body are well-formed unless `isOdd`: a limit may end it. */
export function framingOf(
  { target = '', headers = [], body = '' }: RequestParts,
  isOdd: boolean,
): Pick<RequestParts, 'framing' | 'isProtected'> {
  const isPlain = !isOdd && target.length <= SAFE_TARGET && headers.every((line) => SAFE_LINE.test(line));
  return isPlain && Buffer.byteLength(body) <= BODY_LIMIT ? {} : { framing: 'unknown', isProtected: false };
}

/** The bytes of a request. Text outside of bodies is taken as Latin-1, so that any byte can be sent. */
export function requestBytes({ method = 'GET', target = '/v1/pets', headers = [], body = '' }: RequestParts): Buffer {
  const head = [`${method} ${target} HTTP/1.1`, ...headers].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), typeof body === 'string' ? Buffer.from(body) : body]);
}

/** The line that tells the length of a body. */
export function measureLength(body: Buffer | string): string {
  return `Content-Length: ${Buffer.byteLength(body)}`;
}
