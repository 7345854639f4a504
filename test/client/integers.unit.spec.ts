import fc from 'fast-check';
import { INT64_MEMBERS } from '../../packages/client/src/document.js';
import { int64Text, readJson, writeJson } from '../../packages/client/src/integers.js';

const GREATEST = 2n ** 63n - 1n;
const int64 = fc.bigInt({ min: -GREATEST - 1n, max: GREATEST });
const int64Name = fc.constantFrom(...INT64_MEMBERS);
const otherName = fc.string().filter((name) => !INT64_MEMBERS.has(name) && name !== '__proto__');

/** Any JSON that has no int64 in it. */
const { json: plainJson } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.maxSafeInteger().map((integer) => integer || 0),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((double) => !/^-?\d+$/.test(String(double))),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json')),
    fc.array(fc.tuple(otherName, tie('json'))).map((members) => Object.fromEntries(members)),
  ),
}));

describe('JSON of the client', () => {
  it('is read as JSON.parse does where there is no int64, spaced or not', () => {
    fc.assert(
      fc.property(plainJson, fc.constantFrom(undefined, 1, '\t'), (value, space) => {
        expect(readJson(JSON.stringify(value, undefined, space), BigInt)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('is read with every int64 exactly, as a bigint or as its digits', () => {
    fc.assert(
      fc.property(int64, int64Name, plainJson, (id, name, before) => {
        const text = `{ "before": ${JSON.stringify(before)}, "${name}" : ${id} }`;
        expect(readJson(text, BigInt)).toMatchObject({ [name]: id });
        expect(readJson(text, (digits) => digits)).toMatchObject({ [name]: id.toString() });
      }),
    );
  });

  it('is read with exactly what a double would not hold, whatever it is called', () => {
    expect(readJson('{"unknown":9223372036854775807,"small":7,"texts":["9223372036854775807","i7"]}', BigInt)).toEqual({
      unknown: GREATEST,
      small: 7,
      texts: ['9223372036854775807', 'i7'],
    });
    expect(readJson('{"id":"42","data":{"id":42}}', BigInt)).toEqual({ id: '42', data: { id: 42n } });
  });

  it('is not read where any part of it is missing', () => {
    const text = JSON.stringify([{ id: 1, name: 'Re"x\\' }]);
    fc.assert(
      fc.property(fc.nat(text.length - 1), (length) => {
        expect(() => readJson(text.slice(0, length), BigInt)).toThrow(SyntaxError);
      }),
    );
  });

  it('is written with an int64 as bare digits, from a bigint or from its digits', () => {
    fc.assert(
      fc.property(int64, int64Name, (id, name) => {
        expect(writeJson({ [name]: id })).toBe(`{"${name}":${id}}`);
        expect(writeJson({ [name]: id.toString() })).toBe(`{"${name}":${id}}`);
      }),
    );
  });

  it('is written without what is undefined and with all else as it is', () => {
    expect(writeJson({ name: 'R"ex', status: undefined, quantity: 1, types: ['pet.added'], description: null })).toBe(
      '{"name":"R\\"ex","quantity":1,"types":["pet.added"],"description":null}',
    );
  });

  it.each([7, 2 ** 60, NaN, '', '7.0', '0x7', '1}', ' 7', GREATEST + 1n, '-9223372036854775809', null, {}, true])(
    'is not written with %p for an int64',
    (value) => {
      expect(() => writeJson({ categoryId: value })).toThrow(TypeError);
      expect(() => int64Text(value)).toThrow(TypeError);
    },
  );
});
