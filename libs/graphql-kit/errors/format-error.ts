import { toApplicationError } from '#libs/api-kit';
import { ApplicationError, errorTable, type ErrorCode } from '#libs/errors';
import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import { BOUNDS } from '../bounds/bounds.js';

const VALUE_KINDS: ReadonlySet<string> = new Set([
  Kind.INT,
  Kind.FLOAT,
  Kind.STRING,
  Kind.BOOLEAN,
  Kind.NULL,
  Kind.ENUM,
  Kind.LIST,
  Kind.OBJECT,
]);
const SUGGESTION = / ?Did you mean .+\?$/s;

/** The codes that the server and the library of the language use for what a client got wrong. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  GRAPHQL_PARSE_FAILED: 'invalid_request',
  GRAPHQL_VALIDATION_FAILED: 'invalid_request',
  OPERATION_RESOLUTION_FAILURE: 'invalid_request',
  BAD_REQUEST: 'invalid_request',
  PERSISTED_QUERY_NOT_FOUND: 'invalid_request',
  PERSISTED_QUERY_NOT_SUPPORTED: 'invalid_request',
  BAD_USER_INPUT: 'invalid_parameter',
};

/** What the library of the language says when it gives up validating a document, with the bound that was reached in words. */
const REASONS_OF_ABORTED_VALIDATION: ReadonlyMap<string, string> = new Map([
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

/** An error as a client is told of it: its message, where it happened, and a code of the error table, nothing else. */
export function formatError(thrown: unknown, { hideSuggestions }: { readonly hideSuggestions: boolean }): GraphQLFormattedError {
  const { message, code } = describe(thrown);
  const { locations, path } = thrown instanceof GraphQLError ? thrown.toJSON() : {};
  return {
    message: hideSuggestions ? message.replace(SUGGESTION, '') : message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { code },
  };
}

/** What was thrown first, below what the layers wrapped around it. */
export function rootCause(thrown: unknown): unknown {
  return thrown instanceof GraphQLError && thrown.originalError ? rootCause(thrown.originalError) : thrown;
}

function describe(thrown: unknown): { readonly message: string; readonly code: string } {
  const cause = rootCause(thrown);
  if (cause instanceof ApplicationError) return cause;
  if (thrown instanceof GraphQLError) {
    const code = codeOf(thrown) ?? (cause instanceof GraphQLError ? (codeOf(cause) ?? codeOfArgument(cause)) : undefined);
    if (code) return { message: REASONS_OF_ABORTED_VALIDATION.get(thrown.message) ?? thrown.message, code };
  }
  return toApplicationError(cause);
}

/** A variable with a default may stand where null may not: whether it is null is known when the field runs (section 6.4.1). */
function codeOfArgument({ nodes }: GraphQLError): ErrorCode | undefined {
  return nodes?.[0]?.kind === Kind.VARIABLE ? 'invalid_parameter' : undefined;
}

function codeOf(error: GraphQLError): ErrorCode | undefined {
  const { code, http } = error.extensions as { readonly code?: unknown; readonly http?: { readonly status?: unknown } };
  if (typeof code !== 'string') return undefined;
  if (Object.hasOwn(errorTable, code)) return code as ErrorCode;
  if (http?.status === errorTable.method_not_allowed) return 'method_not_allowed';
  // A value in a document is always that of an argument.
  if (code === 'GRAPHQL_VALIDATION_FAILED' && VALUE_KINDS.has(error.nodes?.[0]?.kind ?? '')) return 'invalid_parameter';
  return CODES[code];
}
