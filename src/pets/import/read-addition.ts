import { parseJson, readBody } from '#libs/api-kit';
import type { EventMetadata, StreamAppend } from '#libs/event-store';
import { AddPet, additionOf } from '../commands/add-pet.command.js';
import { newPetBody } from '../rest/pet.request.js';

/**
 * What is to be appended for an animal written as the body of a request that adds one: the same JSON, the same rules.
 * @throws ApplicationError `invalid_request` naming every fault.
 */
export function readAddition(json: string, metadata: EventMetadata): StreamAppend {
  return additionOf(new AddPet(readBody(parseJson(json), newPetBody), metadata));
}
