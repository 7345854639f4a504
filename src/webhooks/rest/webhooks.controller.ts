import { Controller, Delete, Get, Patch, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import {
  AdmittedBy,
  CacheByProjection,
  IfMatch,
  linkNextPage,
  Operation,
  PageRequest,
  pageOf,
  ReadBody,
  ReadId,
  ReadQuery,
  type Precondition,
} from '#libs/http';
import type { EventMetadata, RequestIdempotency } from '#libs/event-sourcing';
import type { FastifyReply } from 'fastify';
import { CallerMetadata, CurrentCaller, IdempotencyKey, RequiresScope, type Caller } from '../../auth/index.js';
import { ChangeWebhook, SecretRotation } from '../commands/change-webhook.command.js';
import { RegisterWebhook } from '../commands/register-webhook.command.js';
import type { WebhookInput } from '../commands/webhook-values.rule.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { toWebhook, withSilentReason, type Webhook, type WebhookView } from '../domain/webhook.js';
import { GetWebhook, ListWebhooks } from '../queries/webhooks.query.js';
import { maySend, WebhookOwnerHook, WebhookSendingHook } from './webhook-owner.hook.js';
import {
  addedWebhookSchema,
  newWebhookBody,
  secretExample,
  webhookChangesBody,
  webhookExample,
  webhookSchema,
  webhooksSchema,
  webhookWithSecretSchema,
} from './webhook.request.js';

type WebhookWithSecret = Webhook & { readonly secret?: string | undefined };

const WEBHOOK_ID = 'The id of the webhook endpoint.';
const webhookAnswer = { schema: webhookSchema, examples: { webhook: { value: webhookExample } } };
const withSecret = { value: { ...webhookExample, secret: secretExample } };

/** The webhook endpoints of a key over REST. */
@ApiTags('webhooks')
@RequiresScope('webhooks')
@AdmittedBy(WebhookOwnerHook)
@Controller('webhooks')
export class WebhooksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @CacheByProjection({ readModel: 'webhooks', perKey: true })
  @Operation({
    clientSample: 'for await (const endpoint of client.webhooks.list()) console.log(endpoint);',
    summary: 'List webhook endpoints',
    description: 'One page of the webhook endpoints of this API key, ascending by id.',
    answer: { description: 'The page.', schema: webhooksSchema, examples: { page: { value: [webhookExample] }, empty: { value: [] } } },
  })
  async listWebhooks(
    @ReadQuery(PageRequest) request: PageRequest,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Webhook[]> {
    const { items, next } = await this.queries.execute(new ListWebhooks({ ...pageOf(request), registeredBy: caller.keyId }));
    linkNextPage(reply, request, next);
    return items.map((webhook) => seenBy(caller, webhook));
  }

  @Post()
  @AdmittedBy(WebhookSendingHook)
  @Operation({
    clientSample: 'console.log(await client.webhooks.add({ url: "https://example.org/adoption-events" }));',
    summary: 'Add a webhook endpoint',
    description:
      'Sends future events to a URL. Only this response contains the secret that signs them. ' +
      'With an Idempotency-Key the request can be repeated without a second endpoint; the answer is then without the secret.',
    answer: {
      description: 'The webhook endpoint that was added.',
      schema: addedWebhookSchema,
      examples: { added: withSecret, repeated: { value: webhookExample } },
    },
    refuses: [409],
  })
  async createWebhook(
    @ReadBody(newWebhookBody) values: WebhookInput,
    @CurrentCaller() { keyId }: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IdempotencyKey() idempotency: RequestIdempotency | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookWithSecret> {
    const { webhook, secret } = await this.commands.execute(new RegisterWebhook(values, keyId, metadata, idempotency));
    reply.header('Location', `/v1/webhooks/${webhook.id}`);
    if (secret !== undefined) return { ...toWebhook(webhook), secret };
    reply.header('Idempotency-Replayed', 'true');
    return toWebhook(webhook);
  }

  @Get(':webhookId')
  @CacheByProjection({ readModel: 'webhooks', perKey: true })
  @Operation({
    clientSample: 'console.log(await client.webhooks.get(1n));',
    summary: 'Get a webhook endpoint',
    description: 'One of another API key is not found.',
    answer: { description: 'The webhook endpoint.', ...webhookAnswer },
    refuses: [404],
  })
  async getWebhook(@ReadId('webhookId', WEBHOOK_ID) id: bigint, @CurrentCaller() caller: Caller): Promise<Webhook> {
    const webhook = await this.queries.execute(new GetWebhook(id));
    if (!webhook) throw new WebhookNotFoundError(id);
    return seenBy(caller, webhook);
  }

  @Patch(':webhookId')
  @AdmittedBy(WebhookSendingHook)
  @Operation({
    clientSample: 'console.log(await client.webhooks.update(1n, { enabled: false }));',
    summary: 'Change a webhook endpoint',
    description:
      'Changes its values, and turns it off and on; omitted members keep their values. ' +
      'Once it is turned on again, the events that happen from then on are sent.',
    answer: { tagged: true, description: 'The webhook endpoint as it is now.', ...webhookAnswer },
    refuses: [404, 409],
  })
  async updateWebhook(
    @ReadId('webhookId', WEBHOOK_ID) id: bigint,
    @ReadBody(webhookChangesBody) values: WebhookInput,
    @CallerMetadata() metadata: EventMetadata,
    @IfMatch() precondition: Precondition | undefined,
  ): Promise<Webhook> {
    const { webhook } = await this.commands.execute(new ChangeWebhook({ type: 'update', id, ...values }, metadata, precondition));
    return toWebhook(webhook);
  }

  @Delete(':webhookId')
  @Operation({
    clientSample: 'await client.webhooks.delete(1n);',
    summary: 'Delete a webhook endpoint',
    description: 'Nothing is sent to it any more, and its secrets are removed. Its id is never given again.',
    answer: { status: 204, description: 'The webhook endpoint is deleted.' },
    refuses: [404, 409],
  })
  async deleteWebhook(
    @ReadId('webhookId', WEBHOOK_ID) id: bigint,
    @CurrentCaller() caller: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IfMatch() precondition: Precondition | undefined,
  ): Promise<void> {
    const asSeen: Precondition | undefined =
      precondition && ((webhook) => precondition(withSilentReason(webhook as Webhook, maySend(caller))));
    await this.commands.execute(new ChangeWebhook({ type: 'delete', id }, metadata, asSeen));
  }

  @Post(':webhookId/rotate-secret')
  @Operation({
    clientSample: 'console.log(await client.webhooks.rotateSecret(1n));',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'Creates a new secret; only this response contains it. During their grace periods, older secrets sign messages too; ' +
      'three sign at most, and a rotation that would make it four is refused.',
    answer: {
      status: 200,
      description: 'The webhook endpoint with its new secret.',
      schema: webhookWithSecretSchema,
      examples: { rotated: withSecret },
    },
    refuses: [404, 409],
  })
  async rotateWebhookSecret(
    @ReadId('webhookId', WEBHOOK_ID) id: bigint,
    @ReadQuery(SecretRotation) { grace }: SecretRotation,
    @CurrentCaller() caller: Caller,
    @CallerMetadata() metadata: EventMetadata,
  ): Promise<WebhookWithSecret> {
    const { webhook, secret } = await this.commands.execute(new ChangeWebhook({ type: 'rotate-secret', id, grace }, metadata));
    return { ...seenBy(caller, webhook), secret };
  }
}

/** The endpoint as its owner sees it with this key. */
function seenBy(caller: Caller, webhook: WebhookView): Webhook {
  return withSilentReason(toWebhook(webhook), maySend(caller));
}
