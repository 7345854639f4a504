import { publicResource } from '#libs/public-events';
import { petDecider } from './domain/pet.decider.js';
import { PET_CATEGORY, toPet } from './domain/pet.js';
import { petExample, petSchema } from './rest/pet.request.js';

/** What others are told of animals: each as it was just after what happened, one that is withdrawn as it last was. */
export const publishedPets = publicResource({
  category: PET_CATEGORY,
  collection: 'pets',
  schema: petSchema,
  example: (type) => (type === 'pet.status_changed' ? { ...petExample, status: 'pending' } : petExample),
  decider: petDecider,
  show: (id, { state }) => (state.kind === 'none' ? undefined : toPet({ id, ...state.details })),
});
