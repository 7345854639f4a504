import { ApplicationError } from '#libs/errors';

/** A stream was not at the version its writer expected. */
export class ConcurrencyError extends Error {
  override readonly name = 'ConcurrencyError';

  constructor(
    readonly stream: string,
    readonly expected: string | number,
    readonly actual: number,
  ) {
    super(`Stream ${stream} is at version ${actual}, expected ${expected}.`);
  }
}

export class IdempotencyKeyReusedError extends ApplicationError {
  override readonly name = 'IdempotencyKeyReusedError';

  constructor() {
    super('idempotency_key_reused', 'This Idempotency-Key was used with another body; use a new key for a new request.');
  }
}

export class IdempotencyKeyInProgressError extends ApplicationError {
  override readonly name = 'IdempotencyKeyInProgressError';

  constructor() {
    super('idempotency_key_in_progress', 'A request with this Idempotency-Key is still running; repeat it when that one has ended.', {
      headers: { 'retry-after': '1' },
    });
  }
}
