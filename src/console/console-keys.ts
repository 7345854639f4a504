import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { pageOf, parseInt64, readQuery, readTexts } from '#libs/http';
import { invalidParameter, Clock } from '#libs/observability';
import {
  banInForce,
  CountKeys,
  GetApiKey,
  keyStatus,
  ListDailyUsage,
  ListKeys,
  ListKeysRequest,
  ListKeyUsages,
  ListLatestUsedApiKeys,
  type UsedApiKey,
} from '../auth/index.js';

const MAX_KEYS = 50;
const USAGE_DAYS = 30;

/** Reads the API keys that the page shows, with what they have used of their limits. Never their secrets. */
@Injectable()
export class ConsoleKeys {
  constructor(
    private readonly queries: QueryBus,
    private readonly clock: Clock,
  ) {}

  /** Returns the keys that were used last, and how many keys exist. */
  async latest(): Promise<object> {
    const [items, total] = await Promise.all([
      this.queries.execute(new ListLatestUsedApiKeys(MAX_KEYS)),
      this.queries.execute(new CountKeys({})),
    ]);
    return { total, items: await this.describe(items) };
  }

  /**
   * Returns the first keys that fit a query, ascending by id, and whether there are more.
   * @param query parameters without a value are skipped: they come from empty fields of the page
   * @throws ApplicationError `invalid_parameter` that names every wrong parameter
   */
  async find(query: unknown): Promise<object> {
    const given = Object.fromEntries(Object.entries(query ?? {}).filter(([, text]) => text !== ''));
    const request = readQuery(given, ListKeysRequest);
    const { items, next } = await this.queries.execute(new ListKeys({ ...pageOf(request), limit: MAX_KEYS }));
    return { items: await this.describe(items), more: next !== undefined };
  }

  /**
   * Returns the usage of a key in the last 30 UTC days, oldest first.
   * @throws ApplicationError `invalid_parameter` if the query has no id, `not_found` if no key has it
   */
  async readUsage(query: unknown): Promise<object> {
    const id = parseInt64(readTexts(query, ['id']).id ?? '');
    if (id === undefined || id < 1n) throw invalidParameter('id', 'id', 'id must be the number of an API key, such as 7');
    await this.queries.execute(new GetApiKey(id));
    const usage = await this.queries.execute(new ListDailyUsage([id], USAGE_DAYS));
    return { id: String(id), days: usage.get(id) ?? [] };
  }

  private async describe(keys: readonly UsedApiKey[]): Promise<object[]> {
    const usages = await this.queries.execute(new ListKeyUsages(keys));
    const now = this.clock.now();
    return keys.map((key, index) => {
      const { id, name, owner = null, plan, scopes, lastUsedAt } = key;
      const { minute, day } = usages[index] ?? {};
      return {
        ...{ id: String(id), name, owner, plan, scopes, state: keyStatus(key, now), lastUsedAt },
        ...{ minute, day, ban: banInForce(key, now) ?? null },
      };
    });
  }
}
