export {
  ApplicationError,
  errorCodes,
  errorTable,
  type ApplicationErrorOptions,
  type ErrorBody,
  type ErrorCode,
  type ErrorCodes,
  type ErrorDefinition,
} from './application-error.js';
export { explainErrors, type ErrorExplanation } from './error-explanations.js';
