import { ApplicationError, errorCodes } from '#libs/observability';

/** The error codes of this module. */
export const webhookErrors = errorCodes({
  too_many_webhooks: { status: 409, description: 'This API key has as many webhook endpoints as a key may have.' },
  too_many_secrets: { status: 409, description: 'As many secrets of this webhook endpoint sign as may do at once.' },
  webhook_disabled: { status: 409, description: 'Nothing is sent to a webhook endpoint that is disabled.' },
});

/** There is no endpoint with this id, or it belongs to another API key. */
export class WebhookNotFoundError extends ApplicationError {
  override readonly name = 'WebhookNotFoundError';

  constructor(id: bigint) {
    super('not_found', `There is no webhook endpoint with the id ${id}.`);
  }
}

/** There is no such attempt to send to the endpoint, or it was removed. */
export class DeliveryNotFoundError extends ApplicationError {
  override readonly name = 'DeliveryNotFoundError';

  constructor(id: bigint) {
    super('not_found', `There is no delivery with the id ${id} to this webhook endpoint.`);
  }
}

/** The key has as many endpoints as it may have. */
export class TooManyWebhooksError extends ApplicationError {
  override readonly name = 'TooManyWebhooksError';

  constructor(limit: number) {
    super(webhookErrors.too_many_webhooks, `An API key may have ${limit} webhook endpoints; delete one before you add another.`);
  }
}

/** After the rotation more secrets would sign than may. */
export class TooManySecretsError extends ApplicationError {
  override readonly name = 'TooManySecretsError';

  /** @param until when the first of them expires */
  constructor(id: bigint, until: Date) {
    super(
      webhookErrors.too_many_secrets,
      `Three secrets of the webhook endpoint ${id} sign already; rotate again from ${until.toISOString()}, when one of them has ended, or with grace 0s, which ends all but the new one at once.`,
    );
  }
}

/** Nothing can be sent to a disabled endpoint. */
export class WebhookDisabledError extends ApplicationError {
  override readonly name = 'WebhookDisabledError';

  constructor(id: bigint) {
    super(webhookErrors.webhook_disabled, `The webhook endpoint ${id} is disabled; enable it first.`);
  }
}
