import { isUtf8 } from 'node:buffer';
import { LosslessNumber, parse, stringify } from 'lossless-json';
import { ApplicationError } from '#libs/observability';

export const MAXIMUM_JSON_DEPTH = 64;

/** A parsed value. Objects are plain; a member named `__proto__` is an own property like any other. */
export type JsonValue = null | boolean | string | LosslessNumber | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/**
 * Parses one JSON text (RFC 8259): bytes must be UTF-8, a member is not given twice with two values, nesting is bounded, numbers keep their
 * source text as `value`.
 * @throws ApplicationError `invalid_request` that says what is wrong and where: in characters from 0, and in which line from 1.
 */
export function parseJson(input: Buffer | string): JsonValue {
  if (typeof input !== 'string' && !isUtf8(input)) throw invalid('the bytes are not UTF-8');
  const text = input.toString();
  try {
    const value = parse(text) as JsonValue;
    assertDepth(value, MAXIMUM_JSON_DEPTH);
    return value;
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) throw invalid(`nested deeper than ${MAXIMUM_JSON_DEPTH} levels`);
    if (error instanceof SyntaxError) throw invalid(withLine(error.message, text));
    throw error;
  }
}

/**
 * Writes a value as JSON, like `JSON.stringify`, with a bigint as bare digits and a `LosslessNumber` as it was read.
 * @throws TypeError for undefined, a function or a symbol.
 */
export function stringifyJson(value: unknown): string {
  const text = stringify(value);
  if (text === undefined) throw new TypeError(`A value of type ${typeof value} cannot be written as JSON`);
  return text;
}

/** @throws RangeError if arrays and objects are nested in more levels */
function assertDepth(value: JsonValue, levels: number): void {
  if (typeof value !== 'object' || value === null || value instanceof LosslessNumber) return;
  if (levels === 0) throw new RangeError();
  for (const part of Object.values(value)) assertDepth(part, levels - 1);
}

/** Adds the line to the message of the parser, which ends with the position. */
function withLine(message: string, text: string): string {
  return message.replace(/position (\d+)$/, (place, end: string) => {
    const lines = text.slice(0, Number(end)).split(/\r\n|[\n\r]/);
    return `${place} (line ${lines.length})`;
  });
}

function invalid(reason: string): ApplicationError {
  return new ApplicationError('invalid_request', `Invalid JSON: ${reason}.`);
}
