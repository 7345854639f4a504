import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { ApiKeyCredential } from '../read-model/api-key-credential.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';

/** What the tokens with these SHA-256 (hex) stand for, also when they may no longer be used; those that nobody knows are left out. */
export class FindApiKeysByHash extends Query<ReadonlyMap<string, ApiKeyCredential>> {
  constructor(readonly hashes: readonly string[]) {
    super();
  }
}

@QueryHandler(FindApiKeysByHash)
export class FindApiKeysByHashHandler implements IQueryHandler<FindApiKeysByHash> {
  constructor(private readonly reader: ApiKeyReader) {}

  execute({ hashes }: FindApiKeysByHash): Promise<ReadonlyMap<string, ApiKeyCredential>> {
    return this.reader.findByHash(hashes);
  }
}
