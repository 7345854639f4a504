import { errorCodes, NotFoundError } from '#libs/observability';

/** The error codes of this module. */
export const webhookErrors = errorCodes({
  too_many_webhooks: {
    status: 409,
    description: 'This API key has as many webhook endpoints as a key may have.',
    remedy: 'Delete an endpoint that is no longer used, or change one of them to the new address.',
  },
  too_many_secrets: {
    status: 409,
    description: 'As many secrets of this webhook endpoint sign as may do at once.',
    remedy: 'Wait until the time of grace of an earlier secret is over, then rotate again.',
  },
  webhook_disabled: {
    status: 409,
    description: 'Nothing is sent to a webhook endpoint that is disabled.',
    remedy: 'Enable the endpoint with `PATCH` and `"enabled": true`, then send the request again.',
  },
});

/** There is no endpoint with this id, or it belongs to another API key. */
export class WebhookNotFoundError extends NotFoundError {
  override readonly name = 'WebhookNotFoundError';

  constructor(id: bigint) {
    super('webhook endpoint', id);
  }
}
