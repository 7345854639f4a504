import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { ApiKeyCredential } from '../read-model/api-key-credential.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';

/** What the token with this SHA-256 (hex) stands for, also when it may no longer be used; undefined when nobody knows it. */
export class FindApiKeyByHash extends Query<ApiKeyCredential | undefined> {
  constructor(readonly hash: string) {
    super();
  }
}

@QueryHandler(FindApiKeyByHash)
export class FindApiKeyByHashHandler implements IQueryHandler<FindApiKeyByHash> {
  constructor(private readonly reader: ApiKeyReader) {}

  execute({ hash }: FindApiKeyByHash): Promise<ApiKeyCredential | undefined> {
    return this.reader.findByHash(hash);
  }
}
