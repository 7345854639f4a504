import { ApplicationError } from '#libs/errors';

/** A limit is used up. `retryAfter`: whole seconds after which a request is served. */
export class RateLimitedError extends ApplicationError {
  override readonly name = 'RateLimitedError';

  constructor({ limit, retryAfter }: { readonly limit: number; readonly retryAfter: number }) {
    super('rate_limited', `The limit of ${limit} requests is used up; try again in ${retryAfter} s, and back off exponentially.`, {
      headers: { 'retry-after': `${retryAfter}` },
    });
  }
}

/** The key went on sending after it was told to wait. `retryAfter`: whole seconds to the end of the ban. */
export class KeyBannedError extends ApplicationError {
  override readonly name = 'KeyBannedError';

  constructor({ retryAfter }: { readonly retryAfter: number }) {
    super('key_banned', `This API key is banned for ${retryAfter} s, because it went on sending after 429 answers.`, {
      headers: { 'retry-after': `${retryAfter}` },
    });
  }
}
