import fc from 'fast-check';
import { INT64_MAX, INT64_MIN, TEXT_PATTERN } from '#libs/http';
import { PET_STATUSES } from '../domain/pet.js';
import { AddPet, preparePetAppend, type NewPetValues } from './add-pet.command.js';

// The code points with the Unicode property White_Space, from PropList.txt.
const WHITE_SPACE = Array.from(
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000',
);

const character = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((text) => text !== '\u0000');
const visible = character.filter((text) => !WHITE_SPACE.includes(text));
const anyName = fc
  .tuple(fc.array(character, { maxLength: 127 }), visible, fc.array(character, { maxLength: 127 }))
  .map(([before, middle, after]) => [...before, middle, ...after].join(''));
const anyStatus = fc.option(fc.constantFrom(...PET_STATUSES), { nil: undefined });
const int64Edge = fc.constantFrom(INT64_MIN, INT64_MIN + 1n, -1n, 0n, 1n, 2n ** 53n + 1n, INT64_MAX - 1n, INT64_MAX);
const anyInt64 = fc.oneof(int64Edge, fc.bigInt({ min: INT64_MIN, max: INT64_MAX }));

describe('the rules of a new animal', () => {
  it('keep any valid name, category and status exactly', () => {
    fc.assert(
      fc.property(anyName, anyInt64, anyStatus, (name, categoryId, status) => {
        expect(eventsOf({ name, categoryId, status })).toEqual([
          { type: 'pet-added', data: { name, categoryId: categoryId.toString(), ...(status && { status }) } },
        ]);
      }),
    );
  });

  it.each([1, 254, 255])('take a name of %i characters outside the Basic Multilingual Plane', (length) => {
    expect(() => eventsOf({ name: '🐈'.repeat(length) })).not.toThrow();
  });

  it.each([
    ['a name that is missing', { name: undefined }],
    ['a name that is null', { name: null }],
    ['a name that is a number', { name: 7 }],
    ['an empty name', { name: '' }],
    ['a name of 256 characters', { name: '🐈'.repeat(256) }],
  ])('refuse %s', (_, values) => {
    expect(() => eventsOf(values)).toThrow(/^name must be a string of 1 to 255 Unicode characters/);
  });

  it.each(['a\u0000b', 'a\ud83d', '\udc08b'])('refuse a name that cannot be kept: %j', (name) => {
    expect(() => eventsOf({ name })).toThrow(/^name must be without U\+0000 and lone surrogates/);
  });

  it('refuse a name of nothing but white space', () => {
    const blank = fc.array(fc.constantFrom(...WHITE_SPACE), { minLength: 1, maxLength: 255 }).map((characters) => characters.join(''));
    fc.assert(fc.property(blank, (name) => expect(() => eventsOf({ name })).toThrow(/^name must be .* not blank/)));
  });

  it.each(['\ufeff', '\u200b', '\u180e'])('take %j as a name: it has no White_Space property', (name) => {
    expect(() => eventsOf({ name })).not.toThrow();
  });

  it.each(['u', ''])('say of every character of a name the same as the pattern, read with the flags %j', (flags) => {
    const pattern = new RegExp(TEXT_PATTERN, flags);
    for (let codePoint = 0; codePoint <= 0x10_ff_ff; codePoint++) {
      const text = String.fromCodePoint(codePoint);
      const isKept = codePoint !== 0 && !/\p{Surrogate}/u.test(text);
      if (pattern.test(text) !== (isKept && !/\p{White_Space}/u.test(text)) || pattern.test(`a${text}`) !== isKept) {
        throw new Error(`The pattern misjudges U+${codePoint.toString(16)}.`);
      }
    }
  });

  it.each([undefined, null, 7, '7', INT64_MAX + 1n, INT64_MIN - 1n])('refuse the category %p', (categoryId) => {
    expect(() => eventsOf({ categoryId })).toThrow(/^categoryId must be an integer from -9223372036854775808 to 9223372036854775807/);
  });

  it.each([null, '', 'Sold', 'lost', 1])('refuse the status %p', (status) => {
    expect(() => eventsOf({ status })).toThrow('status must be one of available, pending, sold, or be left out');
  });

  it('name every field at fault in one message', () => {
    expect(() => eventsOf({ name: '', categoryId: 1.5, status: null })).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringMatching(/name must.*; categoryId must.*; status must/) }),
    );
  });
});

function eventsOf(values: Partial<NewPetValues>) {
  return preparePetAppend(new AddPet({ name: 'Rex', categoryId: 7n, ...values }, { actor: 'system' })).events;
}
