import { ApplicationError, errorCodes } from '#libs/errors';

/** The code that is told to clients beside those of the error table. */
export const feedErrors = errorCodes({
  too_many_streams: { status: 429, description: 'The key has as many streams open as it may have at once; end one first.' },
});

// Soon after a stream of the same client has ended, and seldom enough for those that never end theirs.
const RETRY_AFTER_SECONDS = 10;

/** The key has all the streams open that it may have. It is no refusal by the limits of the plan, so that it never leads to a ban. */
export class TooManyStreamsError extends ApplicationError {
  override readonly name = 'TooManyStreamsError';

  constructor(most: number) {
    super(
      feedErrors.too_many_streams,
      `This API key has ${most} streams open on this instance, as many as it may have; end one, or try again in ${RETRY_AFTER_SECONDS} s.`,
      { headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` } },
    );
  }
}

/** The instance has all the streams open that it may have, or is about to end. */
export class NoMoreStreamsError extends ApplicationError {
  override readonly name = 'NoMoreStreamsError';

  constructor() {
    super('service_unavailable', `This instance takes no more streams; try again in ${RETRY_AFTER_SECONDS} s, or ask for pages.`, {
      headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` },
    });
  }
}
