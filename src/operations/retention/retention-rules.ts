import type { RetentionRule } from './retention-rule.js';

const DAY = 86_400_000;

export const RETENTION_RULES = Symbol('how long the rows of which tables are kept');

/** What is no fact of the domain and loses its use with time. Counters are dropped by their own upkeep when their day is over. */
export function retentionRules({ idempotencyKeys }: { readonly idempotencyKeys: number }): readonly RetentionRule[] {
  return [
    { table: 'idempotency_keys', key: ['scope', 'key'], storedAt: 'created_at', keepFor: idempotencyKeys },
    // An import that was broken off has no such time, and can be continued for ever.
    { table: 'import_progress', key: ['batch'], storedAt: 'finished_at', keepFor: 30 * DAY },
  ];
}
