import { foldPet, type TimedPetEvent } from './pet.decider.js';

const at = (milliseconds: number) => new Date(Date.UTC(2026, 0, 1) + milliseconds);

const events: readonly TimedPetEvent[] = [
  { type: 'pet-added', data: { name: 'Rex', categoryId: '7' }, recordedAt: at(0) },
  { type: 'pet-status-set', data: { status: 'sold' }, recordedAt: at(5) },
  { type: 'pet-withdrawn', data: { reason: 'gone' }, recordedAt: at(9) },
];

describe('an animal', () => {
  it('is what its events so far have made it', () => {
    const added = { id: 1n, name: 'Rex', categoryId: 7n, addedAt: at(0) };
    const after = (count: number) => foldPet(1n, events.slice(0, count));
    expect(after(0)).toBeUndefined();
    expect(after(1)).toEqual(added);
    expect(after(2)).toEqual({ ...added, status: 'sold' });
    expect(after(3)).toBeUndefined();
  });
});
