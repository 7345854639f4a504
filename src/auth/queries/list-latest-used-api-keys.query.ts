import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ApiKeyUses } from '../last-use/api-key-uses.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { UsedApiKey } from './browse-api-keys.query.js';

export interface LatestUsedApiKeys {
  /** How many keys there are in all. */
  readonly total: number;
  /** The latest used first; where there is room left, those that were never used follow, ascending by id. */
  readonly items: readonly UsedApiKey[];
}

/** The API keys that were used last, the revoked ones too. */
export class ListLatestUsedApiKeys extends Query<LatestUsedApiKeys> {
  constructor(readonly limit: number) {
    super();
  }
}

@QueryHandler(ListLatestUsedApiKeys)
export class ListLatestUsedApiKeysHandler implements IQueryHandler<ListLatestUsedApiKeys> {
  constructor(
    private readonly reader: ApiKeyReader,
    private readonly uses: ApiKeyUses,
  ) {}

  async execute({ limit }: ListLatestUsedApiKeys): Promise<LatestUsedApiKeys> {
    const [uses, total] = await Promise.all([this.uses.latestUsed(limit), this.reader.count()]);
    const used = new Map((await this.reader.findAll([...uses.keys()])).map((view) => [view.id, view]));
    // Where fewer were used than asked for, all that were are known.
    const others = uses.size < limit ? (await this.reader.page({ limit })).filter(({ id }) => !uses.has(id)) : [];
    const inOrder = [...[...uses.keys()].flatMap((id) => used.get(id) ?? []), ...others];
    return { total, items: inOrder.slice(0, limit).map((view) => ({ ...view, lastUsedAt: uses.get(view.id) ?? null })) };
  }
}
