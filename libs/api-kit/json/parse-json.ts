import { parse } from 'lossless-json';
import { ApplicationError } from '#libs/errors';
import { checkJsonStructure } from './json-structure.js';

const BYTE_ORDER_MARK = '\uFEFF';
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A number of a JSON text, kept as it was written, so that no digit is lost. */
export class JsonNumber {
  /** @param source the number as RFC 8259 section 6 writes it, such as `9223372036854775807`, `1.50` or `-0` */
  constructor(readonly source: string) {}
}

/** What `parseJson` gives. Objects are plain; a member named `__proto__` is an own property like any other. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/**
 * Reads one JSON text (RFC 8259), strictly: bytes must be UTF-8 without a byte order mark, an object names a member once,
 * nesting is bounded, numbers keep their source text.
 * @throws ApplicationError `invalid_request` that says what is wrong and, in characters from 0, where.
 */
export function parseJson(input: Uint8Array | string): JsonValue {
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  if (text.startsWith(BYTE_ORDER_MARK)) throw invalid('it begins with a byte order mark, which JSON does not have');
  checkSyntax(text);
  checkJsonStructure(text);
  return parse(text, undefined, toJsonNumber) as JsonValue;
}

function toJsonNumber(source: string): JsonNumber {
  return new JsonNumber(source);
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalid('the bytes are not UTF-8');
  }
}

function checkSyntax(text: string): void {
  try {
    JSON.parse(text);
  } catch {
    throw invalid(describeMistake(text));
  }
}

/** V8 does not always tell the position of a mistake, and says it differently in each version. */
function describeMistake(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return error.message;
  }
  return 'it does not follow RFC 8259';
}

function invalid(reason: string): ApplicationError {
  return new ApplicationError('invalid_request', `Invalid JSON: ${reason}.`);
}
