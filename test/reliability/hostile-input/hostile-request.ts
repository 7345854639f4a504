import type fc from 'fast-check';

/** One request as bytes, and what must be true of its answer beside what is true of all answers. */
export interface HostileRequest {
  /** What is hostile about it, for a failure. */
  readonly name: string;
  readonly method: string;
  /** Where the document of the service may be asked; undefined where the request line or the head is no right one. */
  readonly target?: string;
  readonly bytes: Buffer;
  /** Whether another request can follow it for sure: its framing is right, and no limit can have closed the connection. */
  readonly isWhole: boolean;
  /** The statuses that are right; any below 500 unless given. */
  readonly statuses?: readonly number[];
  /** Whether it holds what nothing may be done with. */
  readonly isToBeRefused?: boolean;
  /** The body that it adds something with. */
  readonly sent?: string;
}

/** Requests that are hostile in one place and in one way. */
export type Attack = fc.Arbitrary<HostileRequest>;

/** What a request is made of; headers are lines without their ends, in place of those that a well-behaved client sends. */
export interface RequestParts {
  readonly name: string;
  readonly method?: string;
  readonly target?: string;
  readonly headers?: readonly string[];
  readonly body?: Buffer;
}

export const BODY_LIMIT = 65_536;
export const JSON_TYPE = 'Content-Type: application/json';
// Well below the limits of a target and of a head.
const SAFE_TARGET = /^\/[\x21-\x7e]{0,8000}$/;
const SAFE_LINE = /^[\x20-\x7e]{0,2000}$/;

/** The lines every request needs, with the key of a caller. */
export function authorized(key: string): readonly string[] {
  return ['Host: shop', `Authorization: Bearer ${key}`];
}

/** The line that tells the length of a body. */
export function lengthOf(body: Buffer): string {
  return `Content-Length: ${body.length}`;
}

/** The request whose target, headers and body these are. Text outside of bodies is taken as Latin-1, so that any byte can be sent. */
export function requestOf({ name, method = 'GET', target = '/v1/pets', headers = [], body = Buffer.of() }: RequestParts): HostileRequest {
  const head = [`${method} ${target} HTTP/1.1`, ...headers].join('\r\n');
  const isPlain = SAFE_TARGET.test(target) && headers.every((line) => SAFE_LINE.test(line)) && body.length <= BODY_LIMIT;
  const bytes = Buffer.concat([Buffer.from(`${head}\r\n\r\n`, 'latin1'), body]);
  return { name, method, bytes, isWhole: isPlain, ...(isPlain && { target }) };
}
