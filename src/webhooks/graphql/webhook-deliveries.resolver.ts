import { QueryBus } from '@nestjs/cqrs';
import { Args, Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ConnectionArguments, ConnectionRequest, GroupedLoader } from '#libs/graphql-kit';
import type { Page, PageRange } from '#libs/projections';
import { ListDeliveries } from '../queries/list-deliveries.query.js';
import type { Delivery } from '../records/delivery.js';
import { DeliveryConnection, toDeliveryType } from './delivery.type.js';
import { WebhookType } from './webhook.type.js';

/** What was sent to endpoints, over GraphQL. */
@Resolver(() => WebhookType)
export class WebhookDeliveriesResolver {
  private readonly deliveries: GroupedLoader<PageRange, bigint, Page<Delivery>>;

  constructor(queries: QueryBus) {
    this.deliveries = new GroupedLoader((webhookIds, range) => queries.execute(new ListDeliveries(webhookIds, range)));
  }

  @ResolveField('deliveries', () => DeliveryConnection, {
    description: 'The attempts to send to it in the last 30 days, the newest first.',
  })
  async deliveriesOf(
    @Parent() { id }: WebhookType,
    @Args() place: ConnectionArguments,
    @Context('req') request: object,
  ): Promise<DeliveryConnection> {
    const connection = new ConnectionRequest('Webhook.deliveries', place, { webhookId: BigInt(id) });
    const { webhookId, ...range } = connection.range;
    const page = await this.deliveries.load(request, webhookId, range);
    return connection.connection(page ?? { items: [], next: undefined }, toDeliveryType, (delivery) => delivery.id);
  }
}
