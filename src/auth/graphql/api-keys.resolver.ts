import { QueryBus } from '@nestjs/cqrs';
import { Args, Int, Query, Resolver } from '@nestjs/graphql';
import { AFTER_DESCRIPTION, DEFAULT_FIRST, FIRST_DESCRIPTION, ListCursor, readAfter, readFirst, toConnection } from '#libs/graphql-kit';
import { BrowseApiKeys } from '../queries/browse-api-keys.query.js';
import { ApiKeyConnection } from './api-key-connection.type.js';
import { toApiKeyType } from './api-key.type.js';

const cursor = new ListCursor('apiKeys', {});

/** The API keys over GraphQL. */
@Resolver()
export class ApiKeysResolver {
  constructor(private readonly queries: QueryBus) {}

  @Query(() => ApiKeyConnection, { description: 'The API keys, ascending by id, the revoked ones too.' })
  async apiKeys(
    @Args('first', { type: () => Int, nullable: true, defaultValue: DEFAULT_FIRST, description: FIRST_DESCRIPTION }) first: number | null,
    @Args('after', { type: () => String, nullable: true, description: AFTER_DESCRIPTION }) after?: string | null,
  ): Promise<ApiKeyConnection> {
    const page = { limit: readFirst(first), ...readAfter(cursor, after) };
    const { keys, hasNext } = await this.queries.execute(new BrowseApiKeys(page));
    const items = keys.map((key) => ({ id: key.id, node: toApiKeyType(key) }));
    return toConnection({ items, hasNextPage: hasNext, hasPreviousPage: page.after !== undefined }, cursor);
  }
}
