import { eventsUntil, petAsOf, type TimedPetEvent } from './pet-history.js';

const at = (milliseconds: number) => new Date(Date.UTC(2026, 0, 1) + milliseconds);

const events: readonly TimedPetEvent[] = [
  { type: 'pet-added', data: { name: 'Rex', categoryId: '7' }, recordedAt: at(0) },
  { type: 'pet-status-set', data: { status: 'sold' }, recordedAt: at(5) },
  { type: 'pet-withdrawn', data: { reason: 'gone' }, recordedAt: at(9) },
];

describe('an animal as of a moment', () => {
  it('is folded from the events up to that millisecond', () => {
    const added = { id: 1n, name: 'Rex', categoryId: 7n, addedAt: at(0) };
    expect(petAsOf(1n, events, at(-1))).toBeUndefined();
    expect(petAsOf(1n, events, at(0))).toEqual(added);
    expect(petAsOf(1n, events, at(4))).toEqual(added);
    expect(petAsOf(1n, events, at(5))).toEqual({ ...added, status: 'sold' });
    expect(petAsOf(1n, events, at(9))).toBeUndefined();
    expect(petAsOf(1n, [], at(9))).toBeUndefined();
  });

  it('takes the first of the events, all of a millisecond or none, also where times of an old log go back', () => {
    const timed = (...times: number[]) => times.map((time) => ({ recordedAt: at(time) }));
    const countAt = (moment: number, ...times: number[]) => eventsUntil(timed(...times), at(moment)).length;
    expect(countAt(5, 1, 5, 5, 6)).toBe(3);
    expect(countAt(4, 1, 5, 5, 6)).toBe(1);
    expect(countAt(5, 1, 9, 3)).toBe(1);
    expect(countAt(9, 1, 9, 3)).toBe(3);
  });
});
