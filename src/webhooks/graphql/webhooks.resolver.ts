import { QueryBus } from '@nestjs/cqrs';
import { Args, Query, Resolver } from '@nestjs/graphql';
import { ConnectionArguments, ConnectionRequest, ReadsOnly } from '#libs/graphql-kit';
import { RequiresScope } from '../../auth/index.js';
import { ListWebhooks } from '../queries/list-webhooks.query.js';
import { toWebhookType, WebhookConnection } from './webhook.type.js';

/** The webhook endpoints over GraphQL. */
@Resolver()
export class WebhooksResolver {
  constructor(private readonly queries: QueryBus) {}

  @RequiresScope('webhooks')
  @ReadsOnly('webhooks')
  @Query(() => WebhookConnection, { description: 'The webhook endpoints of all API keys, ascending by id.' })
  async webhooks(@Args() place: ConnectionArguments): Promise<WebhookConnection> {
    const request = new ConnectionRequest('webhooks', place, {});
    const page = await this.queries.execute(new ListWebhooks(request.range));
    return request.connection(page, toWebhookType, ({ id }) => id);
  }
}
