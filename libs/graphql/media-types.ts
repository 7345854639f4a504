import { ApplicationError } from '#libs/observability';
import Negotiator from 'negotiator';

const JSON_MEDIA_TYPE = 'application/json';
const GRAPHQL_MEDIA_TYPE = 'application/graphql-response+json';
const UTF_8 = ';charset=utf-8';
const REPRESENTATIONS = [JSON_MEDIA_TYPE, GRAPHQL_MEDIA_TYPE, JSON_MEDIA_TYPE + UTF_8, GRAPHQL_MEDIA_TYPE + UTF_8];

/** @throws ApplicationError `not_acceptable` if the client accepts neither media type of the response */
export function checkGraphqlAccept(accept: string | undefined): void {
  if (accept === undefined || accept === '' || preferred(accept) !== undefined) return;
  throw new ApplicationError(
    'not_acceptable',
    `The answer is ${GRAPHQL_MEDIA_TYPE} or ${JSON_MEDIA_TYPE}, neither of which the Accept header allows.`,
  );
}

/** Whether the response to a request with this `Accept` is plain JSON, as it is without one. */
export function prefersPlainJson(accept: string | undefined): boolean {
  return accept === undefined || accept === '' || (preferred(accept)?.startsWith(JSON_MEDIA_TYPE) ?? true);
}

function preferred(accept: string): string | undefined {
  return new Negotiator({ headers: { accept } }).mediaType(REPRESENTATIONS);
}
