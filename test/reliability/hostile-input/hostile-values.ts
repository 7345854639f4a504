import fc from 'fast-check';

/** What a JSON schema says that can be sent. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly (string | null)[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** A value in each way of writing it. */
export interface HostileValue {
  /** In JSON; not always JSON that can be read. */
  readonly json: string;
  /** Without quotes, as a parameter or a header has it. */
  readonly plain: string;
  /** Whether it holds U+0000 or a lone surrogate, which have to be refused wherever they stand. */
  readonly isUnstorable: boolean;
}

/** Hostile values at one place within what is described, such as `.limits.perDay`. */
export interface HostilePlace {
  readonly place: string;
  readonly values: fc.Arbitrary<HostileValue>;
}

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
  ...['__proto__', 'constructor', 'null', "'; DROP TABLE events; --", '%', '\\', '"', '${7*7}', '../../etc/passwd', '\\u0000', '%00', '[]'],
];
const LONG = [255, 256, 1_000, 2_700, 8_000, 40_000].flatMap((length) => ['x'.repeat(length), '🐈'.repeat(length / 4)]);
const DEEP = [63, 70, 5_000, 20_000].flatMap((depth) => ['['.repeat(depth) + ']'.repeat(depth), '{"a":'.repeat(depth / 2)]);
const WRONG = ['null', 'true', '[]', '{}', '[null]', '{"__proto__":{"isAdmin":true}}', '{"a":1,"a":2}', "'x'", '"\t"', '"\\x41"', 'Rex'];

// Of a service of nobody on this machine, which may not be asked for anything else.
const RIGHT_URL = 'http://127.0.0.1:9/events';

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
);

const escaped = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')}"`;

/** A text in quotes, mostly as JSON writes it. */
const asText = (texts: fc.Arbitrary<string>): fc.Arbitrary<HostileValue> =>
  fc.tuple(texts, fc.constantFrom(JSON.stringify, JSON.stringify, escaped)).map(([text, quote]) => quoted(text, quote));
const asItStands = (texts: fc.Arbitrary<string>): fc.Arbitrary<HostileValue> => texts.map(standing);

function quoted(text: string, quote: (text: string) => string = JSON.stringify): HostileValue {
  return { json: quote(text), plain: text, isUnstorable: UNSTORABLE.test(text) };
}

/** A value that is written the same in every place, such as a number. */
export function standing(text: string): HostileValue {
  return { json: text, plain: text, isUnstorable: UNSTORABLE.test(text) };
}

/** Hostile values in each class at each place within what is described, with right ones beside it. */
export function hostileFor(schema: Schema): HostilePlace[] {
  const { properties, required = [], items } = schema;
  const own = hostileClasses(schema).map((values) => ({ place: '', values }));
  if (items) {
    const lists = hostileFor(items).map(({ place, values }) => ({
      place: `[]${place}`,
      values: fc.array(values, { maxLength: 3 }).map(listOf),
    }));
    return [...own, ...lists];
  }
  if (!properties) return own;
  const rightBeside = (attacked: string) => rightMembers(schema).filter(([name]) => name !== attacked);
  const strangers = ['__proto__', 'constructor', 'id', ''].map((name) => ({
    place: `.${name}`,
    values: fc.constant(objectOf([...rightMembers(schema), [name, standing('{"isAdmin":true}')]])),
  }));
  const ofMembers = Object.entries(properties).flatMap(([name, member]) =>
    hostileFor(member).map(({ place, values }) => ({
      place: `.${name}${place}`,
      values: fc
        .tuple(values, fc.constantFrom(1, 1, 1, 2))
        .map(([value, times]) => objectOf([...rightBeside(name), ...Array<[string, HostileValue]>(times).fill([name, value])])),
    })),
  );
  const withoutOne = required.map((name) => ({ place: ` without ${name}`, values: fc.constant(objectOf(rightBeside(name))) }));
  return [...own, ...strangers, ...ofMembers, ...withoutOne];
}

/** One arbitrary for each class of hostile values. */
function hostileClasses(schema: Schema): readonly fc.Arbitrary<HostileValue>[] {
  const items = fc.array(fc.oneof(nearlyRight(schema), asText(oddTexts)), { maxLength: 3 });
  return [
    nearlyRight(schema),
    asText(unstorableTexts),
    asText(oddTexts),
    asText(fc.constantFrom(...LONG)),
    fc.oneof(asItStands(fc.constantFrom(...NUMBERS)), asText(fc.constantFrom(...NUMBERS, ...MISSPELT_NUMBERS, ...MOMENTS))),
    fc.oneof(asItStands(fc.constantFrom(...WRONG)), asItStands(fc.constantFrom(...DEEP)), items.map(listOf)),
  ];
}

/** What such a value is written like: right, at an edge, or just beyond it. */
function nearlyRight({ type = [], format, enum: words }: Schema): fc.Arbitrary<HostileValue> {
  if (words) {
    const forms = words.flatMap((word) => (word === null ? [] : [word, word, word.toLowerCase(), word.toUpperCase(), `${word} `]));
    return fc.constantFrom(...forms).map((word) => quoted(word));
  }
  if (format === 'date-time') return asText(fc.constantFrom(...MOMENTS));
  if (/integer|number/.test(String(type))) return asItStands(fc.constantFrom(...NUMBERS, ...MISSPELT_NUMBERS));
  if (String(type).includes('boolean')) return asItStands(fc.constantFrom('true', 'false', '1', 'TRUE', '"true"'));
  return asText(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }));
}

/** A value that is right, for what stands beside a hostile one. */
export function rightFor(schema: Schema): HostileValue {
  const { type = [], format, enum: words, properties, items } = schema;
  if (items) return listOf([rightFor(items)]);
  if (properties) return objectOf(rightMembers(schema));
  if (words) return quoted(words[0] ?? '');
  if (format === 'date-time') return quoted('2026-06-01T12:00:00Z');
  if (/integer|number/.test(String(type))) return standing('1');
  return String(type).includes('boolean') ? standing('true') : quoted('pet-1');
}

function rightMembers({ properties = {}, required = [] }: Schema): [string, HostileValue][] {
  return required.map((name) => [name, name === 'url' ? quoted(RIGHT_URL) : rightFor(properties[name] ?? {})]);
}

function listOf(items: readonly HostileValue[]): HostileValue {
  return {
    json: `[${items.map(({ json }) => json).join(',')}]`,
    plain: items.map(({ plain }) => plain).join(','),
    isUnstorable: items.some(({ isUnstorable }) => isUnstorable),
  };
}

/** An object of members; one may stand in it twice. */
function objectOf(members: readonly (readonly [name: string, value: HostileValue])[]): HostileValue {
  return {
    json: `{${members.map(([name, { json }]) => `${JSON.stringify(name)}:${json}`).join(',')}}`,
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
