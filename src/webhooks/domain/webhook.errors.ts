import { errorCodes, NotFoundError } from '#libs/observability';

/** The error codes of this module. */
export const webhookErrors = errorCodes({
  too_many_webhooks: { status: 409, description: 'This API key has as many webhook endpoints as a key may have.' },
  too_many_secrets: { status: 409, description: 'As many secrets of this webhook endpoint sign as may do at once.' },
  webhook_disabled: { status: 409, description: 'Nothing is sent to a webhook endpoint that is disabled.' },
});

/** There is no endpoint with this id, or it belongs to another API key. */
export class WebhookNotFoundError extends NotFoundError {
  override readonly name = 'WebhookNotFoundError';

  constructor(id: bigint) {
    super('webhook endpoint', id);
  }
}
