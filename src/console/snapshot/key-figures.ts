import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import { CachedReading } from '#libs/operations';
import { ListLatestUsedApiKeys, type ApiKeyView } from '../../auth/index.js';
import { ListKeyUsages, type WindowUsage } from '../../rate-limiting/index.js';
import { SAMPLE } from './sample.js';

const MOST_KEYS = 50;

/** The API keys that were used last, with what they have used up. Never their secrets. */
@Injectable()
export class KeyFigures {
  private readonly sample = new CachedReading(() => this.list(), SAMPLE);

  constructor(
    private readonly queries: QueryBus,
    private readonly clock: Clock,
  ) {}

  async read(): Promise<object | null> {
    return (await this.sample.get()) ?? null;
  }

  private async list(): Promise<object> {
    const { total, items } = await this.queries.execute(new ListLatestUsedApiKeys(MOST_KEYS));
    const usages = await this.queries.execute(new ListKeyUsages(items));
    const now = this.clock.now().toISOString();
    return {
      total,
      items: items.map((key, index) => {
        const { id, name, plan, scopes, lastUsedAt } = key;
        const usage = usages[index];
        return {
          ...{ id: String(id), name, plan, scopes, state: stateOf(key, now), lastUsedAt: lastUsedAt?.toISOString() ?? null },
          ...{ minute: usage && windowOf(usage.minute), day: usage && windowOf(usage.day), ban: usage?.ban ?? null },
        };
      }),
    };
  }
}

function stateOf({ revokedAt, expiresAt }: ApiKeyView, now: string): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

function windowOf({ limit, used, resetsAt }: WindowUsage) {
  return { limit, used, resetsAt };
}
