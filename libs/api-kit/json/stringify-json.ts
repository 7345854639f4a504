import { JsonNumber } from './parse-json.js';

// eslint-disable-next-line no-control-regex -- control characters are among those JSON has to escape
const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * Writes a value as JSON, like `JSON.stringify`, with a bigint as bare digits and a `JsonNumber` as it was read.
 * @throws TypeError for what JSON cannot express at all: undefined, a function or a symbol.
 */
export function stringifyJson(value: unknown): string {
  const text = stringify(value);
  if (text === undefined) throw new TypeError(`A value of type ${typeof value} cannot be written as JSON`);
  return text;
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
