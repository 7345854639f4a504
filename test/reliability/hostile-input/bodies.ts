import fc from 'fast-check';
import type { Answer } from '../../../libs/http/testing/raw-connection.js';
import { authorized, BODY_LIMIT, JSON_TYPE, measureLength, type AnimalValues, type RequestParts } from './hostile-request.js';

const BLANK = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const STATUSES = ['available', 'pending', 'sold'];
const FIELDS = ['name', 'categoryId', 'status'];

/** A member of the body as it is written, and whether the service has to take it. */
interface Member {
  readonly field: string;
  /** The name as it is written, with its quotes. */
  readonly name: string;
  readonly text: string;
  /** `syntax`: the text is no JSON. */
  readonly verdict: 'right' | 'wrong' | 'syntax';
  readonly value?: string;
}

const escaped = (text: string): string =>
  `"${Array.from({ length: text.length }, (_, index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`).join('')}"`;
const written = (text: string) => fc.constantFrom(JSON.stringify(text), JSON.stringify(text), escaped(text));

const names = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 10 }).map((units) => String.fromCharCode(...units)),
  fc.tuple(fc.constantFrom('a', 'é', '🐈', '\u{10ffff}'), fc.constantFrom(254, 255, 256, 1_000)).map(([one, times]) => one.repeat(times)),
  fc.constantFrom(
    '',
    ' ',
    '\u3000\t',
    'a\u0000b',
    '\u001b[31mred',
    'a\r\nlevel: 60',
    '\ud800',
    'x\udfff',
    '__proto__',
    '\ufeffRex',
    '\u202excaT',
  ),
);

function isName(text: string): boolean {
  const length = [...text].length;
  return length >= 1 && length <= 255 && !BLANK.test(text) && !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

const nameMember = fc.oneof(
  {
    weight: 12,
    arbitrary: names.chain((value) => written(value).map((text) => ({ text, value, verdict: isName(value) ? 'right' : 'wrong' }) as const)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('null', '7', 'true', '[]', '{}', '["Rex"]').map((text) => ({ text, verdict: 'wrong' }) as const),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("'Rex'", '"Rex', 'Rex', '"\t"', '"\\x41"', '"\\ud83"').map((text) => ({ text, verdict: 'syntax' }) as const),
  },
);

const int64 = fc.oneof(
  fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
  fc.constantFrom(
    0n,
    -1n,
    2n ** 53n,
    2n ** 53n + 1n,
    -(2n ** 53n) - 1n,
    2n ** 31n,
    2n ** 32n,
    INT64_MIN,
    INT64_MIN + 1n,
    INT64_MAX - 1n,
    INT64_MAX,
  ),
);
const categoryMember = fc.oneof(
  { weight: 10, arbitrary: int64.map((value) => ({ text: `${value}`, value: `${value}`, verdict: 'right' }) as const) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        '1e3',
        '1E0',
        '-0',
        '0.0',
        '1.0',
        '0e0',
        '1e400',
        '-1e-400',
        `${INT64_MAX + 1n}`,
        `${INT64_MIN - 1n}`,
        '9'.repeat(400),
        '"7"',
        'null',
        'true',
        '[7]',
        '{"$gt":0}',
      )
      .map((text) => ({ text, verdict: 'wrong' }) as const),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('01', '-01', '+1', '.5', '1.', '1e', '0x1', 'NaN', 'Infinity', '-', '--1', '1_000', '٣', 'undefined')
      .map((text) => ({ text, verdict: 'syntax' }) as const),
  },
);

const statusMember = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...STATUSES).map((value) => ({ text: `"${value}"`, value, verdict: 'right' }) as const) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('null', '"Sold"', '""', '"sold "', '0', '[]', '["sold"]', '{}')
      .map((text) => ({ text, verdict: 'wrong' }) as const),
  },
);

const foreignMember = fc
  .tuple(
    fc.oneof(
      fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'id', 'Name', 'category_id', ''),
      fc.string({ maxLength: 12 }),
    ),
    fc.constantFrom('null', '1', '{"isAdmin":true}', '[[[]]]', '"x"'),
  )
  .filter(([field]) => !FIELDS.includes(field))
  .map(([field, text]): Member => ({ field, name: JSON.stringify(field), text, verdict: 'wrong' }));

const named = (field: string, part: fc.Arbitrary<Omit<Member, 'field' | 'name'>>): fc.Arbitrary<Member> =>
  fc
    .tuple(fc.constantFrom(JSON.stringify(field), JSON.stringify(field), escaped(field)), part)
    .map(([name, rest]) => ({ field, name, ...rest }));

const present = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { freq: weight, nil: undefined });
const space = fc.constantFrom('', '', ' ', '\n', '\t \r\n');

/** A body of members, and what comes of it by the rules of the interface, reckoned without the service's code. */
const animalBody = fc
  .tuple(
    present(12, named('name', nameMember)),
    present(12, named('categoryId', categoryMember)),
    present(3, named('status', statusMember)),
    fc.oneof({ weight: 9, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.array(foreignMember, { minLength: 1, maxLength: 3 }) }),
    fc.oneof({ weight: 12, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat({ max: 5 }) }),
    space,
    fc.nat({ max: 23 }),
  )
  .map(([name, categoryId, status, foreign, repeated, gap, order]) => {
    const members = rotated(
      [name, categoryId, status, ...foreign].filter((member) => member !== undefined),
      order,
    );
    const twice = members[repeated];
    const all = twice ? [...members, twice] : members;
    const text = `{${all.map((member) => `${gap}${member.name}${gap}:${gap}${member.text}${gap}`).join(',')}}`;
    return { text, outcome: outcomeOf(all) };
  });

type Outcome = { readonly animal: AnimalValues } | { readonly faults: readonly string[] };

function outcomeOf(members: readonly Member[]): Outcome {
  const isTwice = new Set(members.map(({ field }) => field)).size < members.length;
  if (isTwice || members.some(({ verdict }) => verdict === 'syntax')) return { faults: ['Invalid JSON'] };
  const find = (field: string) => members.find((member) => member.field === field);
  const faults = members.filter(({ verdict }) => verdict === 'wrong').map(({ field, name }) => (FIELDS.includes(field) ? field : name));
  const missing = ['name', 'categoryId'].filter((field) => !find(field));
  if (faults.length + missing.length > 0) return { faults: [...faults, ...missing] };
  return { animal: { name: find('name')?.value ?? '', categoryId: find('categoryId')?.value ?? '', status: find('status')?.value } };
}

function rotated<Value>(values: readonly Value[], by: number): Value[] {
  const at = values.length === 0 ? 0 : by % values.length;
  return [...values.slice(at), ...values.slice(0, at)];
}

/** Throws unless the answer is what comes of the body. */
export function judgeOutcome(outcome: Outcome): (answer: Answer) => void {
  return (answer) => {
    if ('animal' in outcome) expect({ status: answer.status, animal: animalOf(answer) }).toEqual({ status: 201, animal: outcome.animal });
    else {
      expect(answer.status).toBe(400);
      const { code, message } = JSON.parse(answer.body) as { code: string; message: string };
      expect(code).toBe('invalid_request');
      for (const fault of outcome.faults) expect(Buffer.from(message, 'latin1').toString()).toContain(fault);
    }
  };
}

/** The values in the answer to an addition; `categoryId` by its digits, which a double would not hold. */
export function animalOf({ body }: Answer): AnimalValues {
  const text = Buffer.from(body, 'latin1').toString();
  const { name, status } = JSON.parse(text) as { name: string; status?: string };
  return { name, categoryId: /"categoryId":(-?\d+)/.exec(text.replace(/"name":"(?:[^"\\]|\\.)*"/, ''))?.[1] ?? '', status };
}

/** A body that is right, with the animal it adds. */
export const validBody = animalBody.filter(({ outcome }) => 'animal' in outcome);

/** Whatever a body may be: it is taken as it was meant, or refused as a whole. */
const anything = fc.oneof(
  fc
    .tuple(fc.constantFrom('[', '{"a":', '[{"a":', '{"name":'), fc.constantFrom(1, 63, 64, 65, 100, 5_000, 9_000), fc.boolean())
    .map(([open, depth, closes]) => {
      const opened = open.repeat(depth).slice(0, BODY_LIMIT / 2);
      return Buffer.from(
        closes
          ? `${opened}1${[...opened]
              .reverse()
              .map((character) => ({ '[': ']', '{': '}' })[character] ?? '')
              .join('')}`
          : opened,
      );
    }),
  fc.json().map((text) => Buffer.from(text)),
  fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.tuple(validBody, fc.nat(), fc.nat({ max: 255 })).map(([{ text }, position, byte]) => {
    const bytes = Buffer.from(text);
    bytes[position % bytes.length] = byte;
    return bytes;
  }),
  fc.tuple(validBody, fc.nat()).map(([{ text }, position]) => Buffer.from(text).subarray(0, 1 + (position % Buffer.byteLength(text)))),
);

const utf8Mistakes = ['ff', 'c080', 'eda080', 'e282', 'f4908080', '80', 'fe'].map((hex) => Buffer.from(hex, 'hex'));
const wrongEncodings = fc.oneof(
  validBody.map(({ text }) => Buffer.from(text, 'utf16le')),
  validBody.map(({ text }) => Buffer.from(text, 'utf16le').swap16()),
  validBody.map(({ text }) => Buffer.from(`\ufeff${text}`)),
  fc.constantFrom(...utf8Mistakes).map((bytes) => Buffer.concat([Buffer.from('{"categoryId":1,"name":"a'), bytes, Buffer.from('"}')])),
);

const padded = fc.tuple(validBody, fc.integer({ min: BODY_LIMIT - 2, max: BODY_LIMIT + 2 })).map(([{ text, outcome }, size]) => ({
  text: text + ' '.repeat(size - Buffer.byteLength(text)),
  outcome,
  size,
}));

/** Additions by `POST`, each with its length. */
export function bodyRequests(key: string): fc.Arbitrary<RequestParts> {
  const add = (kind: string, body: Buffer | string, parts: Partial<RequestParts> = {}): RequestParts => ({
    kind,
    method: 'POST',
    headers: [...authorized(key), JSON_TYPE, measureLength(body)],
    body,
    ...parts,
  });
  return fc.oneof(
    {
      weight: 12,
      arbitrary: animalBody.map(({ text, outcome }) => add('body by the rules', text, { judge: judgeOutcome(outcome) })),
    },
    { weight: 4, arbitrary: anything.map((bytes) => add('body of anything', bytes, { judge: judgeAnything(bytes) })) },
    {
      weight: 1,
      arbitrary: wrongEncodings.map((bytes) =>
        add('body in another encoding', bytes, { judge: judgeOutcome({ faults: ['Invalid JSON'] }) }),
      ),
    },
    {
      weight: 1,
      arbitrary: padded.map(({ text, outcome, size }) =>
        size > BODY_LIMIT
          ? add('body at the limit', text, { framing: 'unknown', judge: ({ status }) => expect(status).toBe(413) })
          : add('body at the limit', text, { judge: judgeOutcome(outcome) }),
      ),
    },
  );
}

function judgeAnything(bytes: Buffer): (answer: Answer) => void {
  return (answer) => {
    if (answer.status !== 201) {
      expect(answer.status).toBe(400);
      return;
    }
    const sent = JSON.parse(bytes.toString()) as { name: string; categoryId: number; status?: string };
    const { name, categoryId, status } = animalOf(answer);
    expect({ name, status }).toEqual({ name: sent.name, status: sent.status });
    expect(Number(categoryId)).toBe(sent.categoryId);
  };
}
