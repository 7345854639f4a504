import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { MetricsRegistry } from './metrics-registry.js';
import { TalliedHistogram } from './tallied-histogram.js';

const NAME = 'adoption_test_seconds';
const BUCKETS = [0.1, 0.5, 2];

describe('a tallied histogram', () => {
  it('tells the same as the one of prom-client, whatever is observed', async () => {
    const observation = fc.record({
      route: fc.constantFrom('/a', '/"quoted"\n'),
      value: fc.constantFrom(0, 0.05, 0.1, 0.3, 0.5, 1, 2, 2.5),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(observation), async (observations) => {
        const [registry, reference] = [new MetricsRegistry(), new Registry()];
        const tallied = new TalliedHistogram({ name: NAME, help: 'A test', buckets: BUCKETS, registry });
        const expected = new Histogram({ name: NAME, help: 'A test', buckets: BUCKETS, labelNames: ['route'], registers: [reference] });
        const series = new Map<string, ReturnType<TalliedHistogram['addSeries']>>();
        for (const { route, value } of observations) {
          if (!series.has(route)) series.set(route, tallied.addSeries({ route }));
          series.get(route)?.observe(value);
          expected.observe({ route }, value);
        }
        expect(samples(await registry.metrics())).toEqual(samples(await reference.metrics()));
      }),
    );
  });
});

/** The lines of an exposition, with the labels of each in one order. */
function samples(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort().join(',')}}`))
    .sort();
}
