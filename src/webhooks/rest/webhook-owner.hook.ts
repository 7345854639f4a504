import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AdmissionCheck, parseInt64 } from '#libs/http';
import type { FastifyRequest } from 'fastify';
import { getCaller, InsufficientScopeError, type Caller } from '../../auth/index.js';
import { SENDING_SCOPES } from '../domain/webhook.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { GetWebhook } from '../queries/webhooks.query.js';

/** Lets a key reach only its own endpoints. Endpoints of other keys are answered like missing ones, whatever else is in the request. */
@Injectable()
export class WebhookOwnerHook extends AdmissionCheck {
  constructor(private readonly queries: QueryBus) {
    super();
  }

  /** @throws WebhookNotFoundError */
  override async check(request: FastifyRequest): Promise<void> {
    const { webhookId } = request.params as { readonly webhookId?: string };
    const id = webhookId === undefined ? undefined : parseInt64(webhookId);
    // `ReadId` rejects what is no id.
    if (id === undefined) return;
    const webhook = await this.queries.execute(new GetWebhook(id));
    if (webhook?.registeredBy !== getCaller(request).keyId) throw new WebhookNotFoundError(id);
  }
}

/** The same for routes that cause events to be sent: the key must have the scope to read them. */
@Injectable()
export class WebhookSendingHook extends WebhookOwnerHook {
  static override readonly scopes = ['events'];

  /** @throws WebhookNotFoundError, InsufficientScopeError */
  override async check(request: FastifyRequest): Promise<void> {
    await super.check(request);
    // The route requires the other scope.
    if (!maySend(getCaller(request))) throw new InsufficientScopeError(WebhookSendingHook.scopes);
  }
}

/** Whether events are sent to the endpoints of this key. */
export function maySend({ scopes }: Pick<Caller, 'scopes'>): boolean {
  return SENDING_SCOPES.every((scope) => scopes.includes(scope));
}
