export { ApplicationError, type ApplicationErrorOptions, type ErrorBody } from './application-error.js';
export { errorCodes, type ErrorCodes, type ErrorDefinition } from './error-codes.js';
export { explainErrors, type ErrorExplanation } from './error-explanations.js';
export { errorTable, type ErrorCode } from './error-table.js';
