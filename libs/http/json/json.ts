import { parse } from 'lossless-json';
import { ApplicationError } from '#libs/observability';

export const MAXIMUM_JSON_DEPTH = 64;

const BYTE_ORDER_MARK = '\uFEFF';
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
 * Parses one JSON text (RFC 8259) strictly: bytes must be UTF-8 without a byte order mark, an object names a member once, nesting is
 * bounded, numbers keep their source text.
 * @throws ApplicationError `invalid_request` that says what is wrong and where: in characters from 0, and in which line and column from 1.
 */
export function parseJson(input: Uint8Array | string): JsonValue {
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  if (text.startsWith(BYTE_ORDER_MARK)) throw invalid('it begins with a byte order mark, which JSON does not have');
  assertSyntax(text);
  assertStructure(text);
  return parse(text, undefined, toJsonNumber) as JsonValue;
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

function assertSyntax(text: string): void {
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
    if (error instanceof SyntaxError) {
      return error.message.replace(/at position (\d+)/, (_, position: string) => at(text, Number(position)));
    }
  }
  return 'it does not follow RFC 8259';
}

/** Refuses repeated members, which `lossless-json` accepts if they are equal, and deep nesting. The syntax must be right. */
function assertStructure(text: string): void {
  /** The names so far of each open object; undefined for an array. */
  const open: (Set<string> | undefined)[] = [];
  let isName = false;
  const structure = /["{}[\],]/g;
  for (let found = structure.exec(text); found; found = structure.exec(text)) {
    const { 0: token, index } = found;
    if (token === '"') {
      const end = endOfString(text, index);
      if (isName) addName(open.at(-1), text.slice(index, end), () => at(text, index));
      structure.lastIndex = end;
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (token !== ',' && open.push(token === '{' ? new Set() : undefined) > MAXIMUM_JSON_DEPTH) {
      throw invalid(`nested deeper than ${MAXIMUM_JSON_DEPTH} levels ${at(text, index)}`);
    }
    isName = (token === '{' || token === ',') && open.at(-1) !== undefined;
  }
}

/** Returns the position after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let position = start + 1;
  while (text[position] !== '"') position += text[position] === '\\' ? 2 : 1;
  return position + 1;
}

function addName(names: Set<string> | undefined, quoted: string, place: () => string): void {
  const name = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  if (names?.has(name)) throw invalid(`the member ${JSON.stringify(name)} is given twice, again ${place()}`);
  names?.add(name);
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
