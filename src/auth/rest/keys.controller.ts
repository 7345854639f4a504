import { Controller, Get, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { linkNextPage, NoInput, Operation, pageOf, ReadId, ReadQuery } from '#libs/http';
import { Clock } from '#libs/observability';
import { AnswersBanned, CurrentCaller, RequiresKey, RequiresScope, type Caller } from '../authentication/caller.decorator.js';
import { MANAGE_KEYS } from '../domain/api-key.js';
import { AUTOMATIC_BAN_REASON, toApiKeyResource, type ApiKeyResource } from '../domain/api-key-view.js';
import { GetApiKey, ListKeys } from '../queries/api-keys.query.js';
import { GetKeyLimits, ListDailyUsage, ListKeyUsages } from '../queries/key-usage.query.js';
import {
  KEY_ID,
  keyAnswer,
  keyExample,
  keysSchema,
  KeyUsageRequest,
  keyUsageExample,
  keyUsageSchema,
  ListKeysRequest,
  ownKeyExamples,
  ownKeySchema,
  toWindows,
} from './key.request.js';

/** Reads the API key of the request and, for keys that manage keys, all API keys over REST. */
@ApiTags('keys')
@RequiresScope(MANAGE_KEYS)
@Controller()
export class KeysController {
  constructor(
    private readonly queries: QueryBus,
    private readonly clock: Clock,
  ) {}

  @Get('key')
  @NoInput()
  @RequiresKey()
  @AnswersBanned()
  @Operation({
    clientSample: 'console.log(await client.key.get());',
    summary: 'Get your own API key',
    description:
      'The plan and scopes of this key, and what is left of its limits. Any valid key may request it, whatever its scopes; it counts as ' +
      'a request. While the key is banned it works at most once a second, and never extends the ban.',
    answer: { tagged: true, description: 'The key.', schema: ownKeySchema, examples: ownKeyExamples },
  })
  async getOwnKey(@CurrentCaller() caller: Caller): Promise<object> {
    const [key, { windows, bannedUntil }] = await Promise.all([
      this.queries.execute(new GetApiKey(caller.keyId)),
      this.queries.execute(new GetKeyLimits(caller)),
    ]);
    const { id, name, owner, plan, scopes, createdAt, expiresAt, lastUsedAt } = key;
    // A ban that is on its way to the log is the limiter's own.
    const reason = (bannedUntil?.getTime() === caller.ban.until ? caller.ban.reason : undefined) ?? AUTOMATIC_BAN_REASON;
    return {
      ...{ id, name, ...(owner !== undefined && { owner }), plan, scopes, createdAt },
      ...(expiresAt && { expiresAt }),
      ...(lastUsedAt && { lastUsedAt }),
      limits: toWindows(windows),
      ...(bannedUntil && { ban: { until: bannedUntil, reason } }),
    };
  }

  @Get('keys')
  @Operation({
    clientSample: 'for await (const key of client.keys.list()) console.log(key);',
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
    return items.map((key) => toApiKeyResource(key, this.clock.now()));
  }

  @Get('keys/:keyId')
  @Operation({
    clientSample: 'console.log(await client.keys.get(1n));',
    summary: 'Get an API key',
    description: 'Its last use and what is left of its limits are at `/v1/keys/{keyId}/usage`.',
    answer: { tagged: true, description: 'The key.', ...keyAnswer },
    refuses: [404],
  })
  async getKey(@ReadId('keyId', KEY_ID) id: bigint): Promise<ApiKeyResource> {
    return toApiKeyResource(await this.queries.execute(new GetApiKey(id)), this.clock.now());
  }

  @Get('keys/:keyId/usage')
  @Operation({
    clientSample: 'console.log(await client.keys.usage(1n));',
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
}
