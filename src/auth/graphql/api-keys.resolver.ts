import { QueryBus } from '@nestjs/cqrs';
import { Args, Field, ID, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { ConnectionArguments, connectionType, ConnectionRequest, DateTimeScalar } from '#libs/graphql';
import { BrowseApiKeys, type UsedApiKey } from '../queries/api-keys.query.js';

@ObjectType('ApiKey', { description: 'A key with which a client calls the service; never its secret.' })
export class ApiKeyType {
  @Field(() => ID, { description: 'Identifier; the stream of the key is `api-key-` and this.' })
  readonly id!: string;

  @Field(() => String, { description: 'What its owner calls it.' })
  readonly name!: string;

  @Field(() => String, { description: 'The plan whose limits it has: `free`, `pro`, `business` or `enterprise`.' })
  readonly plan!: string;

  @Field(() => [String], { description: 'What it may be used for, such as `graphql` for this schema.' })
  readonly scopes!: readonly string[];

  @Field(() => String, {
    nullable: true,
    description: 'The first four characters after the prefix, to tell keys apart; null for a key from before they were kept.',
  })
  readonly keyStart?: string;

  @Field(() => DateTimeScalar, { description: 'When it was issued.' })
  readonly createdAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'From when it is refused; null: never.' })
  readonly expiresAt!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was ended for good; null: it was not.' })
  readonly revokedAt!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'The minute of its last use; null: never used.' })
  readonly lastUsedAt!: Date | null;

  /** For fields that other modules add. */
  readonly view!: UsedApiKey;
}

@ObjectType({ description: 'A page of the API keys, ascending by id.' })
class ApiKeyConnection extends connectionType(ApiKeyType, 'ApiKey') {}

/** The API keys over GraphQL. */
@Resolver()
export class ApiKeysResolver {
  constructor(private readonly queries: QueryBus) {}

  @Query(() => ApiKeyConnection, { description: 'The API keys, ascending by id, the revoked ones too.' })
  async apiKeys(@Args() place: ConnectionArguments): Promise<ApiKeyConnection> {
    const request = new ConnectionRequest('apiKeys', place, {});
    const page = await this.queries.execute(new BrowseApiKeys(request.range));
    return request.connection(
      page,
      (view) => ({ ...view, id: view.id.toString(), view }),
      ({ id }) => id,
    );
  }
}
