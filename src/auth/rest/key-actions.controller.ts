import { Controller, Get, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { IfMatch, Operation, parseDurationText, ReadBody, ReadId, ReadQuery, type Precondition, type Unchecked } from '#libs/http';
import { Clock } from '#libs/observability';
import type { EventMetadata } from '#libs/event-sourcing';
import { assertCurrentSecret, CallerMetadata, CurrentCaller, RequiresScope, type Caller } from '../authentication/caller.decorator.js';
import { ChangeApiKey, ImposeBan, type ApiKeyChange, type BanValues } from '../commands/change-api-key.command.js';
import { RotateApiKey } from '../commands/rotate-api-key.command.js';
import { MANAGE_KEYS } from '../domain/acting-key.js';
import { toApiKeyResource, type ApiKeyResource, type ApiKeyView } from '../domain/api-key-view.js';

import { GetApiKey } from '../queries/api-keys.query.js';
import { ListDailyUsage, ListKeyUsages } from '../queries/key-usage.query.js';
import { banBody, KeyUsageRequest, RotateKeyRequest } from './key.request.js';
import { changedKey, KEY_ID, keyUsageExample, keyUsageSchema, rotatedKeySchema, withSecret, toWindows } from './key-schemas.js';

/** Actions on one API key over REST, for keys that manage keys, and its usage. */
@ApiTags('keys')
@RequiresScope(MANAGE_KEYS)
@Controller('keys/:keyId')
export class KeyActionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly clock: Clock,
  ) {}

  @Post('rotate')
  @Operation({
    id: 'rotateKey',
    clientSample: 'console.log(await client.keys.rotate(1n));',
    stability: 'experimental',
    summary: 'Rotate the secret of an API key',
    description:
      'Gives a key a new secret, shown only in this response. The acting key must have all its scopes. The previous secret works until the grace period ' +
      'ends; older ones end at once.',
    answer: { status: 200, description: 'The key with its new secret.', schema: rotatedKeySchema, examples: { rotated: withSecret } },
    refuses: [404, 409],
  })
  async rotateKey(
    @ReadId('keyId', KEY_ID) id: bigint,
    @ReadQuery(RotateKeyRequest) { grace }: RotateKeyRequest,
    @CurrentCaller() caller: Caller,
    @CallerMetadata() metadata: EventMetadata,
  ): Promise<ApiKeyResource & { readonly secret: string }> {
    assertCurrentSecret(caller);
    const { keyId: by } = caller;
    const { key: secret, ...view } = await this.commands.execute(new RotateApiKey({ id, grace: parseDurationText(grace), by, metadata }));
    return { ...this.show(view), secret };
  }

  @Post('revoke')
  @Operation({
    id: 'revokeKey',
    clientSample: 'console.log(await client.keys.revoke(1n));',
    stability: 'experimental',
    summary: 'Revoke an API key',
    description: 'Ends a key permanently, within a second on all instances. The last usable key that manages keys cannot revoke itself.',
    answer: changedKey,
    refuses: [404, 409],
  })
  revokeKey(
    @ReadId('keyId', KEY_ID) id: bigint,
    @CurrentCaller() caller: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IfMatch() precondition: Precondition | undefined,
  ): Promise<ApiKeyResource> {
    return this.change({ type: 'revoke', id }, { by: caller.keyId, metadata, precondition });
  }

  @Post('ban')
  @Operation({
    id: 'banKey',
    clientSample: 'console.log(await client.keys.ban(1n, { seconds: 3600, reason: "A script of yours runs wild." }));',
    stability: 'experimental',
    summary: 'Ban an API key',
    description:
      'Refuses the requests of a key with 429 and the reason, within a second on all instances. A ban in force that lasts longer stays.',
    answer: changedKey,
    refuses: [404, 409],
  })
  async banKey(
    @ReadId('keyId', KEY_ID) id: bigint,
    @ReadBody(banBody) values: Unchecked<BanValues>,
    @CurrentCaller() { keyId: by }: Caller,
    @CallerMetadata() metadata: EventMetadata,
  ): Promise<ApiKeyResource> {
    const { apiKey } = await this.commands.execute(new ImposeBan(id, values, { by, metadata }));
    return this.show(apiKey);
  }

  @Post('unban')
  @Operation({
    id: 'unbanKey',
    clientSample: 'console.log(await client.keys.unban(1n));',
    stability: 'experimental',
    summary: 'Lift the ban of an API key',
    description:
      'Ends the ban of a key, if there is one, within a second on all instances. Its next automatic ban is as short as the first one.',
    answer: changedKey,
    refuses: [404, 409],
  })
  unbanKey(
    @ReadId('keyId', KEY_ID) id: bigint,
    @CurrentCaller() caller: Caller,
    @CallerMetadata() metadata: EventMetadata,
  ): Promise<ApiKeyResource> {
    return this.change({ type: 'unban', id }, { by: caller.keyId, metadata });
  }

  @Get('usage')
  @Operation({
    id: 'getKeyUsage',
    clientSample: 'console.log(await client.keys.usage(1n));',
    stability: 'experimental',
    summary: 'Get the usage of an API key',
    description:
      'Its limits as of the last second, and its requests of each UTC day, without those of up to the last ten seconds. ' +
      'If an instance is killed, up to 30 seconds of its requests are not counted. Days are kept for 400 days.',
    answer: { tagged: true, description: 'The usage.', schema: keyUsageSchema, examples: { usage: { value: keyUsageExample } } },
    refuses: [404],
  })
  async getKeyUsage(@ReadId('keyId', KEY_ID) id: bigint, @ReadQuery(KeyUsageRequest) { days }: KeyUsageRequest): Promise<object> {
    const key = await this.queries.execute(new GetApiKey(id));
    const [[usage], usageOfDays] = await Promise.all([
      this.queries.execute(new ListKeyUsages([key])),
      this.queries.execute(new ListDailyUsage([id], days)),
    ]);
    return { ...(key.lastUsedAt && { lastUsedAt: key.lastUsedAt }), ...(usage && { limits: toWindows(usage) }), days: usageOfDays.get(id) };
  }

  private async change(change: ApiKeyChange, request: ChangeApiKey['request']): Promise<ApiKeyResource> {
    return this.show((await this.commands.execute(new ChangeApiKey(change, request))).apiKey);
  }

  private show(key: ApiKeyView): ApiKeyResource {
    return toApiKeyResource(key, this.clock.now());
  }
}
