import { Injectable } from '@nestjs/common';
import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/observability';
import { toPage, type Page, type PageRange } from '#libs/event-sourcing';
import { Scopes } from '../domain/api-key.js';
import { keyStatus, type ApiKeyView } from '../domain/api-key-view.js';
import { LONGEST_WINDOW } from '../domain/plans.js';
import { ApiKeyUses } from '../last-use/api-key-uses.js';
import { ApiKeyReader, type ApiKeyFilter } from '../read-model/api-key.reader.js';
import { FindUsedToday } from './key-usage.query.js';

const KEYS_IN_A_STATEMENT = 500;

/** A key and when it was used. */
export interface UsedApiKey extends ApiKeyView {
  /** The start of the minute of its last use, or its creation if that was later; null if it was never used. */
  readonly lastUsedAt: Date | null;
}

/** What queries about API keys read from. */
@Injectable()
abstract class ApiKeyQueryHandler {
  constructor(
    protected readonly reader: ApiKeyReader,
    protected readonly uses: ApiKeyUses,
    protected readonly queries: QueryBus,
    protected readonly scopes: Scopes,
    protected readonly clock: Clock,
  ) {}
}

/** One API key. ApplicationError `not_found` if none has this id. */
export class GetApiKey extends Query<UsedApiKey> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(GetApiKey)
export class GetApiKeyHandler extends ApiKeyQueryHandler implements IQueryHandler<GetApiKey> {
  async execute({ id }: GetApiKey): Promise<UsedApiKey> {
    const [key, uses] = await Promise.all([this.reader.get(id), this.uses.lastUses([id])]);
    return withLastUse(key, uses);
  }
}

/** The API keys that were used last, at most `limit`, the revoked ones too: the latest first, then those never used, ascending by id. */
export class ListLatestUsedApiKeys extends Query<readonly UsedApiKey[]> {
  constructor(readonly limit: number) {
    super();
  }
}

@QueryHandler(ListLatestUsedApiKeys)
export class ListLatestUsedApiKeysHandler extends ApiKeyQueryHandler implements IQueryHandler<ListLatestUsedApiKeys> {
  async execute({ limit }: ListLatestUsedApiKeys): Promise<readonly UsedApiKey[]> {
    const uses = await this.uses.latestUsed(limit);
    const used = new Map((await this.reader.views([...uses.keys()])).map((view) => [view.id, view]));
    const neverUsed =
      uses.size < limit ? (await this.reader.list({ limit }, this.clock.now())).items.filter(({ id }) => !uses.has(id)) : [];
    const inOrder = [...[...uses.keys()].flatMap((id) => used.get(id) ?? []), ...neverUsed];
    return inOrder.slice(0, limit).map((view) => withLastUse(view, uses));
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
export class FindUsableApiKeysHandler extends ApiKeyQueryHandler implements IQueryHandler<FindUsableApiKeys> {
  async execute({ ids, scopes: wanted }: FindUsableApiKeys): Promise<ReadonlySet<bigint>> {
    const now = this.clock.now();
    const usable = (await this.reader.views(ids)).filter((key) => {
      const had = this.scopes.withIncluded(key.scopes);
      return ['active', 'banned'].includes(keyStatus(key, now)) && wanted.every((scope) => had.includes(scope));
    });
    return new Set(usable.map(({ id }) => id));
  }
}

export interface KeyFilter extends ApiKeyFilter {
  /** Only keys that have used more than this percentage of their UTC day, as of the last second. */
  readonly usedAbove?: number | undefined;
}

/** One page of the API keys that fit a filter, in the order of their ids, the revoked ones too. */
export class ListKeys extends Query<Page<UsedApiKey>> {
  constructor(readonly range: PageRange & KeyFilter) {
    super();
  }
}

@QueryHandler(ListKeys)
export class ListKeysHandler extends ApiKeyQueryHandler implements IQueryHandler<ListKeys> {
  async execute({ range: { usedAbove, ...range } }: ListKeys): Promise<Page<UsedApiKey>> {
    if (usedAbove === undefined) return this.read(range);
    const found = await this.findBusy({ ...range, limit: range.limit + 1 }, usedAbove);
    return toPage(found, range.limit, ({ id }) => id);
  }

  private async read(range: PageRange & ApiKeyFilter): Promise<Page<UsedApiKey>> {
    const { items, next } = await this.reader.list(range, this.clock.now());
    const uses = await this.uses.lastUses(items.map(({ id }) => id));
    return { items: items.map((view) => withLastUse(view, uses)), next };
  }

  /** Looks only at keys that were used today: far fewer than there are. */
  private async findBusy(
    { after, limit, descending = false, ids: wanted, ...filter }: PageRange & ApiKeyFilter,
    usedAbove: number,
  ): Promise<UsedApiKey[]> {
    const used = await this.queries.execute(new FindUsedToday());
    const sign = descending ? -1n : 1n;
    const follows = (id: bigint) => after === undefined || (id - after) * sign > 0n;
    const ids = [...used.keys()]
      .filter((id) => follows(id) && (!wanted || wanted.includes(id)))
      .sort((left, right) => (left < right === !descending ? -1 : 1));
    const isBusy = ({ id, limits }: UsedApiKey) => ((used.get(id) ?? 0) / limits[LONGEST_WINDOW.member]) * 100 > usedAbove;
    const found: UsedApiKey[] = [];
    for (let start = 0; start < ids.length && found.length < limit; start += KEYS_IN_A_STATEMENT) {
      const chunk = ids.slice(start, start + KEYS_IN_A_STATEMENT);
      const { items } = await this.read({ ...filter, descending, ids: chunk, limit: chunk.length });
      found.push(...items.filter(isBusy));
    }
    return found.slice(0, limit);
  }
}

/** The number of API keys that fit a filter, the revoked ones too. */
export class CountKeys extends Query<number> {
  constructor(readonly filter: KeyFilter) {
    super();
  }
}

@QueryHandler(CountKeys)
export class CountKeysHandler extends ApiKeyQueryHandler implements IQueryHandler<CountKeys> {
  async execute({ filter: { usedAbove, ...filter } }: CountKeys): Promise<number> {
    if (usedAbove === undefined) return this.reader.countFitting(filter, this.clock.now());
    return (await this.queries.execute(new ListKeys({ ...filter, usedAbove, limit: Number.MAX_SAFE_INTEGER - 1 }))).items.length;
  }
}

/** Returns a key with its last use. Uses are known to the minute, so the first may seem to be before the key was made. */
function withLastUse(key: ApiKeyView, uses: ReadonlyMap<bigint, Date>): UsedApiKey {
  const lastUse = uses.get(key.id);
  return { ...key, lastUsedAt: lastUse && lastUse < key.createdAt ? key.createdAt : (lastUse ?? null) };
}
