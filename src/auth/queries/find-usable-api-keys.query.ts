import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import { Scopes } from '../commands/scopes.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';

/** Which of these API keys are neither revoked nor expired and have these scopes; a ban is for requests alone. */
export class FindUsableApiKeys extends Query<ReadonlySet<bigint>> {
  constructor(
    readonly ids: readonly bigint[],
    readonly scopes: readonly string[],
  ) {
    super();
  }
}

@QueryHandler(FindUsableApiKeys)
export class FindUsableApiKeysHandler implements IQueryHandler<FindUsableApiKeys> {
  constructor(
    private readonly reader: ApiKeyReader,
    private readonly scopes: Scopes,
    private readonly clock: Clock,
  ) {}

  async execute({ ids, scopes: wanted }: FindUsableApiKeys): Promise<ReadonlySet<bigint>> {
    const now = this.clock.now().toISOString();
    const keys = await this.reader.findAll(ids);
    const usable = keys.filter(({ scopes, expiresAt, revokedAt }) => {
      const had = this.scopes.withIncluded(scopes);
      return revokedAt === null && (expiresAt === null || expiresAt > now) && wanted.every((scope) => had.includes(scope));
    });
    return new Set(usable.map(({ id }) => id));
  }
}
