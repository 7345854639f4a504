import type { ErrorCode } from '#libs/errors';
import { GraphQLError } from 'graphql';

const BAD_REQUEST = 400;

/** Refuses a document as a whole, before any of its fields runs. */
export function refusal(message: string, code: ErrorCode = 'invalid_request'): GraphQLError {
  return new GraphQLError(message, { extensions: { code, http: { status: BAD_REQUEST } } });
}
