import fc from 'fast-check';

/** A value in each way of writing it. */
export interface HostileValue {
  /** In JSON; not always JSON that can be read. */
  readonly json: string;
  /** In a GraphQL document; not always one that can be read. */
  readonly literal: string;
  /** Without quotes, as a parameter or a header has it. */
  readonly plain: string;
  /** Whether it holds U+0000 or a lone surrogate, which have to be refused wherever they stand. */
  readonly isUnstorable: boolean;
}

/** What a described value is meant to be: that decides what is nearly right. */
export type Kind = 'number' | 'text' | 'moment' | 'boolean' | { readonly words: readonly string[] };

const UNSTORABLE = /[\0\p{Surrogate}]/u;
const INTEGERS = [0n, 1n, -1n, 2n ** 31n - 1n, 2n ** 31n, -(2n ** 31n) - 1n, 2n ** 53n + 1n].concat(
  [2n ** 63n - 1n, 2n ** 63n, 2n ** 64n, 10n ** 40n].flatMap((edge) => [edge, -edge, -edge - 1n]),
);
const NUMBERS = [...INTEGERS.map(String), '-0', '1.0', '1e3', '1e-400', '1e400', '0.1', '9'.repeat(400)];
const MISSPELT_NUMBERS = ['01', '+1', '1_000', '0x1', ' 1', '1 ', '٣', 'NaN', '-Infinity', '1.', '.5', '-'];
const MOMENTS = [
  ...'1970-01-01T00:00:00Z 2026-06-01t12:00:00.123456789z 0000-01-01T00:00:00+23:59 9999-12-31T23:59:59.999999999-23:59'.split(' '),
  ...'1582-10-10T00:00:00Z 2026-02-29T00:00:00Z 2016-12-31T23:59:60Z 2026-01-01T24:00:00Z -271821-04-19T23:59:59Z'.split(' '),
  ...'+275760-09-13T00:00:00.001Z 2026-01-01T00:00:00 253402300800 infinity'.split(' '),
];
const TEXTS = [
  ...['', ' ', '\t\r\n', '\u001b[31m', '\u007f\u0080\u009f', '\u2028\u2029', '\u202e', '\ufeff', '\ufffd\ufffe\uffff', '🐈‍⬛', '\u{10ffff}'],
  ...[
    '__proto__',
    'constructor',
    'null',
    "'; DROP TABLE events; --",
    '%',
    '\\',
    '"',
    '${7*7}{{7*7}}',
    '../../etc/passwd',
    '\\u0000',
    '%00',
  ],
  ...['[]', '{"$gt":""}'],
];
const LONG = [255, 256, 1_000, 2_700, 8_000, 40_000].flatMap((length) => ['x'.repeat(length), '🐈'.repeat(length / 4)]);
const DEEP = [63, 70, 5_000, 20_000].flatMap((depth) => ['['.repeat(depth) + ']'.repeat(depth), '{"a":'.repeat(depth / 2)]);
const WRONG = ['null', 'true', '[]', '{}', '[null]', '{"__proto__":{"isAdmin":true}}', '{"a":1,"a":2}', "'x'", '"\t"', '"\\x41"', 'Rex'];

const unstorableTexts = fc
  .tuple(
    fc.constantFrom('', 'a', 'pet-', '1', '🐈', 'x'.repeat(300)),
    fc.constantFrom('\0', '\0', '\ud800', '\udfff', '\udc00\ud800'),
    fc.constantFrom('', 'b', '\0'),
  )
  .map((parts) => parts.join(''));
const oddTexts = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes)),
  fc.string({ maxLength: 30 }).map((text) => Buffer.from(text).toString('base64url')),
);

const escaped = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')}"`;

/** A text in quotes, mostly as JSON writes it. */
const asText = (texts: fc.Arbitrary<string>): fc.Arbitrary<HostileValue> =>
  fc.tuple(texts, fc.constantFrom(JSON.stringify, JSON.stringify, escaped)).map(([text, quote]) => quoted(text, quote));
const asItStands = (texts: fc.Arbitrary<string>): fc.Arbitrary<HostileValue> => texts.map(standing);

function quoted(text: string, quote: (text: string) => string = JSON.stringify): HostileValue {
  return { json: quote(text), literal: quote(text), plain: text, isUnstorable: UNSTORABLE.test(text) };
}

/** A value that is written the same in every place, such as a number. */
export function standing(text: string): HostileValue {
  return { json: text, literal: text, plain: text, isUnstorable: UNSTORABLE.test(text) };
}

/** One arbitrary for each class of hostile values for what is described as being of this kind. */
export function hostileClasses(kind: Kind): readonly fc.Arbitrary<HostileValue>[] {
  const wrong = fc.constantFrom(...WRONG);
  const items = fc.array(fc.oneof(nearlyRight(kind), asText(oddTexts)), { maxLength: 3 });
  return [
    nearlyRight(kind),
    asText(unstorableTexts),
    asText(oddTexts),
    asText(fc.constantFrom(...LONG)),
    fc.oneof(asItStands(fc.constantFrom(...NUMBERS)), asText(fc.constantFrom(...NUMBERS, ...MISSPELT_NUMBERS, ...MOMENTS))),
    fc.oneof(asItStands(wrong), asItStands(fc.constantFrom(...DEEP)), items.map(listOf)),
  ];
}

/** What a value of this kind is written like: right, at an edge, or just beyond it. */
function nearlyRight(kind: Kind): fc.Arbitrary<HostileValue> {
  if (kind === 'number') return asItStands(fc.constantFrom(...NUMBERS, ...MISSPELT_NUMBERS));
  if (kind === 'moment') return asText(fc.constantFrom(...MOMENTS));
  if (kind === 'boolean') return asItStands(fc.constantFrom('true', 'false', '1', 'TRUE', '"true"'));
  if (kind === 'text') return asText(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }));
  const words = fc
    .constantFrom(...kind.words)
    .chain((word) => fc.constantFrom(word, word, word.toLowerCase(), word.toUpperCase(), `${word} `));
  return words.map((word) => ({ ...quoted(word), literal: word }));
}

/** A value that is right for its kind, for what stands beside a hostile one. */
export function rightValue(kind: Kind): HostileValue {
  if (kind === 'number') return standing('1');
  if (kind === 'boolean') return standing('true');
  if (kind === 'moment') return quoted('2026-06-01T12:00:00Z');
  if (kind === 'text') return quoted('pet-1');
  const [word = ''] = kind.words;
  return { ...quoted(word), literal: word };
}

/** A list of values. */
export function listOf(items: readonly HostileValue[]): HostileValue {
  return {
    json: `[${items.map(({ json }) => json).join(',')}]`,
    literal: `[${items.map(({ literal }) => literal).join(', ')}]`,
    plain: items.map(({ plain }) => plain).join(','),
    isUnstorable: items.some(({ isUnstorable }) => isUnstorable),
  };
}

/** An object of members; one may stand in it twice. */
export function objectOf(members: readonly (readonly [name: string, value: HostileValue])[]): HostileValue {
  return {
    json: `{${members.map(([name, { json }]) => `${JSON.stringify(name)}:${json}`).join(',')}}`,
    literal: `{${members.map(([name, { literal }]) => `${name}: ${literal}`).join(', ')}}`,
    plain: members.map(([name, { plain }]) => `${name}=${plain}`).join('&'),
    isUnstorable: members.some(([, { isUnstorable }]) => isUnstorable),
  };
}

/** The bytes of a text in UTF-8, a lone surrogate as the three bytes that would stand for it. */
export function bytesOf(text: string): Buffer {
  const pieces = text.split(/(\p{Surrogate})/u);
  return Buffer.concat(pieces.map((piece, index) => (index % 2 === 0 ? Buffer.from(piece) : surrogateBytes(piece.charCodeAt(0)))));
}

function surrogateBytes(unit: number): Buffer {
  return Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]);
}

/** A text as it stands in a URL, every byte but letters and digits encoded. */
export function percentEncoded(text: string): string {
  return bytesOf(text)
    .toString('latin1')
    .replaceAll(/\W/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
