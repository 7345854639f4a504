import { ApplicationError } from '#libs/errors';

export class ApiKeyNotFoundError extends ApplicationError {
  override readonly name = 'ApiKeyNotFoundError';

  constructor(id: bigint) {
    super('not_found', `There is no API key ${id}.`);
  }
}

export class ApiKeyRevokedError extends ApplicationError {
  override readonly name = 'ApiKeyRevokedError';

  constructor(id: bigint) {
    super('invalid_request', `API key ${id} is revoked and cannot be changed; create a new key.`);
  }
}

export class ApiKeyExpiredError extends ApplicationError {
  override readonly name = 'ApiKeyExpiredError';

  constructor(id: bigint, expiresAt: string) {
    super('invalid_request', `API key ${id} expired at ${expiresAt} and cannot be rotated; create a new key.`);
  }
}

export class UnknownScopeError extends ApplicationError {
  override readonly name = 'UnknownScopeError';

  /** @param known the scopes that there are */
  constructor(known: readonly string[]) {
    super('invalid_request', `scope must be one of ${known.join(', ')}.`);
  }
}

export class LastScopeError extends ApplicationError {
  override readonly name = 'LastScopeError';

  constructor(id: bigint, scope: string) {
    super('invalid_request', `API key ${id} has no scope but ${scope}; add another one first, or revoke the key.`);
  }
}

export class ExpiryNotInFutureError extends ApplicationError {
  override readonly name = 'ExpiryNotInFutureError';

  constructor() {
    super('invalid_request', 'expiresAt must be in the future.');
  }
}

export class PlanLimitsError extends ApplicationError {
  override readonly name = 'PlanLimitsError';

  private constructor(message: string) {
    super('invalid_request', message);
  }

  static missing(): PlanLimitsError {
    return new PlanLimitsError('perMinute and perDay are both required for the plan enterprise.');
  }

  static notAllowed(plan: string): PlanLimitsError {
    return new PlanLimitsError(`perMinute and perDay are for the plan enterprise only; leave them out for ${plan}.`);
  }
}
