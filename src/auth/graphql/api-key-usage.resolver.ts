import { QueryBus } from '@nestjs/cqrs';
import { Args, Context, Field, Int, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Clock, invalidParameter } from '#libs/observability';
import { DateTimeScalar, GroupedLoader } from '#libs/graphql';
import { banInForce } from '../domain/api-key-view.js';
import { WINDOWS } from '../domain/plans.js';
import { ListDailyUsage, ListKeyUsages, MOST_DAYS, type KeyUsage, type UsageOfDay } from '../queries/key-usage.query.js';
import { ApiKeyType } from './api-keys.resolver.js';

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
class UsageOfDayType implements UsageOfDay {
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

/** Adds usage and ban to an API key. */
@Resolver(() => ApiKeyType)
export class ApiKeyUsageResolver {
  private readonly usages: GroupedLoader<object, ApiKeyType, KeyUsage>;
  private readonly days: GroupedLoader<{ readonly days: number }, bigint, readonly UsageOfDay[]>;

  constructor(
    queries: QueryBus,
    private readonly clock: Clock,
  ) {
    this.usages = new GroupedLoader(async (keys) => {
      const usages = await queries.execute(new ListKeyUsages(keys.map(({ view }) => view)));
      return new Map(keys.flatMap((key, index) => (usages[index] ? [[key, usages[index]]] : [])));
    });
    this.days = new GroupedLoader((ids, { days }) => queries.execute(new ListDailyUsage(ids, days)));
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
