import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../read-model/api-key.view.js';

/** All API keys, ascending by id, the revoked ones too. */
export class ListApiKeys extends Query<ApiKeyView[]> {}

@QueryHandler(ListApiKeys)
export class ListApiKeysHandler implements IQueryHandler<ListApiKeys> {
  constructor(private readonly reader: ApiKeyReader) {}

  execute(): Promise<ApiKeyView[]> {
    return this.reader.list();
  }
}
