import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import { ApiKeyReader } from '../read-model/api-key.reader.js';

/** Whether there is an API key that is neither revoked nor expired. */
export class HasUsableApiKey extends Query<boolean> {}

@QueryHandler(HasUsableApiKey)
export class HasUsableApiKeyHandler implements IQueryHandler<HasUsableApiKey> {
  constructor(
    private readonly reader: ApiKeyReader,
    private readonly clock: Clock,
  ) {}

  execute(): Promise<boolean> {
    return this.reader.hasUsable(this.clock.now().toISOString());
  }
}
