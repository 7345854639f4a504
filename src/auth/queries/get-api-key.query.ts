import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../read-model/api-key.view.js';

/** One API key; an ApplicationError `not_found` when there is none with this id. */
export class GetApiKey extends Query<ApiKeyView> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(GetApiKey)
export class GetApiKeyHandler implements IQueryHandler<GetApiKey> {
  constructor(private readonly reader: ApiKeyReader) {}

  execute({ id }: GetApiKey): Promise<ApiKeyView> {
    return this.reader.get(id);
  }
}
