import { QueryBus } from '@nestjs/cqrs';
import { Args, Query, Resolver } from '@nestjs/graphql';
import { ConnectionArguments, ConnectionRequest } from '#libs/graphql-kit';
import { BrowseApiKeys } from '../queries/browse-api-keys.query.js';
import { ApiKeyConnection, toApiKeyType } from './api-key.type.js';

/** The API keys over GraphQL. */
@Resolver()
export class ApiKeysResolver {
  constructor(private readonly queries: QueryBus) {}

  @Query(() => ApiKeyConnection, { description: 'The API keys, ascending by id, the revoked ones too.' })
  async apiKeys(@Args() place: ConnectionArguments): Promise<ApiKeyConnection> {
    const request = new ConnectionRequest('apiKeys', place, {});
    const page = await this.queries.execute(new BrowseApiKeys(request.range));
    return request.connection(page, toApiKeyType, ({ id }) => id);
  }
}
