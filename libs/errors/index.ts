export { errorTable, type ErrorCode } from './error-table.js';
export { ApplicationError, type ApplicationErrorOptions, type ErrorBody } from './application-error.js';
