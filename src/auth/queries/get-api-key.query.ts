import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import { ApiKeyUses } from '../last-use/api-key-uses.js';
import type { UsedApiKey } from './browse-api-keys.query.js';

export type { ApiKeyView } from '../read-model/api-key.view.js';

/** One API key; an ApplicationError `not_found` when there is none with this id. */
export class GetApiKey extends Query<UsedApiKey> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(GetApiKey)
export class GetApiKeyHandler implements IQueryHandler<GetApiKey> {
  constructor(
    private readonly reader: ApiKeyReader,
    private readonly uses: ApiKeyUses,
  ) {}

  async execute({ id }: GetApiKey): Promise<UsedApiKey> {
    const [key, uses] = await Promise.all([this.reader.get(id), this.uses.lastUses([id])]);
    return { ...key, lastUsedAt: uses.get(id) ?? null };
  }
}
