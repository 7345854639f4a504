type Functions<Name extends string> = Record<Name, (...values: readonly unknown[]) => unknown>;
type Points = { readonly last: number | null; readonly series: Readonly<Record<string, readonly (number | null)[]>> };

// Scripts of the page have no types: a name in a variable keeps the compiler from looking for some.
const files = { model: './model.mjs', keys: './key-model.mjs' };

describe('the scripts of the console page', () => {
  let model: Functions<'describeHealth' | 'isLost'> & {
    readonly noPoints: Points;
    appendPoints(points: Points, response: object): Points;
  };
  let keyModel: Functions<'byBanAndUse' | 'keySearchPath'>;
  beforeAll(async () => {
    model = (await import(files.model)) as typeof model;
    keyModel = (await import(files.keys)) as typeof keyModel;
  });

  it('keep the points of five minutes at most, and replace all if the service was started again', () => {
    const columns = ['time', 'p50'];
    const rows = Array.from({ length: 400 }, (_, index) => [index, index]);
    const many = model.appendPoints(model.noPoints, { columns, last: 400, rows });
    const { series } = model.appendPoints(many, { columns, last: 401, rows: [[400, null]] });
    expect([series['time']?.length, series['time']?.at(-1), series['p50']?.at(-1)]).toEqual([300, 400, null]);
    expect(model.appendPoints(many, { columns, last: 1, rows: [[9, 1]] })).toEqual({ last: 1, series: { time: [9], p50: [1] } });
  });

  it('tell the state of the service by its worst part', () => {
    const part = (state: string) => ({ name: 'database', state });
    const stateOf = (draining: boolean, ...states: string[]) =>
      (model.describeHealth({ status: 'ready', draining, parts: states.map(part) }) as { state: string }).state;
    expect([stateOf(false, 'ready'), stateOf(false, 'degraded', 'ready')]).toEqual(['ready', 'degraded']);
    expect([stateOf(false, 'degraded', 'unavailable'), stateOf(true, 'ready')]).toEqual(['unavailable', 'draining']);
  });

  it('take a connection for lost after 2.5 seconds without an answer, or where asking again does not help', () => {
    const answered = { answeredAt: 1_000, isFinal: false };
    expect([3_499, 3_500].map((now) => model.isLost({ ...answered, now }))).toEqual([false, true]);
    expect([model.isLost({ ...answered, answeredAt: null, now: 0 }), model.isLost({ ...answered, isFinal: true, now: 0 })]).toEqual([
      true,
      true,
    ]);
  });

  it('search for keys by the filters that have a value, and show banned ones first, then by the minute of the last use', () => {
    expect(keyModel.keySearchPath({ name: ' a&b ', owner: '', above: '80' })).toBe('keys?name=a%26b&above=80');
    expect(keyModel.keySearchPath({ name: '  ', owner: '' })).toBe('');
    const used = (id: string, seconds?: string, state = 'active') => ({
      ...{ id, state },
      lastUsedAt: seconds === undefined ? null : `2026-01-02T03:${seconds}Z`,
    });
    const keys = [used('10'), used('9'), used('3', '04:10'), used('2', '04:00'), used('1', '03:59'), used('4', undefined, 'banned')];
    const order = keys.toSorted((one, other) => Number(keyModel.byBanAndUse(one, other)));
    expect(order.map(({ id }) => id)).toEqual(['4', '2', '3', '1', '9', '10']);
  });
});
