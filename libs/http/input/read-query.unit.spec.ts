import 'reflect-metadata';
import { IfGiven, IsInt64, IsText } from '../validation/rules.js';
import { IsBoolean, IsIn } from 'class-validator';
import { encodeCursor, pageOf, PageRequest } from '../pagination/pages.js';
import { readQuery, readTexts } from './read-request.js';

class ListRequest extends PageRequest {
  @IfGiven()
  @IsIn(['pending', 'sold'], { message: 'status must be one of pending, sold' })
  readonly status?: string;

  @IfGiven()
  @IsInt64()
  readonly category?: bigint;

  @IfGiven()
  @IsBoolean()
  readonly open?: boolean;

  @IfGiven()
  @IsText(5)
  readonly name?: string;
}

/** A query as Fastify gives it: an object without a prototype. */
function query(entries: Readonly<Record<string, unknown>>): object {
  return Object.assign(Object.create(null) as object, entries);
}

function refusal(message: RegExp): Error {
  return expect.objectContaining({ code: 'invalid_parameter', message: expect.stringMatching(message) }) as Error;
}

describe('a query', () => {
  const read = (entries: Readonly<Record<string, unknown>>) => pageOf(readQuery(query(entries), ListRequest));

  it('gives the values that its class describes, and what holds without them', () => {
    expect(read({})).toEqual({ limit: 20 });
    const cursor = encodeCursor(41n, { status: 'sold' });
    expect(read({ cursor, status: 'sold', limit: '3' })).toEqual({ limit: 3, status: 'sold', after: 41n });
    const all = { limit: 1, status: 'sold', category: 9223372036854775807n, open: false, name: 'Rex' };
    expect(read({ ...all, limit: '1', category: '9223372036854775807', open: 'false' })).toEqual(all);
  });

  it.each([' 1', '1 ', '+1', '\u0661', '9'.repeat(400)])('refuses the limit %j', (limit) => {
    expect(() => read({ limit })).toThrow(refusal(/^limit must be an integer from 1 to 100/));
  });

  it.each(['limits', 'Limit', '', 'constructor', '__proto__', 'toString'])('refuses the unknown parameter %j by name', (name) => {
    const given = query({});
    Object.defineProperty(given, name, { value: '1', enumerable: true });
    expect(() => readQuery(given, ListRequest)).toThrow(refusal(new RegExp(`^"${name}" is not`)));
    expect(() => readTexts(given, [])).toThrow(refusal(new RegExp(`^"${name}" is not .* takes none`)));
  });

  it('refuses a repeated parameter by name, and does not echo an endless one', () => {
    expect(() => read({ limit: ['5', '5'] })).toThrow(refusal(/limit is repeated/));
    expect(() => readTexts(query({ ['x'.repeat(5_000)]: '' }), [])).toThrow(refusal(/^.{1,150}$/));
  });

  it('has all its mistakes named at once', () => {
    const wrong = { limit: '0', status: 'lost', category: '1.5', open: 'yes', name: '\u0000', offset: '3', cursor: 'x' };
    const errors = ['limit must', 'status must', 'category must', 'open must', 'name must be without', '"offset" is not', 'cursor is not'];
    expect(() => read(wrong)).toThrow(refusal(new RegExp(errors.map((error) => `(?=.*${error})`).join(''))));
  });
});
