import { crc32 } from 'node:zlib';
import { ApplicationError } from '#libs/errors';

/** The parameters, other than the page's own, that a list was asked with; a cursor is good for these alone. */
export type CursorFilter = Readonly<Record<string, string | undefined>>;

const ID_BYTES = 8;
/** What every cursor looks like. */
export const CURSOR_PATTERN = '^[A-Za-z0-9_-]{16}$';
const CURSOR = new RegExp(CURSOR_PATTERN);

/**
 * An opaque cursor for what follows `lastId`. A checksum binds it to the filter; it guards against mistakes, not forgery.
 * Its twelve bytes are sixteen characters without spare bits, so no two texts are the same cursor.
 */
export function encodeCursor(lastId: bigint, filter: CursorFilter): string {
  const bytes = Buffer.alloc(ID_BYTES + 4);
  bytes.writeBigInt64BE(lastId);
  bytes.writeUInt32BE(checksum(bytes.subarray(0, ID_BYTES), filter), ID_BYTES);
  return bytes.toString('base64url');
}

/**
 * The id that a cursor of `encodeCursor` continues after.
 * @throws ApplicationError `invalid_parameter` for a cursor that was changed or belongs to another filter.
 */
export function decodeCursor(text: string, filter: CursorFilter): bigint {
  if (CURSOR.test(text)) {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.readUInt32BE(ID_BYTES) === checksum(bytes.subarray(0, ID_BYTES), filter)) return bytes.readBigInt64BE();
  }
  throw new ApplicationError(
    'invalid_parameter',
    'cursor is not valid for this list; take it unchanged from the Link header of the page before, with the same filter.',
  );
}

function checksum(id: Uint8Array, filter: CursorFilter): number {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return crc32(JSON.stringify(given.sort(byName)), crc32(id));
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}
