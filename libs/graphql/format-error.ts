import { toApplicationError } from '#libs/http';
import { ApplicationError, coreErrors, type ErrorCode, type FieldError } from '#libs/observability';
import { GraphQLError, isValueNode, Kind, type GraphQLFormattedError } from 'graphql';
import { BOUNDS } from './bounds.js';

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

/** When an error came about: before the operation ran, or from then on, its variables included. */
export type Phase = 'check' | 'run';

interface FormattedError extends GraphQLFormattedError {
  readonly extensions: { readonly code: string; readonly errors?: readonly FieldError[] };
}

/** Returns the message of an error, where it happened, a code of the error table and the values that are refused; nothing else reaches a client. */
export function formatError(error: GraphQLError, phase: Phase): FormattedError {
  const { message, code, errors = [] } = describe(error, phase);
  const { locations, path } = error.toJSON();
  return {
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: errors.length === 0 ? { code } : { code, errors },
  };
}

/** Returns the error inside the wrappers of graphql-js. */
export function rootCause(thrown: unknown): unknown {
  return thrown instanceof GraphQLError && thrown.originalError ? rootCause(thrown.originalError) : thrown;
}

function describe(
  error: GraphQLError,
  phase: Phase,
): Pick<ApplicationError, 'message' | 'code'> & Partial<Pick<ApplicationError, 'errors'>> {
  const cause = rootCause(error);
  if (cause instanceof ApplicationError) return cause;
  const code = findErrorCode(error, phase);
  return code ? { message: ABORTED_VALIDATION.get(error.message) ?? error.message, code } : toApplicationError(cause);
}

/** Returns the code of a mistake of the client. A value is always that of an argument. */
function findErrorCode({ nodes, path, extensions: { code } }: GraphQLError, phase: Phase): ErrorCode | undefined {
  if (typeof code === 'string' && Object.hasOwn(coreErrors, code)) return code as ErrorCode;
  const [node] = nodes ?? [];
  const isValue = node !== undefined && isValueNode(node);
  if (phase === 'check') return isValue && node.kind !== Kind.VARIABLE ? 'invalid_parameter' : 'invalid_request';
  // Without a path it is a variable. One with a default is allowed where null is not: that it is null shows when the field runs (section 6.4.1).
  return isValue || path === undefined ? 'invalid_parameter' : undefined;
}
