import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/observability';
import { Scopes } from '../domain/api-key.js';
import { ApiKeyUses } from '../last-use/api-key-uses.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../domain/api-key-view.js';

/** A key and when it was used. */
export interface UsedApiKey extends ApiKeyView {
  /** The start of the minute of its last use, or its creation if that was later; null if it was never used. */
  readonly lastUsedAt: Date | null;
}

/** One API key. ApplicationError `not_found` if none has this id. */
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
    return withLastUse(key, uses);
  }
}

export interface LatestUsedApiKeys {
  /** How many keys exist in all. */
  readonly total: number;
  /** The latest used first, then those never used, ascending by id. */
  readonly items: readonly UsedApiKey[];
}

/** The API keys that were used last, at most `limit`, the revoked ones too. */
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
    private readonly clock: Clock,
  ) {}

  async execute({ limit }: ListLatestUsedApiKeys): Promise<LatestUsedApiKeys> {
    const [uses, total] = await Promise.all([this.uses.latestUsed(limit), this.reader.count()]);
    const used = new Map((await this.reader.views([...uses.keys()])).map((view) => [view.id, view]));
    const neverUsed =
      uses.size < limit ? (await this.reader.list({ limit }, this.clock.now())).items.filter(({ id }) => !uses.has(id)) : [];
    const inOrder = [...[...uses.keys()].flatMap((id) => used.get(id) ?? []), ...neverUsed];
    return { total, items: inOrder.slice(0, limit).map((view) => withLastUse(view, uses)) };
  }
}

/** Which of these API keys are neither revoked nor expired and have all these scopes. A ban does not matter: it is for requests only. */
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
    const now = this.clock.now();
    const keys = await this.reader.views(ids);
    const usable = keys.filter(({ scopes, expiresAt, revokedAt }) => {
      const had = this.scopes.withIncluded(scopes);
      return revokedAt === null && (expiresAt === null || expiresAt > now) && wanted.every((scope) => had.includes(scope));
    });
    return new Set(usable.map(({ id }) => id));
  }
}

/** Returns a key with its last use. Uses are known to the minute, so the first may seem to be before the key was made. */
export function withLastUse(key: ApiKeyView, uses: ReadonlyMap<bigint, Date>): UsedApiKey {
  const lastUse = uses.get(key.id);
  return { ...key, lastUsedAt: lastUse && lastUse < key.createdAt ? key.createdAt : (lastUse ?? null) };
}
