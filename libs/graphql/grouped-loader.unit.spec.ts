import { GroupedLoader } from './grouped-loader.js';

describe('a grouped loader', () => {
  interface Condition {
    readonly after?: bigint;
    readonly asOf?: Date;
  }
  const reads: [readonly number[], Condition][] = [];
  const loader = new GroupedLoader<Condition, number, string>(async (keys, condition) => {
    reads.push([keys, condition]);
    return new Map(keys.filter((key) => key < 100).map((key) => [key, `value ${key}`]));
  });
  beforeEach(() => (reads.length = 0));

  it('reads at once what is loaded together under equal conditions', async () => {
    const request = {};
    const asOf = () => ({ after: 2n ** 63n - 1n, asOf: new Date(7) });
    const values = await Promise.all([
      loader.load(request, 1, {}),
      loader.load(request, 1, asOf()),
      loader.load(request, 2, {}),
      loader.load(request, 100, asOf()),
      loader.load(request, 2, {}),
    ]);
    expect(values).toEqual(['value 1', 'value 1', 'value 2', undefined, 'value 2']);
    expect(reads).toEqual([
      [[1, 2], {}],
      [[1, 100], asOf()],
    ]);
  });

  it('separates conditions that differ in an int64 or a millisecond', async () => {
    const request = {};
    const conditions = [{ after: 2n ** 62n }, { after: 2n ** 62n + 1n }, { asOf: new Date(7) }, { asOf: new Date(8) }];
    await Promise.all(conditions.map((condition) => loader.load(request, 1, condition)));
    expect(reads.map(([, condition]) => condition)).toEqual(conditions);
  });

  it('shares nothing between requests', async () => {
    await Promise.all([loader.load({}, 1, {}), loader.load({}, 1, {})]);
    expect(reads).toHaveLength(2);
  });
});
