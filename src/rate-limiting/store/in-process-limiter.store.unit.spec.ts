import { toWindowLimits } from '../../auth/index.js';
import { NEVER_BANNED, type Counts } from '../domain/decision.js';
import { InProcessLimiterStore } from './in-process-limiter.store.js';

const START = Date.UTC(2026, 0, 1, 12);
const windows = toWindowLimits({ perMinute: 2, perDay: 1_000 });
const rules = { after: 1, grace: 0, ladder: [60_000] };
const key = (keyId: bigint) => ({ keyId, windows, ban: NEVER_BANNED, rules });
const address = (name: string) => ({ address: name, windows });
const createStore = () => new InProcessLimiterStore();

describe('the counters in this process', () => {
  it('are no more than 100,000 addresses, and the ones used last stay', () => {
    const store = createStore();
    for (const name of ['busy', 'busy', 'idle', 'idle']) store.decide(address(name), START);
    for (let index = 0; index < 99_999; index += 1) {
      store.decide(address(`client ${index}`), START);
      if (index % 1_000 === 0) store.decide(address('busy'), START);
    }
    // Callers that are only told what they have left push nobody out.
    for (let index = 0; index < 100_000; index += 1) store.inspect(address(`told ${index}`), START);
    expect(store.decide(address('busy'), START).outcome).toBe('refused');
    expect(store.decide(address('idle'), START).outcome).toBe('admitted');
  });

  it('are reported with each change, as what stands then, and not for a banned key', () => {
    const store = createStore();
    const changed: [bigint, Counts][] = [];
    store.onChange = (keyId, counts) => changed.push([keyId, counts]);
    store.decide(key(1n), START);
    store.decide(key(1n), START);
    store.decide(key(2n), START);
    store.decide(address('192.0.2.1'), START);
    expect(changed.map(([keyId, counts]) => [keyId, counts.windows[0]?.used])).toEqual([
      [1n, 2],
      [1n, 2],
      [2n, 1],
    ]);
    for (let request = 0; request < 2; request += 1) store.decide(key(1n), START);
    const { length } = changed;
    expect(store.decide(key(1n), START).outcome).toBe('banned');
    expect(changed).toHaveLength(length);
  });
});
