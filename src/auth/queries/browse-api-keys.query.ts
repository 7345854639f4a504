import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { toPage, type Page, type PageRange } from '#libs/projections';
import { ApiKeyUses } from '../last-use/api-key-uses.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../read-model/api-key.view.js';

/** A key, and when it was used. */
export interface UsedApiKey extends ApiKeyView {
  /** The start of the minute of its last use; null when it was never used. */
  readonly lastUsedAt: Date | null;
}

/** One page of the API keys with their last use, ascending by id, the revoked ones too. */
export class BrowseApiKeys extends Query<Page<UsedApiKey>> {
  constructor(readonly range: PageRange) {
    super();
  }
}

@QueryHandler(BrowseApiKeys)
export class BrowseApiKeysHandler implements IQueryHandler<BrowseApiKeys> {
  constructor(
    private readonly reader: ApiKeyReader,
    private readonly uses: ApiKeyUses,
  ) {}

  async execute({ range }: BrowseApiKeys): Promise<Page<UsedApiKey>> {
    const { items, next } = await toPage(
      range,
      (further) => this.reader.page(further),
      ({ id }) => id,
    );
    const uses = await this.uses.lastUses(items.map(({ id }) => id));
    return { items: items.map((view) => ({ ...view, lastUsedAt: uses.get(view.id) ?? null })), next };
  }
}
