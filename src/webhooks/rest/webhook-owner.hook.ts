import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AdmissionCheck } from '#libs/api-kit';
import { parseInt64 } from '#libs/validation';
import type { FastifyRequest } from 'fastify';
import { callerOf, InsufficientScopeError, type Caller } from '../../auth/index.js';
import { SENDING_SCOPES } from '../domain/webhook.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { GetWebhook } from '../queries/get-webhook.query.js';

/** Lets a key reach its own endpoints alone. Those of others answer as those that there are not, whatever a request says beside the path. */
@Injectable()
export class WebhookOwnerHook extends AdmissionCheck {
  constructor(private readonly queries: QueryBus) {
    super();
  }

  /** @throws WebhookNotFoundError */
  override async check(request: FastifyRequest): Promise<void> {
    const { webhookId } = request.params as { readonly webhookId?: string };
    const id = webhookId === undefined ? undefined : parseInt64(webhookId);
    // What is no id is refused by who reads it.
    if (id === undefined) return;
    const webhook = await this.queries.execute(new GetWebhook(id));
    if (webhook?.registeredBy !== callerOf(request).keyId) throw new WebhookNotFoundError(id);
  }
}

/** The same for what has events sent: the key must be one that may read them. */
@Injectable()
export class WebhookSendingHook extends WebhookOwnerHook {
  /** @throws WebhookNotFoundError, InsufficientScopeError */
  override async check(request: FastifyRequest): Promise<void> {
    await super.check(request);
    // The other one is that of the route.
    if (!maySend(callerOf(request))) throw new InsufficientScopeError(['events']);
  }
}

/** Whether events are sent to the endpoints of this key. */
export function maySend({ scopes }: Pick<Caller, 'scopes'>): boolean {
  return SENDING_SCOPES.every((scope) => scopes.includes(scope));
}
