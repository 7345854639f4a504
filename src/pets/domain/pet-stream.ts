/** The category of the streams of animals, one stream an animal. */
export const PET_CATEGORY = 'pet';

/** The stream of the animal with this id, such as `pet-17`. */
export function petStream(id: bigint): string {
  return `${PET_CATEGORY}-${id}`;
}

/** The id of the animal whose stream this is. */
export function petIdOf(stream: string): bigint {
  return BigInt(stream.slice(PET_CATEGORY.length + 1));
}
