import { JsonNumber } from '#libs/api-kit';
import { ApplicationError } from '#libs/errors';
import type { EventMetadata } from '#libs/event-store';
import { parseInt64, violationsOf } from '#libs/validation';
import { AddPet } from '../commands/add-pet.command.js';

const FIELDS = ['name', 'categoryId', 'status'];

/**
 * Reads the body of a request that adds an animal.
 * @throws ApplicationError `invalid_request` naming every unknown field together with every other fault.
 */
export function readAddPetRequest(body: unknown, metadata: EventMetadata, idempotency?: AddPet['idempotency']): AddPet {
  if (!isJsonObject(body)) throw new ApplicationError('invalid_request', `The body must be a JSON object with ${FIELDS.join(', ')}.`);
  const { name, categoryId, status } = body;
  const command = new AddPet({ name, categoryId: int64Of(categoryId), status }, metadata, idempotency);
  const unknown = Object.keys(body).filter((field) => !FIELDS.includes(field));
  if (unknown.length > 0) throw new ApplicationError('invalid_request', [...violationsOf(command), ...unknown.map(refusal)].join('; '));
  return command;
}

function isJsonObject(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof JsonNumber);
}

/** A number written as an int64 as bigint; anything else as it is, for the command's rule to refuse. */
function int64Of(value: unknown): unknown {
  return value instanceof JsonNumber ? (parseInt64(value.source) ?? value) : value;
}

function refusal(field: string): string {
  return `${JSON.stringify(field)} is not a field of a new animal, which takes ${FIELDS.join(', ')}`;
}
