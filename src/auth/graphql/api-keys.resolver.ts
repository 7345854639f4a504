import { QueryBus } from '@nestjs/cqrs';
import { Args, ArgsType, Context, Field, ID, InputType, Int, ObjectType, Query, ResolveField, Parent, Resolver } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import { quoteGiven, readId } from '#libs/http';
import { invalidParameter, Clock } from '#libs/observability';
import {
  assertListSize,
  ConnectionArguments,
  connectionType,
  ConnectionRequest,
  DateTimeScalar,
  enumType,
  NodeType,
  readPageSize,
  EMPTY_PAGE,
  GroupedLoader,
  intersectFilters,
} from '#libs/graphql';
import { getCaller } from '../authentication/caller.decorator.js';
import { apiKeyStream } from '../domain/api-key.js';
import { banInForce, keyStatus, type KeyStatus } from '../domain/api-key-view.js';
import { PLANS, WINDOWS, type Plan } from '../domain/plans.js';
import { CountKeys, GetApiKey, ListKeys, ListLatestUsedApiKeys, type KeyFilter, type UsedApiKey } from '../queries/api-keys.query.js';
import { ListDailyUsage, ListKeyUsages, MOST_DAYS, type KeyUsage, type UsageOfDay } from '../queries/key-usage.query.js';

const KeyStatusType = enumType<KeyStatus>('KeyStatus', 'Whether an API key can be used now, and if not, why.', {
  active: 'It can be used.',
  expired: 'Its time is over.',
  revoked: 'It was ended permanently.',
  banned: 'Its requests are refused until a ban is over.',
});

@ObjectType('ApiKey', {
  implements: () => [NodeType],
  description: 'A key with which a client calls the service; never its secret.',
})
class ApiKeyType implements NodeType {
  readonly nodeId!: string;

  @Field(() => ID, { description: 'Identifier; the stream of the key is `api-key-` and this.' })
  readonly id!: string;

  @Field(() => String, { description: 'What it is for.' })
  readonly name!: string;

  @Field(() => String, { nullable: true, description: 'Its owner; null if unknown.' })
  readonly owner?: string;

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

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was ended permanently; null if it was not.' })
  readonly revokedAt!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'The minute of its last use; null: never used.' })
  readonly lastUsedAt!: Date | null;

  @Field(() => Int, { description: 'How many events its whole history has.' })
  readonly version!: number;

  /** For the fields that are read only if requested. */
  readonly view!: UsedApiKey;
}

@ObjectType('WindowUsage', { description: 'What is used up of a limit in its present window.' })
class WindowUsageType {
  @Field(() => Int, { description: 'How many requests may be sent in the window.' })
  readonly limit!: number;

  @Field(() => Int, { description: 'How many were sent; more than the limit after a change to a smaller plan.' })
  readonly used!: number;

  @Field(() => Int, { description: 'How many are left.' })
  readonly remaining!: number;

  @Field(() => DateTimeScalar, { description: 'When the window ends.' })
  readonly resetsAt!: Date;
}

@ObjectType('KeyUsage', { description: 'What a key has used up of its plan, as of the last second.' })
class KeyUsageType {}
for (const { name } of WINDOWS) {
  Field(() => WindowUsageType, { description: `In the present UTC ${name}.` })(KeyUsageType.prototype, name);
}

@ObjectType('KeyUsageOfDay', { description: 'The requests of a key on one UTC day.' })
class UsageOfDayType {
  @Field(() => String, { description: 'The day, such as `2026-06-01`.' })
  readonly date!: string;

  @Field(() => Int, { description: 'Requests that were within the limits.' })
  readonly requests!: number;

  @Field(() => Int, { description: 'Requests that got a 429 response.' })
  readonly refusals!: number;
}

@ObjectType('KeyBan', { description: 'A ban: because the key continued to send after 429 responses, or by an operator.' })
class KeyBanType {
  @Field(() => DateTimeScalar, { description: 'When the ban ends.' })
  readonly until!: Date;

  @Field(() => Int, {
    description: 'Its place on the ladder of ever longer bans, from 1; 0 for one by an operator before the first of them.',
  })
  readonly step!: number;

  @Field(() => String, { description: 'Why it was imposed.' })
  readonly reason!: string;
}

@ObjectType({ description: 'A page of the API keys, ascending by id.' })
class ApiKeyConnection extends connectionType(ApiKeyType, 'ApiKey') {}

@InputType({ description: 'How a list is narrowed: it has the items that match all members.' })
class ApiKeyFilter {
  @Field(() => [ID], { nullable: true, description: 'Only the keys with these ids.' })
  readonly ids?: readonly string[];

  @Field(() => KeyStatusType, { nullable: true, description: 'Only keys with this status now.' })
  readonly status?: KeyStatus;

  @Field(() => String, { nullable: true, description: 'Only keys on this plan.' })
  readonly plan?: string;

  @Field(() => String, { nullable: true, description: 'Only keys with exactly this owner.' })
  readonly owner?: string;

  @Field(() => String, { nullable: true, description: 'Only keys whose name contains this text, in any case.' })
  readonly nameContains?: string;

  @Field(() => Int, { nullable: true, description: 'Only keys that have used more than this percentage of their UTC day, from 0 to 99.' })
  readonly usedAbove?: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Only keys that were issued before this moment and not used from then on.' })
  readonly unusedSince?: Date;
}

const INSTEAD = 'Use `filter`.';

@ArgsType()
class ApiKeysArguments extends ConnectionArguments {
  @Field(() => ApiKeyFilter, { nullable: true, description: 'Only keys that match.' })
  readonly filter?: ApiKeyFilter;

  @Field(() => KeyStatusType, { nullable: true, description: 'Only keys with this status now.', deprecationReason: INSTEAD })
  readonly status?: KeyStatus;

  @Field(() => String, { nullable: true, description: 'Only keys on this plan.', deprecationReason: INSTEAD })
  readonly plan?: string;

  @Field(() => String, { nullable: true, description: 'Only keys with exactly this owner.', deprecationReason: INSTEAD })
  readonly owner?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Only keys whose name contains this text, ignoring case.',
    deprecationReason: INSTEAD,
  })
  readonly name?: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Only keys that have used more than this percentage of their UTC day, from 0 to 99.',
    deprecationReason: INSTEAD,
  })
  readonly usedAbove?: number;
}

/** The API keys over GraphQL; what they have used is read only if requested. */
@Resolver(() => ApiKeyType)
export class ApiKeysResolver {
  private readonly usages: GroupedLoader<object, ApiKeyType, KeyUsage>;
  private readonly days: GroupedLoader<{ readonly days: number }, bigint, readonly UsageOfDay[]>;

  constructor(
    private readonly queries: QueryBus,
    private readonly clock: Clock,
  ) {
    this.usages = new GroupedLoader(async (keys) => {
      const usages = await queries.execute(new ListKeyUsages(keys.map(({ view }) => view)));
      return new Map(keys.flatMap((key, index) => (usages[index] ? [[key, usages[index]]] : [])));
    });
    this.days = new GroupedLoader((ids, { days }) => queries.execute(new ListDailyUsage(ids, days)));
  }

  @Query(() => ApiKeyType, { description: 'The API key of the request.' })
  async me(@Context('req') request: FastifyRequest): Promise<ApiKeyType> {
    return toType(await this.queries.execute(new GetApiKey(getCaller(request).keyId)));
  }

  @Query(() => ApiKeyType, { nullable: true, description: 'The API key with this id, also a revoked one; null if there is none.' })
  async apiKey(@Args('id', { type: () => ID, description: 'The id of the key.' }) id: string): Promise<ApiKeyType | null> {
    const { items } = await this.queries.execute(new ListKeys({ ids: [readId('id', id)], limit: 1 }));
    return items[0] ? toType(items[0]) : null;
  }

  @Query(() => ApiKeyConnection, { description: 'The API keys, the revoked ones too, ascending by id unless `orderBy` says otherwise.' })
  async apiKeys(@Args() { first, after, last, before, orderBy, ...narrowed }: ApiKeysArguments): Promise<ApiKeyConnection> {
    const request = new ConnectionRequest('apiKeys', { first, after, last, before, orderBy }, narrowed);
    const filter = toFilter(narrowed);
    const page = filter ? await this.queries.execute(new ListKeys({ ...request.range, ...filter })) : EMPTY_PAGE;
    const count = async () => (filter ? this.queries.execute(new CountKeys(filter)) : 0);
    return request.connection(page, { toNode: toType, numberOf: ({ id }) => id, count });
  }

  @Query(() => [ApiKeyType], {
    description: 'The API keys that were used last, the latest first, then those that were never used, ascending by id.',
  })
  async apiKeysByUse(
    @Args('first', { type: () => Int, nullable: true, defaultValue: 20, description: 'How many keys to give at most, from 1 to 100.' })
    first: number | null,
  ): Promise<readonly ApiKeyType[]> {
    return (await this.queries.execute(new ListLatestUsedApiKeys(readPageSize('first', first)))).map(toType);
  }

  @ResolveField(() => KeyStatusType, { description: 'Whether it can be used now, and if not, why.' })
  status(@Parent() { view }: ApiKeyType): KeyStatus {
    return keyStatus(view, this.clock.now());
  }

  @ResolveField(() => KeyUsageType, { description: 'What it has used up of its plan, as of the last second.' })
  async usage(@Parent() key: ApiKeyType, @Context('req') request: object): Promise<KeyUsageType | undefined> {
    return this.usages.load(request, key, {});
  }

  @ResolveField(() => [UsageOfDayType], {
    description: 'Its requests of the last UTC days up to today, oldest first, without those of up to the last ten seconds.',
  })
  async dailyUsage(
    @Parent() { view }: ApiKeyType,
    @Context('req') request: object,
    @Args('days', { type: () => Int, defaultValue: 30, description: `How many days, from 1 to ${MOST_DAYS}.` }) days: number,
  ): Promise<readonly UsageOfDay[]> {
    if (days < 1 || days > MOST_DAYS) {
      throw invalidParameter('days', 'wholeNumber', `days must be a whole number from 1 to ${MOST_DAYS}`);
    }
    return (await this.days.load(request, view.id, { days })) ?? [];
  }

  @ResolveField(() => KeyBanType, { nullable: true, description: 'The ban in force; null: none is.' })
  ban(@Parent() { view }: ApiKeyType): KeyBanType | undefined {
    return banInForce(view, this.clock.now());
  }
}

function toType(view: UsedApiKey): ApiKeyType {
  return { ...view, id: view.id.toString(), nodeId: apiKeyStream(view.id), view };
}

/**
 * Returns the values for which the filter and the deprecated arguments both hold; undefined if no key can match.
 * @throws ApplicationError `invalid_parameter` that names the argument
 */
function toFilter({
  filter = {},
  name,
  usedAbove,
  ...deprecated
}: Omit<ApiKeysArguments, keyof ConnectionArguments>): KeyFilter | undefined {
  const { ids, nameContains, usedAbove: usedAboveToo, ...others } = filter;
  const percentages = [usedAbove, usedAboveToo].filter((value) => value !== undefined);
  const wrong = percentages.find((value) => value < 0 || value > 99);
  if (wrong !== undefined) {
    throw invalidParameter('usedAbove', 'wholeNumber', `usedAbove must be a whole number from 0 to 99${quoteGiven(wrong)}`);
  }
  if (ids) assertListSize('filter.ids', ids);
  const given = {
    ...others,
    plan: readPlan(filter.plan),
    ...(ids && { ids: ids.map((id, place) => readId(`filter.ids[${place}]`, id)) }),
    name: [name, nameContains].filter((part) => part !== undefined),
    ...(percentages.length > 0 && { usedAbove: Math.max(...percentages) }),
  };
  return intersectFilters<KeyFilter>(given, { ...deprecated, plan: readPlan(deprecated.plan) });
}

function readPlan(plan: string | undefined): Plan | undefined {
  const known = PLANS.find((each) => each === plan);
  if (known !== plan) throw invalidParameter('plan', 'in', `plan must be one of ${PLANS.join(', ')}${quoteGiven(plan)}`);
  return known;
}
