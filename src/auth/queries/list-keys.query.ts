import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/observability';
import { toPage, type Page, type PageRange } from '#libs/event-sourcing';
import { ApiKeyUses } from '../last-use/api-key-uses.js';
import { ApiKeyReader, type ApiKeyFilter } from '../read-model/api-key.reader.js';
import { withLastUse, type UsedApiKey } from './api-keys.query.js';
import { LONGEST_WINDOW } from '../domain/plans.js';
import { FindUsedToday } from './key-usage.query.js';

const KEYS_IN_A_STATEMENT = 500;

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
export class ListKeysHandler implements IQueryHandler<ListKeys> {
  constructor(
    private readonly queries: QueryBus,
    private readonly reader: ApiKeyReader,
    private readonly uses: ApiKeyUses,
    private readonly clock: Clock,
  ) {}

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
export class CountKeysHandler implements IQueryHandler<CountKeys> {
  constructor(
    private readonly queries: QueryBus,
    private readonly reader: ApiKeyReader,
    private readonly clock: Clock,
  ) {}

  async execute({ filter: { usedAbove, ...filter } }: CountKeys): Promise<number> {
    if (usedAbove === undefined) return this.reader.countFitting(filter, this.clock.now());
    return (await this.queries.execute(new ListKeys({ ...filter, usedAbove, limit: Number.MAX_SAFE_INTEGER - 1 }))).items.length;
  }
}
