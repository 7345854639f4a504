import { QueryBus } from '@nestjs/cqrs';
import { Context, Field, Int, ObjectType, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { DateTimeScalar, GroupedLoader } from '#libs/graphql';
import { ApiKeyType } from '../../auth/index.js';
import { ListKeyUsages, type KeyUsage } from '../queries/list-key-usages.query.js';

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
class KeyUsageType {
  @Field(() => WindowUsageType, { description: 'In the present UTC minute.' })
  readonly minute!: WindowUsageType;

  @Field(() => WindowUsageType, { description: 'In the present UTC day.' })
  readonly day!: WindowUsageType;
}

@ObjectType('KeyBan', { description: 'A ban of a key that went on sending after it was refused.' })
class KeyBanType {
  @Field(() => DateTimeScalar, { description: 'When the ban ends.' })
  readonly until!: Date;

  @Field(() => Int, { description: 'Its place on the ladder of ever longer bans, from 1.' })
  readonly step!: number;
}

/** Adds usage and ban to an API key. */
@Resolver(() => ApiKeyType)
export class ApiKeyUsageResolver {
  private readonly usages: GroupedLoader<object, ApiKeyType, KeyUsage>;

  constructor(queries: QueryBus) {
    this.usages = new GroupedLoader(async (keys) => {
      const usages = await queries.execute(new ListKeyUsages(keys.map(({ view }) => view)));
      return new Map(keys.flatMap((key, index) => (usages[index] ? [[key, usages[index]]] : [])));
    });
  }

  @ResolveField(() => KeyUsageType, { description: 'What it has used up of its plan, as of the last second.' })
  async usage(@Parent() key: ApiKeyType, @Context('req') request: object): Promise<KeyUsageType | undefined> {
    return this.usages.load(request, key, {});
  }

  @ResolveField(() => KeyBanType, { nullable: true, description: 'The ban in force; null: none is.' })
  async ban(@Parent() key: ApiKeyType, @Context('req') request: object): Promise<KeyBanType | null | undefined> {
    return (await this.usages.load(request, key, {}))?.ban;
  }
}
