import { Controller, Patch, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { IfMatch, Operation, parseDurationText, ReadBody, ReadId, ReadQuery, type Precondition, type Unchecked } from '#libs/http';
import { ApplicationError, Clock } from '#libs/observability';
import type { EventMetadata, RequestIdempotency } from '#libs/event-sourcing';
import {
  CallerMetadata,
  CurrentCaller,
  IdempotencyKey,
  RequiresKey,
  RequiresScope,
  type Caller,
} from '../authentication/caller.decorator.js';
import { ChangeApiKey, type ApiKeyChange, type KeyBan } from '../commands/change-api-key.command.js';
import { IssueApiKey } from '../commands/issue-api-key.command.js';
import type { ApiKeyValues } from '../domain/api-key.decider.js';
import { MANAGE_KEYS } from '../domain/api-key.js';
import { toApiKeyResource, type ApiKeyResource } from '../domain/api-key-view.js';
import {
  banBody,
  changesKey,
  howToRotate,
  issuedKeyAnswer,
  KEY_ID,
  KeyAction,
  keyChangesBody,
  newKeyBody,
  rotatedKeyAnswer,
  RotateKeyRequest,
} from './key.request.js';

type ChangedKey = ApiKeyResource & { readonly secret?: string | undefined };

/** Changes the API key of the request and, for keys that manage keys, all API keys over REST. */
@ApiTags('keys')
@RequiresScope(MANAGE_KEYS)
@Controller()
export class KeyChangesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly clock: Clock,
  ) {}

  @Post('key/rotate')
  @RequiresKey()
  @Operation({
    clientSample: 'console.log(await client.key.rotate());',
    summary: 'Rotate the secret of your own API key',
    description:
      'Gives this key a new secret, shown only in this response. The previous secret works until the grace ' +
      'period ends, but cannot rotate the key; older ones end at once.',
    answer: rotatedKeyAnswer,
    refuses: [409],
  })
  rotateOwnKey(
    @ReadQuery(RotateKeyRequest) { grace }: RotateKeyRequest,
    @CurrentCaller() caller: Caller,
    @CallerMetadata() metadata: EventMetadata,
  ): Promise<ChangedKey> {
    return this.rotate(caller.keyId, grace, caller, metadata);
  }

  @Post('keys')
  @Operation({
    clientSample: 'console.log(await client.keys.issue({ name: "Website", owner: "Happy Paws GmbH" }));',
    summary: 'Issue an API key',
    description:
      'Issues a key with scopes that the acting key has itself. Its secret is shown only in this response. With an Idempotency-Key the request can be ' +
      'repeated without issuing a second key; the response to a repeat has no secret.',
    answer: issuedKeyAnswer,
    refuses: [409],
  })
  async createKey(
    @ReadBody(newKeyBody) values: Unchecked<ApiKeyValues>,
    @CurrentCaller() { keyId: by }: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IdempotencyKey() idempotency: RequestIdempotency | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChangedKey & { readonly note?: string }> {
    const { key: secret, ...view } = await this.commands.execute(new IssueApiKey(values, { by, metadata }, idempotency));
    reply.header('Location', `/v1/keys/${view.id}`);
    const key = toApiKeyResource(view, this.clock.now());
    if (secret !== null) return { ...key, secret };
    reply.header('Idempotency-Replayed', 'true');
    return { ...key, note: howToRotate(view.id) };
  }

  @Patch('keys/:keyId')
  @Operation({
    ...changesKey,
    clientSample: 'console.log(await client.keys.update(1n, { scopes: ["pets", "orders", "events"] }));',
    summary: 'Change an API key',
    description:
      'Changes a key; a member that is absent stays as it is. The acting key grants only scopes that it has. Of itself it cannot change ' +
      'scopes, plan and limits, or extend its expiry.',
  })
  updateKey(
    @ReadId('keyId', KEY_ID) id: bigint,
    @ReadBody(keyChangesBody) values: Unchecked<ApiKeyValues>,
    @CurrentCaller() { keyId: by }: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IfMatch() precondition: Precondition | undefined,
  ): Promise<ChangedKey> {
    return this.change({ type: 'update', id, ...values }, { by, metadata, precondition });
  }

  @KeyAction('rotate', {
    summary: 'Rotate the secret of an API key',
    description:
      'Gives a key a new secret, shown only in this response. The acting key must have all its scopes. The previous secret works until the grace period ' +
      'ends; older ones end at once.',
    answer: rotatedKeyAnswer,
  })
  rotateKey(
    @ReadId('keyId', KEY_ID) id: bigint,
    @ReadQuery(RotateKeyRequest) { grace }: RotateKeyRequest,
    @CurrentCaller() caller: Caller,
    @CallerMetadata() metadata: EventMetadata,
  ): Promise<ChangedKey> {
    return this.rotate(id, grace, caller, metadata);
  }

  @KeyAction('revoke', {
    summary: 'Revoke an API key',
    description: 'Ends a key permanently, within a second on all instances. The last usable key that manages keys cannot revoke itself.',
  })
  revokeKey(
    @ReadId('keyId', KEY_ID) id: bigint,
    @CurrentCaller() { keyId: by }: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IfMatch() precondition: Precondition | undefined,
  ): Promise<ChangedKey> {
    return this.change({ type: 'revoke', id }, { by, metadata, precondition });
  }

  @KeyAction('ban', {
    summary: 'Ban an API key',
    description:
      'Refuses the requests of a key with 429 and the reason, within a second on all instances. A ban in force that lasts longer stays.',
    sampleInput: ', { seconds: 3600, reason: "A script of yours runs wild." }',
  })
  banKey(
    @ReadId('keyId', KEY_ID) id: bigint,
    @ReadBody(banBody) values: Unchecked<KeyBan>,
    @CurrentCaller() { keyId: by }: Caller,
    @CallerMetadata() metadata: EventMetadata,
  ): Promise<ChangedKey> {
    return this.change({ type: 'ban', id, ...values }, { by, metadata });
  }

  @KeyAction('unban', {
    summary: 'Lift the ban of an API key',
    description:
      'Ends the ban of a key, if there is one, within a second on all instances. Its next automatic ban is as short as the first one.',
  })
  unbanKey(
    @ReadId('keyId', KEY_ID) id: bigint,
    @CurrentCaller() { keyId: by }: Caller,
    @CallerMetadata() metadata: EventMetadata,
  ): Promise<ChangedKey> {
    return this.change({ type: 'unban', id }, { by, metadata });
  }

  private rotate(id: bigint, grace: string, caller: Caller, metadata: EventMetadata): Promise<ChangedKey> {
    if (caller.isReplaced) {
      // Who has an old secret cannot replace it.
      const message = `This secret of API key ${caller.keyId} was replaced and only works until its grace ends; rotate with the new one.`;
      throw new ApplicationError('conflict', message);
    }
    return this.change({ type: 'rotate', id, grace: parseDurationText(grace) }, { by: caller.keyId, metadata });
  }

  private async change(change: ApiKeyChange, request: ChangeApiKey['request']): Promise<ChangedKey> {
    const { apiKey, key: secret } = await this.commands.execute(new ChangeApiKey(change, request));
    return { ...toApiKeyResource(apiKey, this.clock.now()), secret };
  }
}
