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
  /** The names of what it was drawn for. */
  readonly names: readonly string[];
}

/** What a described value is meant to be: that decides what is nearly right. */
export type Kind = 'number' | 'identifier' | 'text' | 'moment' | 'boolean' | { readonly words: readonly string[] };

const UNSTORABLE = /[\0\p{Surrogate}]/u;

const INTEGERS = [0n, 1n, -1n, 2n ** 31n - 1n, 2n ** 31n, -(2n ** 31n) - 1n, 2n ** 53n + 1n].concat(
  [2n ** 63n - 2n, 2n ** 63n - 1n, 2n ** 63n, 2n ** 64n, 10n ** 40n].flatMap((edge) => [edge, -edge, -edge - 1n]),
);
const NUMBERS = [...INTEGERS.map(String), '-0', '1.0', '1e3', '1e-400', '1e400', '0.1', '9'.repeat(400)];
const MISSPELT_NUMBERS = ['01', '+1', '1_000', '0x1', ' 1', '1 ', '٣', 'NaN', '-Infinity', '1.', '.5', '-'];
const MOMENTS = [
  '1970-01-01T00:00:00Z',
  '2026-06-01t12:00:00.123456789z',
  '0000-01-01T00:00:00+23:59',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999-23:59',
  '9999-12-31T23:59:59.999Z',
  '1582-10-10T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '2016-12-31T23:59:60Z',
  '2026-01-01T24:00:00Z',
  '-271821-04-19T23:59:59Z',
  '+275760-09-13T00:00:00.001Z',
  '2026-01-01T00:00:00',
  '2026-01-01',
  '253402300800',
  'now',
  'infinity',
];
const TEXTS = [
  '',
  ' ',
  '\t\r\n',
  '\u001b[31m',
  '\u007f\u0080\u009f',
  '\u2028\u2029',
  '\u202e',
  '\ufeff',
  '\ufffd\ufffe\uffff',
  '🐈‍⬛',
  '\u{10ffff}',
  'e\u0301'.repeat(300),
  '__proto__',
  'constructor',
  'null',
  'pet-1',
  'pet-added',
  "'; DROP TABLE events; --",
  '%',
  '\\',
  '"',
  '${7*7}{{7*7}}',
  '../../etc/passwd',
  '\\u0000',
  '%00',
  '[]',
  '{"$gt":""}',
];
const LONG = [255, 256, 1_000, 2_700, 8_000, 40_000].flatMap((length) => ['x'.repeat(length), '🐈'.repeat(length / 4)]);
const LATEST_IDS = [20, 200, 2_000];
const WRONG = ['null', 'true', 'false', '[]', '{}', '[null]', '[[[[1]]]]', `${'['.repeat(70)}${']'.repeat(70)}`];

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
const units = (text: string): number[] => Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
const quoted = (text: string): string => JSON.stringify(text);
const escaped = (text: string): string =>
  `"${units(text)
    .map((unit) => `\\u${hex(unit, 4)}`)
    .join('')}"`;
const bracedEscapes = (text: string): string => `"${[...text].map((one) => `\\u{${hex(one.codePointAt(0) ?? 0, 1)}}`).join('')}"`;
const bare = (text: string): string => `"${text.replaceAll(/["\\\r\n]/g, String.raw`\$&`)}"`;
const block = (text: string): string => `"""${text.replaceAll('"""', '\\"""')}"""`;

const inJson = fc.constantFrom(quoted, quoted, escaped, bare);
const inDocument = fc.constantFrom(quoted, quoted, escaped, bracedEscapes, bare, block);

const unstorableTexts = fc
  .tuple(
    fc.constantFrom('', 'a', 'pet-', '1', '🐈', 'x'.repeat(300)),
    fc.constantFrom('\0', '\0', '\0', '\ud800', '\udfff', '\udc00\ud800', '\ud83d'),
    fc.constantFrom('', 'b', '1', '\0'),
  )
  .map((parts) => parts.join(''));

const anyTexts = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.constantFrom(...LONG),
  fc.constantFrom(...NUMBERS, ...MISSPELT_NUMBERS, ...MOMENTS),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes)),
  fc.string({ maxLength: 30 }).map((text) => Buffer.from(text).toString('base64url')),
);

function spelt(text: string, toJson: (text: string) => string, toLiteral: (text: string) => string): HostileValue {
  return { json: toJson(text), literal: toLiteral(text), plain: text, isUnstorable: UNSTORABLE.test(text), names: [] };
}

function standing(text: string): HostileValue {
  return spelt(text, String, String);
}

const asText = (texts: fc.Arbitrary<string>) => fc.tuple(texts, inJson, inDocument).map((parts) => spelt(...parts));
const asItStands = (texts: fc.Arbitrary<string>) => texts.map(standing);

/** What a value of this kind is written like: right, at an edge, or just beyond it. */
function nearlyRight(kind: Kind): fc.Arbitrary<HostileValue> {
  const numbers = fc.constantFrom(...NUMBERS);
  switch (kind) {
    case 'number':
    case 'identifier':
      return fc.oneof(asItStands(numbers), asText(numbers), asText(fc.constantFrom(...MISSPELT_NUMBERS)));
    case 'moment':
      return asText(fc.constantFrom(...MOMENTS));
    case 'boolean':
      return fc.oneof(asItStands(fc.constantFrom('true', 'false', '1', 'TRUE')), asText(fc.constantFrom('true', '1')));
    case 'text':
      return asText(anyTexts);
    default: {
      const words = fc
        .constantFrom(...kind.words)
        .chain((word) => fc.constantFrom(word, word, word.toLowerCase(), word.toUpperCase(), `${word} `));
      return fc.oneof(asItStands(words), asText(words));
    }
  }
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
    .replaceAll(/\W/g, (byte) => `%${hex(byte.charCodeAt(0), 2)}`);
}

/** Values for what has this name and is described as being of this kind. */
export function hostileValues(name: string, kind: Kind): fc.Arbitrary<HostileValue> {
  const one = fc.oneof(
    { weight: 4, arbitrary: nearlyRight(kind) },
    { weight: 3, arbitrary: asText(unstorableTexts) },
    { weight: 2, arbitrary: asText(anyTexts) },
    { weight: 1, arbitrary: asItStands(fc.constantFrom(...WRONG)) },
  );
  const some = fc.oneof({ weight: 8, arbitrary: one }, { weight: 1, arbitrary: fc.array(one, { maxLength: 3 }).map(toListParameter) });
  return some.map((value) => namedFor(name, value));
}

/** A value that is right for its kind, for what stands beside a hostile one. */
export function rightValue(kind: Kind): HostileValue {
  switch (kind) {
    case 'number':
    case 'identifier':
      return standing('1');
    case 'boolean':
      return standing('true');
    case 'moment':
      return spelt('2026-06-01T12:00:00Z', quoted, quoted);
    case 'text':
      return spelt('pet-1', quoted, quoted);
    default: {
      const [word = ''] = kind.words;
      return { ...spelt(word, quoted, quoted), literal: word };
    }
  }
}

/** Right values for a kind. Identifiers are mostly of things that may be there: the fewer there are, the more often each is named. */
export function rightValues(kind: Kind): fc.Arbitrary<HostileValue> {
  if (kind !== 'identifier') return fc.constant(rightValue(kind));
  return fc.oneof(...LATEST_IDS.map((most) => fc.integer({ min: 1, max: most }))).map((id) => standing(String(id)));
}

/** Adds a name to those that a value was drawn for. */
export function namedFor(name: string, value: HostileValue): HostileValue {
  return { ...value, names: [name, ...value.names] };
}

/** A list of values, also where one value is asked for. */
export function toListParameter(items: readonly HostileValue[]): HostileValue {
  return {
    json: `[${items.map(({ json }) => json).join(',')}]`,
    literal: `[${items.map(({ literal }) => literal).join(', ')}]`,
    plain: items.map(({ plain }) => plain).join(','),
    ...together(items),
  };
}

/** An object of members; one may stand in it twice. */
export function objectOf(members: readonly Given<string>[]): HostileValue {
  return {
    json: `{${members.map(({ of, value }) => `${quoted(of)}:${value.json}`).join(',')}}`,
    literal: `{${members.map(({ of, value }) => `${of}: ${value.literal}`).join(', ')}}`,
    plain: members.map(({ of, value }) => `${of}=${value.plain}`).join('&'),
    ...together(members.map(({ value }) => value)),
  };
}

/** Something that takes a value. */
export interface Part<Owner> {
  readonly of: Owner;
  readonly hostile: fc.Arbitrary<HostileValue>;
  readonly right: fc.Arbitrary<HostileValue>;
  readonly isRequired: boolean;
  /** How many names it has: each is to be attacked as often as any other. Default: 1. */
  readonly weight?: number;
}

/** A value that is given for something. */
export interface Given<Owner> {
  readonly of: Owner;
  readonly value: HostileValue;
}

/**
 * What is given for these parts, in their order: hostile values for one of them and mostly right ones or none for the others, so that
 * what comes of it is not hidden by the refusal of another.
 */
export function givenFor<Owner>(parts: readonly Part<Owner>[]): fc.Arbitrary<readonly Given<Owner>[]> {
  if (parts.length === 0) return fc.constant([]);
  const attacks = parts.map((attacked) => ({
    weight: attacked.weight ?? 1,
    arbitrary: fc.tuple(...parts.map((part) => (part === attacked ? attackOn(part) : valuesBeside(part)))),
  }));
  return fc.oneof(...attacks).map((values) => parts.flatMap(({ of }, index) => (values[index] ?? []).map((value) => ({ of, value }))));
}

function attackOn({ hostile }: Part<unknown>): fc.Arbitrary<readonly HostileValue[]> {
  return fc.oneof(
    { weight: 15, arbitrary: hostile.map((value) => [value]) },
    { weight: 1, arbitrary: fc.array(hostile, { minLength: 2, maxLength: 2 }) },
  );
}

function valuesBeside({ hostile, right, isRequired }: Part<unknown>): fc.Arbitrary<readonly HostileValue[]> {
  return fc.oneof(
    { weight: isRequired ? 12 : 3, arbitrary: right.map((value) => [value]) },
    { weight: isRequired ? 1 : 10, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: hostile.map((value) => [value]) },
  );
}

function together(values: readonly HostileValue[]): Pick<HostileValue, 'isUnstorable' | 'names'> {
  return { isUnstorable: values.some(({ isUnstorable }) => isUnstorable), names: values.flatMap(({ names }) => names) };
}
