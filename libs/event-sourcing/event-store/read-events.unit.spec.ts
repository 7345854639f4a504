import { takeUntil } from './read-events.js';

const at = (milliseconds: number) => new Date(Date.UTC(2026, 0, 1) + milliseconds);

describe('the events up to a moment', () => {
  it('are the first ones, all of a millisecond or none, even if times of an old log go back', () => {
    const timed = (...times: number[]) => times.map((time) => ({ recordedAt: at(time) }));
    const countAt = (moment: number, ...times: number[]) => takeUntil(timed(...times), at(moment)).length;
    expect(countAt(-1, 0, 5)).toBe(0);
    expect(countAt(0, 0, 5)).toBe(1);
    expect(countAt(5, 1, 5, 5, 6)).toBe(3);
    expect(countAt(4, 1, 5, 5, 6)).toBe(1);
    expect(countAt(5, 1, 9, 3)).toBe(1);
    expect(countAt(9, 1, 9, 3)).toBe(3);
  });
});
