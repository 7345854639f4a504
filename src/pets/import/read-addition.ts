import { parseJson } from '#libs/api-kit';
import type { EventMetadata, StreamAppend } from '#libs/event-store';
import { additionOf } from '../commands/add-pet.command.js';
import { readAddPetRequest } from '../rest/add-pet.request.js';

/**
 * What is to be appended for an animal written as the body of a request that adds one: the same JSON, the same rules.
 * @throws ApplicationError `invalid_request` naming every fault.
 */
export function readAddition(json: string, metadata: EventMetadata): StreamAppend {
  return additionOf(readAddPetRequest(parseJson(json), metadata));
}
