import fc from 'fast-check';
import { ApplicationError } from '#libs/observability';
import { JsonNumber, MAXIMUM_JSON_DEPTH, parseJson, stringifyJson } from './json.js';

/** The message with which the text is refused; undefined if it is read. */
function refusal(input: Uint8Array | string): string | undefined {
  try {
    parseJson(input);
  } catch (error) {
    if (error instanceof ApplicationError && error.code === 'invalid_request') return error.message;
    throw error;
  }
  return undefined;
}

/** The value with each number as JavaScript reads it. */
function withPlainNumbers(value: unknown): unknown {
  return JSON.parse(stringifyJson(value));
}

describe('parseJson', () => {
  it('reads what JSON.parse reads, as the same value', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat({ max: 2 }), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), null, indent);
        expect(withPlainNumbers(parseJson(Buffer.from(spaced)))).toEqual(JSON.parse(spaced));
      }),
    );
  });

  it('refuses what JSON.parse refuses', () => {
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
      expect(parseJson(`[${source}]`)).toEqual([new JsonNumber(source)]);
      expect(stringifyJson(parseJson(`[${source}]`))).toBe(`[${source}]`);
    },
  );

  it.each([
    ['{"a":1,"a":2}', '"a" is given twice, again at position 7'],
    ['[{"b":{}},{"a":[],"x":"a","\\u0061":0}]', '"a" is given twice'],
    ['{"__proto__":1,"__proto__":2}', '"__proto__" is given twice'],
  ])('refuses a duplicate member: %s', (text, message) => {
    expect(refusal(text)).toContain(message);
  });

  it('takes one name in several objects, and as a value', () => {
    expect(refusal('{"a":{"a":["a",{"a":"a"}]},"b":[{"a":1},{"a":1}]}')).toBeUndefined();
  });

  it('refuses any object that repeats a member, wherever it stands', () => {
    fc.assert(
      fc.property(fc.string(), fc.json(), fc.json(), (name, first, second) => {
        expect(refusal(`[${first},{${JSON.stringify(name)}:${first},${JSON.stringify(name)}:${second}}]`)).toContain('given twice');
      }),
    );
  });

  it('refuses nesting beyond its bound, however deep, and no less', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(refusal(nested(MAXIMUM_JSON_DEPTH))).toBeUndefined();
    expect(refusal(nested(MAXIMUM_JSON_DEPTH + 1))).toContain('nested deeper than 64');
    expect(refusal(nested(100_000))).toContain('nested deeper than 64');
    expect(refusal('['.repeat(100_000))).toContain('Invalid JSON');
  });

  it.each([
    ['a byte order mark', Buffer.from('\uFEFF{}'), 'byte order mark'],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'not UTF-8'],
    ['a surrogate as UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'not UTF-8'],
    ['a comma too many', '{"a":1,}', 'position 7'],
    ['nothing', '', 'position 0'],
  ])('refuses %s and says where or what', (_name, input, message) => {
    expect(refusal(input)).toContain(message);
  });

  it('makes __proto__ a member like any other', () => {
    const value = parseJson('{"__proto__":{"polluted":true},"constructor":1}') as object;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });
});

describe('stringifyJson', () => {
  it('writes what JSON.stringify writes', () => {
    const value = fc.array(fc.anything({ withDate: true }));
    fc.assert(fc.property(value, (candidate) => expect(stringifyJson(candidate)).toBe(JSON.stringify(candidate))));
  });

  it('writes any string as JSON.stringify does', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(stringifyJson(text)).toBe(JSON.stringify(text))));
    expect(stringifyJson('\ud800"\\\n')).toBe(JSON.stringify('\ud800"\\\n'));
  });

  it('writes a bigint as bare digits', () => {
    fc.assert(fc.property(fc.bigInt(), (value) => expect(stringifyJson({ value: [value] })).toBe(`{"value":[${value}]}`)));
  });

  it('refuses what is no JSON value', () => {
    expect(() => stringifyJson(undefined)).toThrow(TypeError);
  });
});
