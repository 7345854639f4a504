import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Clock } from '#libs/observability';
import { ListLatestUsedApiKeys, type ApiKeyView } from '../auth/index.js';
import { ListKeyUsages } from '../rate-limiting/index.js';

const MAX_KEYS = 50;

/** The API keys used last, with what they have used of their limits. Never their secrets. */
@Injectable()
export class KeyFigures {
  constructor(
    private readonly queries: QueryBus,
    private readonly clock: Clock,
  ) {}

  async read(): Promise<object> {
    const { total, items } = await this.queries.execute(new ListLatestUsedApiKeys(MAX_KEYS));
    const usages = await this.queries.execute(new ListKeyUsages(items));
    const now = this.clock.now().toISOString();
    return {
      total,
      items: items.map(({ id, name, plan, scopes, lastUsedAt, revokedAt, expiresAt }, index) => ({
        ...{ id: String(id), name, plan, scopes, state: getKeyState({ revokedAt, expiresAt }, now), lastUsedAt },
        ...{ minute: usages[index]?.minute, day: usages[index]?.day, ban: usages[index]?.ban ?? null },
      })),
    };
  }
}

function getKeyState({ revokedAt, expiresAt }: Pick<ApiKeyView, 'revokedAt' | 'expiresAt'>, now: string): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}
