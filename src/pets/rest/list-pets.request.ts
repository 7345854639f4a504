import { decodeCursor, encodeCursor, nextLink, readEnum, readInteger, readQuery } from '#libs/api-kit';
import type { FastifyRequest } from 'fastify';
import { PET_STATUSES } from '../domain/pet-status.js';
import type { PetsPage } from '../queries/list-pets.query.js';

const DEFAULT_LIMIT = 20;
const LIMITS = { minimum: 1, maximum: 100 };

/**
 * Reads which page of the animals a request asks for.
 * @throws ApplicationError `invalid_parameter` naming the query parameter at fault.
 */
export function readListPetsRequest(request: Pick<FastifyRequest, 'query'>): PetsPage {
  const { limit, status, cursor } = readQuery(request, ['limit', 'status', 'cursor']);
  return {
    limit: limit === undefined ? DEFAULT_LIMIT : readInteger('limit', limit, LIMITS),
    ...(status !== undefined && { status: readEnum('status', status, PET_STATUSES) }),
    ...(cursor !== undefined && { after: decodeCursor(cursor, { status }) }),
  };
}

/** The `Link` to the page that follows `page` after the animal `last` (RFC 8288). */
export function nextPageLink({ limit, status }: PetsPage, last: bigint): string {
  return nextLink('/v1/pets', { limit: limit.toString(), status, cursor: encodeCursor(last, { status }) });
}
