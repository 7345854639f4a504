import { Field, ID, ObjectType } from '@nestjs/graphql';
import { connectionOf, DateTimeScalar } from '#libs/graphql-kit';
import type { UsedApiKey } from '../queries/browse-api-keys.query.js';

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
  readonly keyStart!: string | null;

  @Field(() => DateTimeScalar, { description: 'When it was issued.' })
  readonly createdAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'From when it is refused; null: never.' })
  readonly expiresAt!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was ended for good; null: it was not.' })
  readonly revokedAt!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'The minute of its last use; null: never used.' })
  readonly lastUsedAt!: Date | null;

  /** For the fields that other modules add. */
  readonly view!: UsedApiKey;
}

@ObjectType({ description: 'A page of the API keys, ascending by id.' })
export class ApiKeyConnection extends connectionOf(ApiKeyType, 'ApiKey') {}

export function toApiKeyType(key: UsedApiKey): ApiKeyType {
  const { id, name, plan, scopes, keyStart = null, createdAt, expiresAt, revokedAt, lastUsedAt } = key;
  return {
    id: id.toString(),
    name,
    plan,
    scopes,
    keyStart,
    createdAt: new Date(createdAt),
    expiresAt: dateOf(expiresAt),
    revokedAt: dateOf(revokedAt),
    lastUsedAt,
    view: key,
  };
}

function dateOf(time: string | null): Date | null {
  return time === null ? null : new Date(time);
}
