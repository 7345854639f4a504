import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ApiKeyUses } from '../last-use/api-key-uses.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../read-model/api-key.view.js';

export interface UsedApiKey extends ApiKeyView {
  /** The start of the minute of its last use; null when it was never used. */
  readonly lastUsedAt: Date | null;
}

export interface BrowseApiKeysResult {
  /** Ascending by id, the revoked ones too. */
  readonly keys: readonly UsedApiKey[];
  readonly hasNext: boolean;
}

/** One page of the API keys with their last use. */
export class BrowseApiKeys extends Query<BrowseApiKeysResult> {
  constructor(readonly page: { readonly limit: number; readonly after?: bigint }) {
    super();
  }
}

@QueryHandler(BrowseApiKeys)
export class BrowseApiKeysHandler implements IQueryHandler<BrowseApiKeys> {
  constructor(
    private readonly reader: ApiKeyReader,
    private readonly uses: ApiKeyUses,
  ) {}

  async execute({ page: { limit, after } }: BrowseApiKeys): Promise<BrowseApiKeysResult> {
    // One more than asked for tells whether another page follows.
    const found = await this.reader.page({ limit: limit + 1, ...(after !== undefined && { after }) });
    const views = found.slice(0, limit);
    const uses = await this.uses.lastUses(views.map(({ id }) => id));
    return { keys: views.map((view) => ({ ...view, lastUsedAt: uses.get(view.id) ?? null })), hasNext: found.length > limit };
  }
}
