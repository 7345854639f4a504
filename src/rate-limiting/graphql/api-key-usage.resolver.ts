import { QueryBus } from '@nestjs/cqrs';
import { Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { BatchLoader } from '#libs/graphql-kit';
import { ApiKeyType } from '../../auth/index.js';
import { ListKeyUsages, type KeyUsage } from '../queries/list-key-usages.query.js';
import { KeyBanType, KeyUsageType, toKeyBanType, toKeyUsageType } from './key-usage.type.js';

/** What the limits add to an API key. */
@Resolver(() => ApiKeyType)
export class ApiKeyUsageResolver {
  private readonly usages: BatchLoader<ApiKeyType, KeyUsage>;

  constructor(queries: QueryBus) {
    this.usages = new BatchLoader(async (keys) => {
      const usages = await queries.execute(new ListKeyUsages(keys.map(({ view }) => view)));
      return new Map(keys.flatMap((key, index) => (usages[index] ? [[key, usages[index]]] : [])));
    });
  }

  @ResolveField(() => KeyUsageType, { description: 'What it has used up of its plan, as of the last second.' })
  async usage(@Parent() key: ApiKeyType, @Context('req') request: object): Promise<KeyUsageType | undefined> {
    const usage = await this.usages.load(request, key);
    return usage && toKeyUsageType(usage);
  }

  @ResolveField(() => KeyBanType, { nullable: true, description: 'The ban in force; null: none is.' })
  async ban(@Parent() key: ApiKeyType, @Context('req') request: object): Promise<KeyBanType | null | undefined> {
    const usage = await this.usages.load(request, key);
    return usage && toKeyBanType(usage);
  }
}
