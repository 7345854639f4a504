import { ApplicationError } from '#libs/errors';

/** A stream was not at the version its writer expected: another writer came first. */
export class ConcurrencyError extends ApplicationError {
  override readonly name = 'ConcurrencyError';

  constructor(
    readonly stream: string,
    readonly expected: string | number,
    readonly actual: number,
  ) {
    super('conflict', `Another change of ${stream} came first and nothing was changed; send it again.`);
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
