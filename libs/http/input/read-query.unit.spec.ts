import 'reflect-metadata';
import { ApiDescription, IfGiven, IsInt64, IsText } from '../validation/rules.js';
import { IsBoolean, IsIn } from 'class-validator';
import { encodeCursor, pageOf, PageRequest } from '../pagination/pages.js';
import { readQuery, readTexts } from './read-request.js';

class ListRequest extends PageRequest {
  @IfGiven()
  @IsIn(['pending', 'sold'], { message: 'status must be one of pending, sold' })
  @ApiDescription('Only of this status.')
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

class ReasonRequest {
  @IsText(5)
  readonly reason?: string;
}

/** A query as Fastify gives it: an object without a prototype. */
function query(entries: Readonly<Record<string, unknown>>): object {
  return Object.assign(Object.create(null) as object, entries);
}

const read = (entries: Readonly<Record<string, unknown>>) => pageOf(readQuery(query(entries), ListRequest));

function refusal(message: RegExp): Error {
  return expect.objectContaining({ code: 'invalid_parameter', message: expect.stringMatching(message) }) as Error;
}

describe('a query', () => {
  it('gives the values that its class describes, and what holds without them', () => {
    expect(read({})).toEqual({ limit: 20 });
    expect(read({ limit: '1', status: 'sold', category: '9223372036854775807', open: 'false', name: 'Rex' })).toEqual({
      limit: 1,
      status: 'sold',
      category: 9223372036854775807n,
      open: false,
      name: 'Rex',
    });
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

  it('refuses a repeated parameter by name', () => {
    expect(() => read({ limit: ['5', '5'] })).toThrow(refusal(/limit is repeated/));
    expect(() => readQuery(query({ reason: ['a', 'b'] }), ReasonRequest)).toThrow(
      refusal(/^The query parameter reason is repeated; give it once\.$/),
    );
  });

  it('does not echo an endless name', () => {
    expect(() => readTexts(query({ ['x'.repeat(5_000)]: '' }), [])).toThrow(refusal(/^.{1,150}$/));
  });

  it('has all its mistakes named at once', () => {
    expect(() => read({ limit: '0', status: 'lost', category: '1.5', open: 'yes', name: '\u0000', offset: '3', cursor: 'x' })).toThrow(
      refusal(
        /(?=.*limit must)(?=.*status must)(?=.*category must)(?=.*open must)(?=.*name must be without)(?=.*"offset" is not)(?=.*cursor is not)/,
      ),
    );
  });

  it('takes a cursor with the filter it was given for, whatever the limit', () => {
    const cursor = encodeCursor(41n, { status: 'sold' });
    expect(read({ cursor, status: 'sold', limit: '3' })).toEqual({ limit: 3, status: 'sold', after: 41n });
  });
});
