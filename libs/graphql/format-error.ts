import { toApplicationError } from '#libs/http';
import { ApplicationError, coreErrors, type ErrorCode } from '#libs/observability';
import { GraphQLError, isValueNode, Kind, type GraphQLFormattedError } from 'graphql';
import { BOUNDS } from './bounds.js';

const SUGGESTION = / ?Did you mean .+\?$/s;

/** Our codes for those of Apollo and graphql-js about mistakes of clients. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: 'invalid_request',
  GRAPHQL_VALIDATION_FAILED: 'invalid_request',
  OPERATION_RESOLUTION_FAILURE: 'invalid_request',
  BAD_REQUEST: 'invalid_request',
  PERSISTED_QUERY_NOT_FOUND: 'invalid_request',
  PERSISTED_QUERY_NOT_SUPPORTED: 'invalid_request',
  BAD_USER_INPUT: 'invalid_parameter',
};

/** Messages for those of graphql-js when it stops validating, with the bound that was reached. */
const ABORTED_VALIDATION: ReadonlyMap<string, string> = new Map([
  [
    'Too many validation errors, error limit reached. Validation aborted.',
    `The document has more than ${BOUNDS.mistakes} mistakes; the bound on mistakes is ${BOUNDS.mistakes}.`,
  ],
  [
    'Validation aborted.',
    `The document repeats its fields so often that they take more than ${BOUNDS.comparisons} comparisons; ` +
      `the bound on comparisons is ${BOUNDS.comparisons}.`,
  ],
]);

/** Returns the message of an error, where it happened, a code of the error table and the values that are refused; nothing else reaches a client. */
export function formatError(thrown: unknown, { hideSuggestions }: { readonly hideSuggestions: boolean }): GraphQLFormattedError {
  const { message, code, errors = [] } = describe(thrown);
  const { locations, path } = thrown instanceof GraphQLError ? thrown.toJSON() : {};
  return {
    message: hideSuggestions ? message.replace(SUGGESTION, '') : message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: errors.length === 0 ? { code } : { code, errors },
  };
}

/** Returns the error inside the wrappers of Apollo and graphql-js. */
export function rootCause(thrown: unknown): unknown {
  return thrown instanceof GraphQLError && thrown.originalError ? rootCause(thrown.originalError) : thrown;
}

function describe(thrown: unknown): Pick<ApplicationError, 'message' | 'code'> & Partial<Pick<ApplicationError, 'errors'>> {
  const cause = rootCause(thrown);
  if (cause instanceof ApplicationError) return cause;
  if (thrown instanceof GraphQLError) {
    const code = findErrorCode(thrown) ?? (cause instanceof GraphQLError ? (findErrorCode(cause) ?? codeOfArgument(cause)) : undefined);
    if (code) return { message: ABORTED_VALIDATION.get(thrown.message) ?? thrown.message, code };
  }
  return toApplicationError(cause);
}

/** A variable with a default is allowed where null is not; that it is null shows when the field runs (section 6.4.1). */
function codeOfArgument({ nodes }: GraphQLError): ErrorCode | undefined {
  return nodes?.[0]?.kind === Kind.VARIABLE ? 'invalid_parameter' : undefined;
}

function findErrorCode(error: GraphQLError): ErrorCode | undefined {
  const { code, http } = error.extensions as { readonly code?: unknown; readonly http?: { readonly status?: unknown } };
  if (typeof code !== 'string') return undefined;
  if (Object.hasOwn(coreErrors, code)) return code as ErrorCode;
  if (http?.status === coreErrors.method_not_allowed.status) return 'method_not_allowed';
  // A value in a document is always that of an argument.
  const [node] = error.nodes ?? [];
  if (code === 'GRAPHQL_VALIDATION_FAILED' && node && isValueNode(node) && node.kind !== Kind.VARIABLE) return 'invalid_parameter';
  return CODES[code];
}
