import { parse } from 'lossless-json';
import { ApplicationError } from '#libs/observability';

export const MAXIMUM_JSON_DEPTH = 64;

// eslint-disable-next-line no-control-regex -- control characters are among those JSON has to escape
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A number of a JSON text, kept as it was written, so that no digit is lost. */
export class JsonNumber {
  /** @param source the number as RFC 8259 section 6 writes it, such as `9223372036854775807`, `1.50` or `-0` */
  constructor(readonly source: string) {}
}

/** A parsed value. Objects are plain; a member named `__proto__` is an own property like any other. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | { readonly [name: string]: JsonValue };

/**
 * Parses one JSON text (RFC 8259): bytes must be UTF-8, a member is not given twice with two values, nesting is bounded, numbers keep their
 * source text.
 * @throws ApplicationError `invalid_request` that says what is wrong and where: in characters from 0, and in which line and column from 1.
 */
export function parseJson(input: Uint8Array | string): JsonValue {
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  const onDuplicateKey = ({ key, position }: { readonly key: string; readonly position: number }) => {
    throw invalid(`the member ${JSON.stringify(key)} is given twice, again ${at(text, position - 1)}`);
  };
  try {
    const value = parse(text, null, { parseNumber: (source) => new JsonNumber(source), onDuplicateKey }) as JsonValue;
    assertDepth(value);
    return value;
  } catch (error) {
    // The parser calls itself for each level.
    if (error instanceof RangeError) throw tooDeep();
    if (!(error instanceof SyntaxError)) throw error;
    throw invalid(error.message.replace(/at position (\d+)/, (_, position: string) => at(text, Number(position))));
  }
}

/**
 * Writes a value as JSON, like `JSON.stringify`, with a bigint as bare digits and a `JsonNumber` as it was read.
 * @throws TypeError for undefined, a function or a symbol.
 */
export function stringifyJson(value: unknown): string {
  const text = stringify(value);
  if (text === undefined) throw new TypeError(`A value of type ${typeof value} cannot be written as JSON`);
  return text;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw invalid('the bytes are not UTF-8');
  }
}

function assertDepth(value: JsonValue): void {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAXIMUM_JSON_DEPTH) throw tooDeep();
    level = level.flatMap((each): JsonValue[] => Object.values(each)).filter(isContainer);
  }
}

function isContainer(value: JsonValue): value is Exclude<JsonValue, null | boolean | string | JsonNumber> {
  return typeof value === 'object' && value !== null && !(value instanceof JsonNumber);
}

function tooDeep(): ApplicationError {
  return invalid(`nested deeper than ${MAXIMUM_JSON_DEPTH} levels`);
}

function at(text: string, position: number): string {
  const lines = text.slice(0, position).split(/\r\n|[\n\r]/);
  return `at position ${position} (line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1})`;
}

function invalid(reason: string): ApplicationError {
  return new ApplicationError('invalid_request', `Invalid JSON: ${reason}.`);
}

function stringify(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'bigint':
      return value.toString();
    case 'object':
      return value === null ? 'null' : stringifyObject(value);
    default:
      return JSON.stringify(value);
  }
}

function stringifyObject(value: object): string | undefined {
  if (value instanceof JsonNumber) return value.source;
  if (Array.isArray(value)) return `[${value.map((item) => stringify(item) ?? 'null').join(',')}]`;
  if (hasOwnForm(value)) return stringify(value.toJSON());
  let members = '';
  for (const [name, member] of Object.entries(value)) {
    const text = stringify(member);
    if (text !== undefined) members += `${members === '' ? '' : ','}${quote(name)}:${text}`;
  }
  return `{${members}}`;
}

function hasOwnForm(value: object): value is { toJSON: () => unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

function quote(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}
