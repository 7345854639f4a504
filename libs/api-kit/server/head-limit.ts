import { ApplicationError } from '#libs/errors';

export const MAXIMUM_HEAD_BYTES = 16_384;

/** The head of the request, from the method to the empty line, is over `MAXIMUM_HEAD_BYTES`. */
export function headersTooLarge(): ApplicationError {
  return new ApplicationError('headers_too_large', `The head of the request must not be over ${MAXIMUM_HEAD_BYTES} bytes.`);
}
