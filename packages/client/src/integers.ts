import { INT64_MEMBERS } from './document.js';

/** What ids and other int64 are: a `bigint`, or a string of decimal digits. */
export type IdForm = 'bigint' | 'string';
export type IdOf<Form extends IdForm> = Form extends 'bigint' ? bigint : string;

/** Makes an id of decimal digits. */
export type ReadId<Id> = (digits: string) => Id;

const LEAST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;
const DECIMAL = /^-?\d+$/;
/** A text with the colon behind it if it is a name, or a number. A text without an end is taken too, so that nothing is tried twice. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"?(\s*:)?|-?\d[\d.eE+-]*/g;
const TEXT_MARK = 't';
const INTEGER_MARK = 'i';

/** How ids of this form are made. Default: a bigint. @throws TypeError for another form */
export function readIdOf<Form extends IdForm>(form: Form | undefined): ReadId<IdOf<Form>> {
  const forms: Readonly<Record<IdForm, ReadId<bigint | string>>> = { bigint: BigInt, string: (digits) => digits };
  if (!Object.hasOwn(forms, form ?? 'bigint')) throw new TypeError("ids must be 'bigint' or 'string'.");
  // Which of both it is follows from the form.
  return forms[form ?? 'bigint'] as ReadId<IdOf<Form>>;
}

/**
 * The digits of an int64 as JSON and addresses have them.
 * @throws TypeError for what is no bigint or string of digits within its bounds; a number above 2^53 would have lost its last digits already
 */
export function int64Text(value: unknown): string {
  const isDecimal = typeof value === 'bigint' || (typeof value === 'string' && DECIMAL.test(value));
  const integer = isDecimal ? BigInt(value) : undefined;
  if (integer === undefined || integer < LEAST || integer > GREATEST) {
    const given = typeof value === 'number' || typeof value === 'string' ? `the ${typeof value} ${value}` : typeof value;
    throw new TypeError(`An int64 must be a bigint, such as 7n, or a string of its digits, not ${given}.`);
  }
  return integer.toString();
}

/** The path of one of several by its id. @throws TypeError unless it is an int64 */
export function buildPath(collection: string, id: unknown): string {
  return `${collection}/${int64Text(id)}`;
}

/**
 * A value as JSON, each `bigint` as bare digits. Omits members that are undefined.
 * @param int64Members names of members that are int64 even if they are strings
 * @throws TypeError as `int64Text`
 */
export function writeJson(value: unknown, int64Members: ReadonlySet<string> = INT64_MEMBERS): string {
  if (typeof value === 'bigint') return int64Text(value);
  if (Array.isArray(value)) return `[${value.map((item) => writeJson(item ?? null, int64Members)).join()}]`;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const text = ([name, member]: [string, unknown]): string =>
    `${JSON.stringify(name)}:${int64Members.has(name) ? int64Text(member) : writeJson(member, int64Members)}`;
  return `{${members.map(text).join()}}`;
}

/**
 * What a JSON text says, with int64 as ids: the members that the document says are, and whatever else a double would not hold.
 * JSON.parse gives numbers as doubles and cannot show their digits in every runtime: they are marked before it, and so is each text.
 * @throws SyntaxError unless it is JSON
 */
export function readJson<Id>(text: string, readId: ReadId<Id>): unknown {
  let name = '';
  const marked = text.replace(TOKEN, (token, colon?: string) => {
    if (colon !== undefined) name = token.slice(1, token.lastIndexOf('"'));
    if (token.startsWith('"')) return colon === undefined ? `"${TEXT_MARK}${token.slice(1)}` : token;
    const isId = DECIMAL.test(token) && (INT64_MEMBERS.has(name) || !Number.isSafeInteger(Number(token)));
    return isId ? `"${INTEGER_MARK}${token}"` : token;
  });
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    return value.startsWith(INTEGER_MARK) ? readId(value.slice(1)) : value.slice(1);
  });
}
