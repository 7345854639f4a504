import fc from 'fast-check';
import { decideForRoute, newRouteHits } from './route-hits.js';

describe('an extra limit of a route', () => {
  it('lets through at most its number in each window, which begins with a full second', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(700), { maxLength: 200 }), fc.integer({ min: 1, max: 5 }), (pauses, limit) => {
        const hits = newRouteHits();
        const admitted = new Map<number, number>();
        let now = 1_000_000;
        for (const pause of pauses) {
          now += pause;
          const window = Math.floor(now / 1_000);
          const before = admitted.get(window) ?? 0;
          const decision = decideForRoute(hits, { limit, length: 1_000 }, now);
          expect(decision).toEqual({ at: now, admitted: before < limit, hits: Math.min(before + 1, limit), endsAt: (window + 1) * 1_000 });
          if (decision.admitted) admitted.set(window, before + 1);
        }
      }),
    );
  });
});
