import { Controller, Get, Patch, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { IfMatch, linkNextPage, Operation, pageOf, ReadBody, ReadId, ReadQuery, type Precondition, type Unchecked } from '#libs/http';
import { Clock } from '#libs/observability';
import type { EventMetadata, RequestIdempotency } from '#libs/event-sourcing';
import type { FastifyReply } from 'fastify';
import { CallerMetadata, CurrentCaller, IdempotencyKey, RequiresScope, type Caller } from '../authentication/caller.decorator.js';
import { UpdateApiKey } from '../commands/change-api-key.command.js';
import { IssueApiKey } from '../commands/issue-api-key.command.js';
import type { ApiKeyValues } from '../commands/key-values.rule.js';
import { MANAGE_KEYS } from '../domain/acting-key.js';
import { toApiKeyResource, type ApiKeyResource, type ApiKeyView } from '../domain/api-key-view.js';
import { GetApiKey } from '../queries/api-keys.query.js';
import { ListKeys } from '../queries/list-keys.query.js';
import { keyChangesBody, ListKeysRequest, newKeyBody } from './key.request.js';
import { changedKey, issuedKeySchema, KEY_ID, keyAnswer, keyExample, keysSchema, withSecret } from './key-schemas.js';

/** The API keys over REST, for keys that manage them. */
@ApiTags('keys')
@RequiresScope(MANAGE_KEYS)
@Controller('keys')
export class KeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly clock: Clock,
  ) {}

  @Get()
  @Operation({
    id: 'listKeys',
    clientSample: 'for await (const key of client.keys.list()) console.log(key);',
    stability: 'experimental',
    summary: 'List API keys',
    description: 'One page of the API keys, ascending by id, the expired and the revoked ones too.',
    answer: {
      tagged: true,
      description: 'The page.',
      schema: keysSchema,
      examples: { page: { value: [keyExample] }, empty: { value: [] } },
    },
  })
  async listKeys(@ReadQuery(ListKeysRequest) request: ListKeysRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const { items, next } = await this.queries.execute(new ListKeys(pageOf(request)));
    linkNextPage(reply, request, next);
    return items.map((key) => this.show(key));
  }

  @Post()
  @Operation({
    id: 'createKey',
    clientSample: 'console.log(await client.keys.issue({ name: "Website", owner: "Happy Paws GmbH" }));',
    stability: 'experimental',
    summary: 'Issue an API key',
    description:
      'Issues a key with scopes that the acting key has itself. Its secret is shown only in this response. With an Idempotency-Key the request can be ' +
      'repeated without issuing a second key; the response to a repeat has no secret.',
    answer: {
      description: 'The key that was issued.',
      schema: issuedKeySchema,
      examples: { issued: withSecret, repeated: { value: { ...keyExample, note: howToRotate(7n) } } },
    },
    refuses: [409],
  })
  async createKey(
    @ReadBody(newKeyBody) values: Unchecked<ApiKeyValues>,
    @CurrentCaller() { keyId: by }: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IdempotencyKey() idempotency: RequestIdempotency | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ApiKeyResource & { readonly secret?: string; readonly note?: string }> {
    const { key: secret, ...view } = await this.commands.execute(new IssueApiKey(values, { by, metadata, idempotency }));
    reply.header('Location', `/v1/keys/${view.id}`);
    if (secret !== null) return { ...this.show(view), secret };
    reply.header('Idempotency-Replayed', 'true');
    return { ...this.show(view), note: howToRotate(view.id) };
  }

  @Get(':keyId')
  @Operation({
    id: 'getKey',
    clientSample: 'console.log(await client.keys.get(1n));',
    stability: 'experimental',
    summary: 'Get an API key',
    description: 'Its last use and what is left of its limits are at `/v1/keys/{keyId}/usage`.',
    answer: { tagged: true, description: 'The key.', ...keyAnswer },
    refuses: [404],
  })
  async getKey(@ReadId('keyId', KEY_ID) id: bigint): Promise<ApiKeyResource> {
    return this.show(await this.queries.execute(new GetApiKey(id)));
  }

  @Patch(':keyId')
  @Operation({
    id: 'updateKey',
    clientSample: 'console.log(await client.keys.update(1n, { scopes: ["pets", "orders", "events"] }));',
    stability: 'experimental',
    summary: 'Change an API key',
    description:
      'Changes a key; a member that is absent stays as it is. The acting key grants only scopes that it has. Of itself it cannot change ' +
      'scopes, plan and limits, or extend its expiry.',
    answer: changedKey,
    refuses: [404, 409],
  })
  async updateKey(
    @ReadId('keyId', KEY_ID) id: bigint,
    @ReadBody(keyChangesBody) values: Unchecked<ApiKeyValues>,
    @CurrentCaller() { keyId: by }: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IfMatch() precondition: Precondition | undefined,
  ): Promise<ApiKeyResource> {
    const { apiKey } = await this.commands.execute(new UpdateApiKey(id, values, { by, metadata, precondition }));
    return this.show(apiKey);
  }

  private show(key: ApiKeyView): ApiKeyResource {
    return toApiKeyResource(key, this.clock.now());
  }
}

function howToRotate(id: bigint): string {
  return `The secret was only in the first response. POST /v1/keys/${id}/rotate gives the key a new one.`;
}
