import fc from 'fast-check';
import { TransactionPace } from './import-pets.command.js';

describe('TransactionPace', () => {
  it('comes to half of 50 ms a transaction for any steady speed', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.03, max: 20, noNaN: true }), (millisecondsEach) => {
        const pace = new TransactionPace();
        for (let count = 0; count < 20; count += 1) pace.record(pace.size, pace.size * millisecondsEach);
        expect(pace.size * millisecondsEach).toBeLessThanOrEqual(25.001);
        expect((pace.size + 1) * millisecondsEach).toBeGreaterThan(24.999);
      }),
    );
  });

  it('leaves half of the time it took to others, 5 ms at least', () => {
    const pace = new TransactionPace();
    expect(pace.record(8, 40)).toBe(20);
    expect(pace.record(8, 1)).toBe(5);
  });
});
