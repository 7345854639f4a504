import { GroupedLoader } from './grouped-loader.js';

describe('a grouped loader', () => {
  interface Condition {
    readonly after?: bigint;
    readonly asOf?: Date;
  }
  const readings: [readonly number[], Condition][] = [];
  const loader = new GroupedLoader<Condition, number, string>(async (keys, condition) => {
    readings.push([keys, condition]);
    return new Map(keys.filter((key) => key < 100).map((key) => [key, `value ${key}`]));
  });
  beforeEach(() => (readings.length = 0));

  it('reads at once what is asked for together under equal conditions', async () => {
    const request = {};
    const asOf = () => ({ after: 2n ** 63n - 1n, asOf: new Date(7) });
    const values = await Promise.all([
      loader.load(request, 1, {}),
      loader.load(request, 1, asOf()),
      loader.load(request, 2, {}),
      loader.load(request, 100, asOf()),
    ]);
    expect(values).toEqual(['value 1', 'value 1', 'value 2', undefined]);
    expect(readings).toEqual([
      [[1, 2], {}],
      [[1, 100], asOf()],
    ]);
  });

  it('takes conditions apart that differ in an int64 or a millisecond', async () => {
    const request = {};
    const conditions = [{ after: 2n ** 62n }, { after: 2n ** 62n + 1n }, { asOf: new Date(7) }, { asOf: new Date(8) }];
    await Promise.all(conditions.map((condition) => loader.load(request, 1, condition)));
    expect(readings.map(([, condition]) => condition)).toEqual(conditions);
  });

  it('keeps nothing for later, and shares nothing between requests', async () => {
    const request = {};
    await loader.load(request, 1, {});
    await Promise.all([loader.load(request, 1, {}), loader.load({}, 1, {})]);
    expect(readings).toHaveLength(3);
  });
});
