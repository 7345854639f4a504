import { ApplicationError } from '#libs/observability';

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

/** A position that was given out is that of no event any more. */
export class LogRewoundError extends ApplicationError {
  override readonly name = 'LogRewoundError';

  /** @param agreesUpTo the position of the last event before it that there is, 0 where there is none */
  constructor(position: bigint, agreesUpTo: bigint) {
    super(
      'log_rewound',
      `There is no event at position ${position}: the log was failed over or restored without it. What was read before agrees with it up to ` +
        `position ${agreesUpTo}; drop what was read behind that, and go on with after=${agreesUpTo}.`,
    );
  }
}
