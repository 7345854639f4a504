import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Where the service runs. A key of one deployment is refused by the others. */
export type Deployment = 'development' | 'staging' | 'production';

/** Injection token of this service's `Deployment`. */
export const DEPLOYMENT = Symbol('DEPLOYMENT');

/** Random bytes in a token. */
export const TOKEN_RANDOM_BYTES = 32;

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const KEY_START_LENGTH = 4;

const MARKS = { development: 'dev', staging: 'stg', production: 'live' } as const satisfies Record<Deployment, string>;
const DEPLOYMENTS: Readonly<Record<string, Deployment>> = { dev: 'development', stg: 'staging', live: 'production' };

const SHAPE = new RegExp(`^adopt_(dev|stg|live)_[0-9A-Za-z]{${SECRET_LENGTH}}_[0-9A-Za-z]{${CHECKSUM_LENGTH}}$`);

/**
 * The text a client sends as its API key: `adopt_<dev|stg|live>_<43 base62 characters>_<6 base62 characters>`,
 * the last part being the CRC32 of all before it. Always of the same length within a deployment.
 * @throws RangeError unless there are exactly 32 random bytes.
 */
export function createToken(deployment: Deployment, randomBytes: Uint8Array): string {
  if (randomBytes.length !== TOKEN_RANDOM_BYTES) throw new RangeError(`A token takes ${TOKEN_RANDOM_BYTES} random bytes.`);
  const secret = toBase62(BigInt(`0x${Buffer.from(randomBytes).toString('hex')}`), SECRET_LENGTH);
  const body = `adopt_${MARKS[deployment]}_${secret}`;
  return `${body}_${toBase62(BigInt(crc32(body)), CHECKSUM_LENGTH)}`;
}

/** Reads the deployment a token was made for. Undefined if its shape or checksum is wrong, so it is refused without a look-up. */
export function parseToken(token: string): { readonly deployment: Deployment } | undefined {
  const deployment = DEPLOYMENTS[SHAPE.exec(token)?.[1] ?? ''];
  if (deployment === undefined) return undefined;
  const bodyLength = token.length - CHECKSUM_LENGTH - 1;
  return fromBase62(token.slice(bodyLength + 1)) === crc32(token.slice(0, bodyLength)) ? { deployment } : undefined;
}

/** Returns the first four characters of a token after its prefix, to tell keys apart by: 24 of its 256 random bits. */
export function readKeyStart(token: string): string {
  return token.split('_')[2]?.slice(0, KEY_START_LENGTH) ?? '';
}

/** SHA-256 of a token in hex. With its first characters, all that is ever stored of it. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

function toBase62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= 62n) digits = BASE62.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(length, '0');
}

function fromBase62(digits: string): number {
  let value = 0;
  for (const digit of digits) value = value * 62 + BASE62.indexOf(digit);
  return value;
}
