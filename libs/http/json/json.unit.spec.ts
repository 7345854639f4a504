import fc from 'fast-check';
import { LosslessNumber } from 'lossless-json';
import { ApplicationError } from '#libs/observability';
import { MAXIMUM_JSON_DEPTH, parseJson, stringifyJson } from './json.js';

/** The message with which the text is refused; undefined if it is read. */
function refusal(input: Buffer | string): string | undefined {
  try {
    parseJson(input);
  } catch (error) {
    if (error instanceof ApplicationError && error.code === 'invalid_request') return error.message;
    throw error;
  }
  return undefined;
}

describe('JSON', () => {
  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat({ max: 2 }), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        expect(JSON.parse(stringifyJson(parseJson(Buffer.from(spaced))))).toEqual(JSON.parse(spaced));
      }),
    );
  });

  it('is refused where JSON.parse refuses it', () => {
    const nearly = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '\\', '0', '\u0000'))
      .map(([text, at, inserted]) => {
        const place = at % (text.length + 1);
        return text.slice(0, place) + inserted + text.slice(place + 1);
      });
    fc.assert(
      fc.property(nearly, (text) => {
        if (refusal(text) === undefined) expect(() => JSON.parse(text) as unknown).not.toThrow();
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['9223372036854775807', '-9223372036854775808', '1.10', '1e5', '-0', '1e400', '0.1'])(
    'keeps the source of the number %s',
    (source) => {
      expect(parseJson(`[${source}]`)).toEqual([new LosslessNumber(source)]);
      expect(stringifyJson(parseJson(`[${source}]`))).toBe(`[${source}]`);
    },
  );

  it('is refused if any object gives a member two values, wherever it stands, and only then', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (name, first, second) => {
        const [member, ...values] = [name, first, second].map((text) => JSON.stringify(text));
        const refused = refusal(`[${values[0]},{${member}:${values[0]},${member}:${values[1]}}]`);
        if (first === second) expect(refused).toBeUndefined();
        else expect(refused).toContain('Duplicate key');
      }),
      {
        examples: [
          ['__proto__', '1', '2'],
          ['a', '1', '1'],
        ],
      },
    );
    expect(refusal('[{"b":{}},{"a":[],"x":"a","\\u0061":0}]')).toContain("Duplicate key 'a'");
    expect(refusal('{"a":1,"a":1.0}')).toContain("Duplicate key 'a'");
    expect(refusal('{"a":{"a":["a",{"a":"a"}]},"b":[{"a":1},{"a":1}]}')).toBeUndefined();
  });

  it('is refused with nesting beyond its bound, however deep, and no less', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(refusal(nested(MAXIMUM_JSON_DEPTH))).toBeUndefined();
    expect(refusal(nested(MAXIMUM_JSON_DEPTH + 1))).toContain('nested deeper than 64');
    expect(refusal(nested(100_000))).toContain('nested deeper than 64');
    expect(refusal('['.repeat(100_000))).toContain('nested deeper than 64');
  });

  it.each([
    ['a byte order mark', Buffer.from('\uFEFF{}'), 'position 0'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'not UTF-8'],
    ['a surrogate as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not UTF-8'],
    ['a comma too many', '{"a":1,}', 'position 7'],
    ['a comma too many on the third line', '{"a":1,\r\n"b":\n 2,}', 'position 17 (line 3)'],
    ['a member that is repeated on another line', '{"a":1,\n"a":2}', 'position 9 (line 2)'],
    ['nothing', '', 'position 0 (line 1)'],
  ])('is refused for %s', (_name, input, message) => {
    expect(refusal(input)).toContain(message);
  });

  it('has __proto__ as a member like any other', () => {
    const value = parseJson('{"__proto__":{"polluted":true},"constructor":1}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  it('is written as JSON.stringify writes it, and a bigint as bare digits', () => {
    const value = fc.array(fc.oneof(fc.anything({ withDate: true }), fc.string({ unit: 'binary' })));
    fc.assert(fc.property(value, (candidate) => expect(stringifyJson(candidate)).toBe(JSON.stringify(candidate))));
    fc.assert(fc.property(fc.bigInt(), (number) => expect(stringifyJson({ value: [number] })).toBe(`{"value":[${number}]}`)));
    expect(stringifyJson('\ud800"\\\n')).toBe(JSON.stringify('\ud800"\\\n'));
    expect(() => stringifyJson(undefined)).toThrow(TypeError);
  });
});
