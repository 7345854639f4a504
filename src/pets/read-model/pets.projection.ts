import { DailyCounts, filter, streamProjection, type FilterValues } from '#libs/event-sourcing';
import { petDecider, type PetState } from '../domain/pet.decider.js';
import { petEvents } from '../domain/pet.events.js';
import { PET_STATUSES } from '../domain/pet.js';
import { petCounts } from './pet-counts.js';
import { PetDailyCount, PetRow } from './pet.entity.js';

/** Numbers of the animals that are not withdrawn, and of all adopted ones by category and days, such as `7/12`. */
export const petDailyCounts = new DailyCounts<PetRow>(PetDailyCount, {
  status: ({ isWithdrawn, status }) => (isWithdrawn ? undefined : (status ?? null)),
  category: ({ isWithdrawn, categoryId }) => (isWithdrawn ? undefined : categoryId),
  adoption: ({ categoryId, daysToAdoption }) => (daysToAdoption === undefined ? undefined : `${categoryId}/${daysToAdoption}`),
});

/** All animals that were ever added, one row each, and the counts of them. */
export const petsProjection = streamProjection({
  entity: PetRow,
  version: 5,
  events: petEvents,
  searched: ['foldedName'],
  evolve(pet, event) {
    const before: PetState = pet ? { kind: pet.isWithdrawn ? 'withdrawn' : 'present', details: pet } : petDecider.initialState;
    const after = petDecider.evolve(before, event);
    if (after.kind === 'none') return undefined;
    const { name, status } = after.details;
    const isAdopted = event.type === 'pet-status-set' && status === 'sold' && pet !== undefined && pet.status !== 'sold';
    const daysToAdoption = isAdopted ? wholeDays(pet.addedAt, event.recordedAt) : status === 'sold' ? pet?.daysToAdoption : undefined;
    return {
      ...pet,
      ...after.details,
      foldedName: name,
      daysToAdoption,
      addedAt: pet?.addedAt ?? event.recordedAt,
      isWithdrawn: after.kind === 'withdrawn',
      ...(event.type === 'pet-withdrawn' && { withdrawnAt: event.recordedAt, withdrawalReason: event.data.reason }),
    };
  },
  further: [petCounts, petDailyCounts],
});

function wholeDays(from: Date, until: Date): number {
  return Math.max(Math.floor((until.getTime() - from.getTime()) / 86_400_000), 0);
}

/** How the list of animals can be narrowed. */
export const petFilters = {
  ids: filter.ids('id', { description: 'Only the animals with these ids.' }),
  statusIn: filter.words('status', PET_STATUSES, {
    parameter: 'status',
    unset: 'unset',
    description: 'Only animals with one of these statuses.',
  }),
  hasStatus: filter.present('status', { description: 'Only animals that have a status, or only those that have none.' }),
  categoryIn: filter.ids('categoryId', { parameter: 'categoryId', description: 'Only animals of these categories.' }),
  nameContains: filter.contains('foldedName', {
    parameter: 'name',
    description: 'Only animals whose name contains this text of at least 2 characters, in any case.',
  }),
  addedSince: filter.since('addedAt', { parameter: 'addedSince', description: 'Only animals that were added at this moment or later.' }),
  addedBefore: filter.before('addedAt', { parameter: 'addedBefore', description: 'Only animals that were added before this moment.' }),
  withdrawn: filter.flag('isWithdrawn', {
    otherwise: false,
    description: 'True: only withdrawn animals; otherwise only those that are not.',
  }),
};

export type PetFilters = FilterValues<typeof petFilters>;
