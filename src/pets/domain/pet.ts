/** Availability for adoption. An animal may have none. */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/** What is known of an animal besides its id. */
export interface PetDetails {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
}

/** An animal as REST and the command line show it. */
export interface Pet extends PetDetails {
  readonly id: bigint;
}

/** An animal as it is, or was at some moment. */
export interface PetSnapshot extends Pet {
  readonly addedAt: Date;
}

/** Which animals are meant: those that have everything that is given. */
export interface PetFilter {
  readonly status?: PetStatus;
  readonly categoryId?: bigint;
}

/** The category of the streams of animals, one stream an animal. */
export const PET_CATEGORY = 'pet';

/** The stream of the animal with this id, such as `pet-17`. */
export function petStream(id: bigint): string {
  return `${PET_CATEGORY}-${id}`;
}

/** The id of the animal whose stream this is. */
export function parsePetId(stream: string): bigint {
  return BigInt(stream.slice(PET_CATEGORY.length + 1));
}

/** The animal alone, without what else is known with it. */
export function toPet({ id, name, categoryId, status }: Pet): Pet {
  return { id, name, categoryId, ...(status && { status }) };
}
