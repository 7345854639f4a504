import { Controller, Get, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { NoInput, Operation, parseDurationText, ReadQuery } from '#libs/http';
import type { EventMetadata } from '#libs/event-sourcing';
import {
  assertCurrentSecret,
  CallerMetadata,
  CurrentCaller,
  RequiresKey,
  type Caller,
  AnswersBanned,
} from '../authentication/caller.decorator.js';
import { RotateApiKey } from '../commands/rotate-api-key.command.js';
import { AUTOMATIC_BAN_REASON, toApiKeyResource, type ApiKeyResource } from '../domain/api-key-view.js';
import { GetApiKey } from '../queries/api-keys.query.js';
import { GetKeyLimits } from '../queries/key-usage.query.js';
import { Clock } from '#libs/observability';
import { RotateKeyRequest } from './key.request.js';
import { bannedKeyExample, ownKeyExample, ownKeySchema, rotatedKeySchema, withSecret, toWindows } from './key-schemas.js';

/** The API key of the request over REST. */
@ApiTags('keys')
@RequiresKey()
@Controller('key')
export class OwnKeyController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly clock: Clock,
  ) {}

  @Get()
  @NoInput()
  @AnswersBanned()
  @Operation({
    id: 'getOwnKey',
    clientSample: 'console.log(await client.key.get());',
    stability: 'experimental',
    summary: 'Get your own API key',
    description:
      'The plan and scopes of this key, and what is left of its limits. Any valid key may request it, whatever its scopes; it counts as ' +
      'a request. While the key is banned it works at most once a second, and never extends the ban.',
    answer: {
      tagged: true,
      description: 'The key.',
      schema: ownKeySchema,
      examples: { key: { value: ownKeyExample }, banned: { value: bannedKeyExample } },
    },
  })
  async getOwnKey(@CurrentCaller() caller: Caller): Promise<object> {
    const [key, limits] = await Promise.all([
      this.queries.execute(new GetApiKey(caller.keyId)),
      this.queries.execute(new GetKeyLimits(caller)),
    ]);
    const { id, name, owner, plan, scopes, createdAt, expiresAt, lastUsedAt } = key;
    const { bannedUntil } = limits;
    // A ban that is on its way to the log is the limiter's own.
    const reason = (bannedUntil?.getTime() === caller.ban.until ? caller.ban.reason : undefined) ?? AUTOMATIC_BAN_REASON;
    return {
      ...{ id, name, ...(owner !== undefined && { owner }), plan, scopes, createdAt },
      ...(expiresAt && { expiresAt }),
      ...(lastUsedAt && { lastUsedAt }),
      limits: toWindows(limits.windows),
      ...(bannedUntil && { ban: { until: bannedUntil, reason } }),
    };
  }

  @Post('rotate')
  @Operation({
    id: 'rotateOwnKey',
    clientSample: 'console.log(await client.key.rotate());',
    stability: 'experimental',
    summary: 'Rotate the secret of your own API key',
    description:
      'Gives this key a new secret, shown only in this response. The previous secret works until the grace ' +
      'period ends, but cannot rotate the key; older ones end at once.',
    answer: {
      status: 200,
      description: 'The key with its new secret.',
      schema: rotatedKeySchema,
      examples: { rotated: withSecret },
    },
    refuses: [409],
  })
  async rotateOwnKey(
    @ReadQuery(RotateKeyRequest) { grace }: RotateKeyRequest,
    @CurrentCaller() caller: Caller,
    @CallerMetadata() metadata: EventMetadata,
  ): Promise<ApiKeyResource & { readonly secret: string }> {
    assertCurrentSecret(caller);
    const { keyId } = caller;
    const command = new RotateApiKey({ id: keyId, grace: parseDurationText(grace), by: keyId, metadata });
    const { key: secret, ...view } = await this.commands.execute(command);
    return { ...toApiKeyResource(view, this.clock.now()), secret };
  }
}
