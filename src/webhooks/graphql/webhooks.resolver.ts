import { QueryBus } from '@nestjs/cqrs';
import { Args, ArgsType, Context, Field, ID, InputType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { readId } from '#libs/http';
import { ConnectionArguments, ConnectionRequest, GroupedLoader, ReadsOnly } from '#libs/graphql';
import type { Page, PageRange } from '#libs/event-sourcing';
import { FindUsableApiKeys, RequiresScope } from '../../auth/index.js';
import { SENDING_SCOPES, type SilentReason } from '../domain/webhook.js';
import { CountDeliveries, CountWebhooks, GetWebhook, ListDeliveries, ListWebhooks } from '../queries/webhooks.query.js';
import type { Delivery } from '../records/delivery.store.js';
import {
  DeliveryConnection,
  toDeliveryType,
  toWebhookType,
  WebhookConnection,
  WebhookSilentReasonType,
  WebhookType,
} from './webhook.type.js';

@InputType({ description: 'How a list is narrowed: it has the items that match all members.' })
class WebhookFilter {
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True: only endpoints whose last attempt failed, or that are disabled because they failed for too long. False: only others.',
  })
  readonly failing?: boolean;
}

@ArgsType()
class WebhooksArguments extends ConnectionArguments {
  @Field(() => WebhookFilter, { nullable: true, description: 'Only endpoints that match.' })
  readonly filter?: WebhookFilter;
}

/** The webhook endpoints over GraphQL. Whether one fails is in no read model, so that nothing of them is cached. */
@Resolver()
export class WebhooksResolver {
  constructor(private readonly queries: QueryBus) {}

  @RequiresScope('webhooks')
  @Query(() => WebhookType, { nullable: true, description: 'The webhook endpoint with this id, of whichever key; null if there is none.' })
  async webhook(@Args('id', { type: () => ID, description: 'Identifier of the endpoint.' }) id: string): Promise<WebhookType | null> {
    const webhook = await this.queries.execute(new GetWebhook(readId('id', id)));
    return webhook ? toWebhookType(webhook) : null;
  }

  @RequiresScope('webhooks')
  @Query(() => WebhookConnection, {
    description: 'The webhook endpoints of all API keys, ascending by id unless `orderBy` says otherwise.',
  })
  async webhooks(@Args() { filter, ...place }: WebhooksArguments): Promise<WebhookConnection> {
    const request = new ConnectionRequest('webhooks', place, { filter });
    const page = await this.queries.execute(new ListWebhooks({ ...request.range, failing: filter?.failing }));
    const count = () => this.queries.execute(new CountWebhooks(filter?.failing));
    return request.connection(page, { toNode: toWebhookType, numberOf: ({ id }) => id, count });
  }
}

/** The fields of an endpoint that are read separately: its deliveries, and whether its key may be sent events. */
@Resolver(() => WebhookType)
export class WebhookResolver {
  private readonly deliveries: GroupedLoader<PageRange, bigint, Page<Delivery>>;
  private readonly deliveryCounts: GroupedLoader<object, bigint, number>;
  private readonly keysThatMaySend: GroupedLoader<object, bigint, true>;

  constructor(queries: QueryBus) {
    this.deliveries = new GroupedLoader((webhookIds, range) => queries.execute(new ListDeliveries(webhookIds, range)));
    this.deliveryCounts = new GroupedLoader((webhookIds) => queries.execute(new CountDeliveries(webhookIds)));
    this.keysThatMaySend = new GroupedLoader(async (keys) => {
      const usable = await queries.execute(new FindUsableApiKeys(keys, SENDING_SCOPES));
      return new Map([...usable].map((key) => [key, true]));
    });
  }

  @ResolveField('deliveries', () => DeliveryConnection, {
    description: 'The attempts to send to it in the last 30 days, the newest first unless `orderBy` says otherwise.',
  })
  async deliveriesOf(
    @Parent() { id }: WebhookType,
    @Args() place: ConnectionArguments,
    @Context('req') request: object,
  ): Promise<DeliveryConnection> {
    const webhookId = BigInt(id);
    const connection = new ConnectionRequest('Webhook.deliveries', place, { webhookId }, { order: 'id desc' });
    const page = await this.deliveries.load(request, webhookId, connection.range);
    const count = async () => (await this.deliveryCounts.load(request, webhookId, {})) ?? 0;
    return connection.connection(page ?? { items: [], next: undefined }, {
      toNode: toDeliveryType,
      numberOf: (delivery) => delivery.id,
      count,
    });
  }

  @ReadsOnly('api-keys')
  @ResolveField('silentReason', () => WebhookSilentReasonType, {
    nullable: true,
    description: 'Why nothing is sent although it is enabled; null if events are sent or it is disabled.',
  })
  async silentReason(@Parent() { enabled, registeredBy }: WebhookType, @Context('req') request: object): Promise<SilentReason | null> {
    const maySend = await this.keysThatMaySend.load(request, BigInt(registeredBy), {});
    return enabled && !maySend ? 'key' : null;
  }
}
