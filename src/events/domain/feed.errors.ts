import { ApplicationError, errorCodes } from '#libs/observability';

/** Error codes of this module. */
export const feedErrors = errorCodes({
  too_many_streams: { status: 429, description: 'The key has as many streams open as it may have at once; end one first.' },
});

const RETRY_AFTER_SECONDS = 10;

/** The key has reached its limit of open streams. It does not count towards a ban. */
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

/** The instance has reached its limit of open streams, or shuts down. */
export class NoMoreStreamsError extends ApplicationError {
  override readonly name = 'NoMoreStreamsError';

  constructor() {
    super('service_unavailable', `This instance takes no more streams; try again in ${RETRY_AFTER_SECONDS} s, or ask for pages.`, {
      headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` },
    });
  }
}
