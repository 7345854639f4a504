import { QueryBus } from '@nestjs/cqrs';
import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { BatchLoader, ReadsOnly } from '#libs/graphql-kit';
import { FindUsableApiKeys } from '../../auth/index.js';
import { SENDING_SCOPES, withSilence, type SilentReason } from '../domain/webhook.js';
import { silentReasonType, WebhookType } from './webhook.type.js';

/** Why nothing is sent to endpoints that are enabled, over GraphQL: it follows from their keys. */
@Resolver(() => WebhookType)
export class WebhookSilenceResolver {
  private readonly keysThatMaySend: BatchLoader<bigint, true>;

  constructor(queries: QueryBus) {
    this.keysThatMaySend = new BatchLoader(async (keys) => {
      const usable = await queries.execute(new FindUsableApiKeys(keys, SENDING_SCOPES));
      return new Map([...usable].map((key) => [key, true]));
    });
  }

  @ReadsOnly('api-keys')
  @ResolveField('silentReason', silentReasonType, {
    nullable: true,
    description: 'Why nothing is sent though it is enabled, null where events are sent and where it is disabled.',
  })
  async silentReason(@Parent() { enabled, registeredBy }: WebhookType, @Context('req') request: object): Promise<SilentReason | null> {
    const maySend = await this.keysThatMaySend.load(request, BigInt(registeredBy));
    return withSilence<{ enabled: boolean; silentReason?: SilentReason }>({ enabled }, maySend === true).silentReason ?? null;
  }
}
