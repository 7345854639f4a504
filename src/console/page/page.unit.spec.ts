type Functions<Name extends string> = Record<Name, (...values: readonly unknown[]) => unknown>;
type Points = { readonly last: number | null; readonly series: Readonly<Record<string, readonly (number | null)[]>> };

// Scripts of the page have no types: a name in a variable keeps the compiler from looking for some.
const [wordingFile, modelFile, keyModelFile] = ['./wording.mjs', './model.mjs', './key-model.mjs'];
const wording = (await import(wordingFile)) as Functions<
  'ago' | 'bytes' | 'count' | 'duration' | 'figureText' | 'milliseconds' | 'percent' | 'phrase' | 'until' | 'utcDay' | 'valueText'
>;
const model = (await import(modelFile)) as {
  readonly noPoints: Points;
  appendPoints(points: Points, response: object): Points;
} & Functions<'describeHealth' | 'isApiKey' | 'isLost' | 'listChanges' | 'newest' | 'parseStream' | 'referencedStream' | 'total'>;
const keyModel = (await import(keyModelFile)) as Functions<
  'byBanAndUse' | 'countBans' | 'describeKeys' | 'describeUsage' | 'keySearchPath'
>;

const NOW = Date.parse('2026-01-02T03:04:05Z');

describe('the wording of figures', () => {
  it.each([
    ['count', 1234567, '1,234,567'],
    ['count', 0.12345, '0.123'],
    ['count', '9007199254740993', '9,007,199,254,740,993'],
    ['count', null, '–'],
    ['milliseconds', 0, '0 ms'],
    ['milliseconds', 0.4123, '0.412 ms'],
    ['milliseconds', 412.3, '412 ms'],
    ['milliseconds', 999.6, '1 s'],
    ['milliseconds', 12345, '12.3 s'],
    ['milliseconds', null, '–'],
    ['bytes', 0, '0 B'],
    ['bytes', 1023, '1,020 B'],
    ['bytes', 1024, '1 KiB'],
    ['bytes', 812345678, '775 MiB'],
    ['percent', 0.5, '50 %'],
    ['duration', 0.4, '0 s'],
    ['duration', 59, '59 s'],
    ['duration', 60, '1 min'],
    ['duration', 252, '4 min 12 s'],
    ['duration', 98765, '1 d 3 h'],
    ['duration', -5, '0 s'],
    ['phrase', 'pet-status-set', 'Pet status set'],
    ['phrase', 'api-key-issued', 'API key issued'],
    ['phrase', 'categoryId', 'Category id'],
    ['utcDay', '2026-06-01', '1 Jun'],
    ['utcDay', 20_605 * 86_400_000, '1 Jun'],
    ['valueText', null, 'none'],
    ['valueText', 7, '7'],
    ['valueText', ['a', 'b'], 'a, b'],
    ['valueText', [], 'none'],
    ['valueText', { a: 1 }, '{"a":1}'],
    ['valueText', '<b>', '<b>'],
  ] as const)('has %s of %p', (name, value, text) => {
    expect(wording[name](value)).toBe(text);
  });

  it('counts times from the clock that it is given', () => {
    expect(wording.ago('2026-01-02T03:03:53Z', NOW)).toBe('12 s ago');
    expect(wording.ago(NOW + 500, NOW)).toBe('just now');
    expect(wording.until('2026-01-02T03:05:04.100Z', NOW)).toBe('1 min');
  });

  it.each([
    ['oldest_seconds', 0.25, '250 ms'],
    ['oldest_seconds', 3700, '1 h 1 min'],
    ['size_bytes', 2048, '2 KiB'],
    ['orders_total', 1200, '1,200'],
  ])('takes the unit of a metric from the name %s', (name, value, text) => {
    expect(wording.figureText(name, value)).toBe(text);
  });
});

describe('the points of the console', () => {
  const columns = ['time', 'p50'];
  const rows = [
    [1, null],
    [2, 5],
  ];
  const first = model.appendPoints(model.noPoints, { columns, last: 2, rows });

  it('are one list for each column, and grow at the end', () => {
    const series = { time: [1, 2, 3], p50: [null, 5, null] };
    expect(model.appendPoints(first, { columns, last: 3, rows: [[3, null]] })).toEqual({ last: 3, series });
  });

  it('are replaced if the service was started again', () => {
    expect(model.appendPoints(first, { columns, last: 1, rows: [[9, 1]] })).toEqual({ last: 1, series: { time: [9], p50: [1] } });
    expect(model.appendPoints(first, { columns: [], last: 0, rows: [] })).toEqual({ last: 0, series: { time: [] } });
  });

  it('are those of five minutes at most', () => {
    const many = Array.from({ length: 400 }, (_, index) => [index, index]);
    const { series } = model.appendPoints(first, { columns, last: 402, rows: many });
    expect([series['time']?.length, series['time']?.[0]]).toEqual([300, 100]);
  });

  it('have a newest value and a sum, even without any', () => {
    expect([[null, 5], [1, null], undefined, [null]].map((values) => model.newest(values))).toEqual([5, 1, null, null]);
    expect([model.total([1, null, 2]), model.total()]).toEqual([3, 0]);
  });
});

describe('the state of the service', () => {
  const database = { name: 'database', state: 'ready' };
  const limiter = { name: 'limiter', state: 'degraded', detail: 'alone' };
  const lost = { ...database, state: 'unavailable' };

  it.each([
    ['ready', { status: 'ready', draining: false, parts: [database, database] }, 'All 2 parts are ready.'],
    [
      'degraded',
      { status: 'ready', draining: false, parts: [database, limiter] },
      'The service works, but with less than it should: limiter (alone).',
    ],
    ['unavailable', { status: 'unavailable', draining: false, parts: [lost, limiter] }, 'Unavailable: database.'],
    [
      'draining',
      { status: 'unavailable', draining: true, parts: [database] },
      'The service is shutting down and finishes its running requests.',
    ],
  ])('is %s', (state, health, sentence) => {
    expect(model.describeHealth(health)).toEqual({ state, sentence });
  });

  it.each([
    ['without any answer', { answeredAt: null, isFinal: false, now: 0 }, true],
    ['2.499 s after the last answer', { answeredAt: 1_000, isFinal: false, now: 3_499 }, false],
    ['2.5 s after the last answer', { answeredAt: 1_000, isFinal: false, now: 3_500 }, true],
    ['if asking again does not help', { answeredAt: 1_000, isFinal: true, now: 1_001 }, true],
  ])('is lost by a failure %s: %p', (_when, connection, isLost) => {
    expect(model.isLost(connection)).toBe(isLost);
  });
});

describe('the history of a stream', () => {
  it('takes a number for an animal, and everything else as it is', () => {
    expect([' 7 ', '007', 'order-3', ''].map((text) => model.parseStream(text))).toEqual(['pet-7', 'pet-7', 'order-3', '']);
  });

  it.each([
    ['petId', '7', 'pet-7'],
    ['orderId', 3, 'order-3'],
    ['categoryId', 3, null],
    ['petId', 'x', null],
  ])('has the stream that %s %p refers to', (name, value, stream) => {
    expect(model.referencedStream(name, value)).toBe(stream);
  });

  it('has the value that a member had before, if it has changed', () => {
    const events = [{ name: 'Rex', status: 'available' }, { status: 'sold' }, { status: 'sold' }, null].map((data) => ({ data }));
    const added = [
      { name: 'name', value: 'Rex' },
      { name: 'status', value: 'available' },
    ];
    const sold = { name: 'status', value: 'sold' };
    expect(model.listChanges(events)).toEqual([added, [{ ...sold, before: 'available' }], [sold], []]);
  });
});

describe('the actor of an event', () => {
  it.each([
    ['api-key-7', true],
    ['alice@host', false],
    ['api-key-7@host', false],
    ['system', false],
    [undefined, false],
  ])('%p is an API key: %p', (actor, isApiKey) => {
    expect(model.isApiKey(actor)).toBe(isApiKey);
  });
});

describe('the keys of the console', () => {
  it('are searched by the filters that have a value', () => {
    expect(keyModel.keySearchPath({ name: ' a&b ', owner: '', status: 'banned', above: '80' })).toBe(
      'keys?name=a%26b&status=banned&above=80',
    );
    expect(keyModel.keySearchPath({ name: '  ', owner: '' })).toBe('');
  });

  it.each([
    [null, ''],
    [{ items: [1, 2], total: 2 }, ''],
    [{ items: [1, 2], total: 1_200 }, '2 of 1,200 keys, last used first.'],
    [{ items: [], more: false }, 'No keys fit.'],
    [{ items: [1], more: false }, '1 key fits.'],
    [{ items: [1, 2], more: false }, '2 keys fit.'],
    [{ items: [1, 2], more: true }, 'The first 2 keys that fit; there are more.'],
  ])('%j are described as %p', (keys, sentence) => {
    expect(keyModel.describeKeys(keys)).toBe(sentence);
  });

  it('stand by ban, then by the minute of the last use', () => {
    const used = (id: string, lastUsedAt: string | null, state = 'active') => ({ id, lastUsedAt, state });
    const keys = [
      used('10', null),
      used('9', null),
      used('3', '2026-01-02T03:04:10Z'),
      used('2', '2026-01-02T03:04:00Z'),
      used('1', '2026-01-02T03:03:59Z'),
      used('4', null, 'banned'),
    ];
    const order = [...keys].sort((one, other) => Number(keyModel.byBanAndUse(one, other)));
    expect(order.map(({ id }) => id)).toEqual(['4', '2', '3', '1', '9', '10']);
    expect(keyModel.countBans({ items: keys })).toBe(1);
  });

  it('have a sentence on their usage', () => {
    const days = (...counts: readonly (readonly [requests: number, refusals: number])[]) =>
      counts.map(([requests, refusals], index) => ({ date: `2026-06-0${index + 1}`, requests, refusals }));
    const sentences = [days([0, 0], [0, 0]), days([5, 0], [1_200, 3]), days([0, 2], [0, 1])].map((each) => keyModel.describeUsage(each));
    expect(sentences).toEqual([
      'No request in 2 days.',
      '1,205 requests let through in 2 days, at most 1,200 on a day (2 Jun); 3 refused.',
      '0 requests let through in 2 days; 3 refused.',
    ]);
  });
});
