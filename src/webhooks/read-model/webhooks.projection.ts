import { insertRows, isOneOf, pipelined, raw, sql } from '#libs/database';
import { typesOf, type RecordedEvent } from '#libs/event-store';
import type { Projection, ProjectionTarget } from '#libs/projections';
import { webhookDecider, type WebhookState } from '../domain/webhook.decider.js';
import { webhookEvents, type WebhookEvent } from '../domain/webhook.events.js';
import { webhookIdOf } from '../domain/webhook.js';
import { storedWebhookOf, valuesOf, WEBHOOK_COLUMNS, type StoredWebhook, type WebhookRow } from './webhook-rows.js';

const FIXED: readonly string[] = ['id', 'key_id', 'created_at'];
const REPLACE_ROW = raw(
  `ON CONFLICT (id) DO UPDATE SET ${WEBHOOK_COLUMNS.filter((column) => !FIXED.includes(column))
    .map((column) => `${column} = excluded.${column}`)
    .join(', ')}`,
);

export const WEBHOOKS = 'webhooks';

/** The endpoints that there are, one row each. */
export const webhooksProjection: Projection<WebhookEvent> = {
  name: 'webhooks',
  version: 1,
  eventTypes: typesOf(webhookEvents),
  tables: [
    {
      name: WEBHOOKS,
      columns: {
        id: { type: 'int64' },
        key_id: { type: 'int64' },
        url: { type: 'text' },
        types: { type: 'text', nullable: true },
        description: { type: 'text', nullable: true },
        enabled: { type: 'int64' },
        disabled_reason: { type: 'text', nullable: true },
        created_at: { type: 'int64' },
        starts_after: { type: 'int64' },
        version: { type: 'int64' },
      },
      primaryKey: ['id'],
      indexes: [
        ['key_id', 'id'],
        ['enabled', 'id'],
      ],
    },
  ],
  project,
};

interface ProjectedWebhook extends Pick<StoredWebhook, 'createdAt' | 'startsAfter' | 'version'> {
  readonly state: WebhookState;
}

async function project(events: readonly RecordedEvent<WebhookEvent>[], target: ProjectionTarget): Promise<void> {
  const webhooks = await webhooksBefore(events, target);
  for (const event of events) {
    const id = webhookIdOf(event.stream);
    webhooks.set(id, after(webhooks.get(id), event));
  }
  const gone = [...webhooks].filter(([, { state }]) => state.kind !== 'present').map(([id]) => id);
  const rows = [...webhooks].flatMap(([id, { state, ...rest }]) => (state.kind === 'present' ? [valuesOf({ id, ...state, ...rest })] : []));
  await pipelined([
    ...(gone.length > 0 ? [target.query(sql`DELETE FROM ${target.table(WEBHOOKS)} WHERE id ${isOneOf(gone)}`)] : []),
    insertRows(target, { table: target.table(WEBHOOKS), columns: WEBHOOK_COLUMNS, rows, suffix: REPLACE_ROW }),
  ]);
}

function after(before: ProjectedWebhook | undefined, event: RecordedEvent<WebhookEvent>): ProjectedWebhook {
  const { type, position, version, recordedAt } = event;
  const begins = type === 'webhook-registered' || type === 'webhook-enabled';
  return {
    state: webhookDecider.evolve(before?.state ?? webhookDecider.initialState, event),
    createdAt: before?.createdAt ?? recordedAt,
    startsAfter: begins ? position : (before?.startsAfter ?? position),
    version,
  };
}

/** The endpoints of this batch that were registered in an earlier one. */
async function webhooksBefore(events: readonly RecordedEvent[], target: ProjectionTarget): Promise<Map<bigint, ProjectedWebhook>> {
  const ids = [...new Set(events.filter(({ version }) => version > 1).map(({ stream }) => webhookIdOf(stream)))];
  if (ids.length === 0) return new Map();
  const rows = await target.query<WebhookRow>(
    sql`SELECT ${raw(WEBHOOK_COLUMNS.join(', '))} FROM ${target.table(WEBHOOKS)} WHERE id ${isOneOf(ids)}`,
  );
  return new Map(rows.map((row) => [BigInt(row.id), projectedOf(storedWebhookOf(row))]));
}

function projectedOf({ id: _id, createdAt, startsAfter, version, ...details }: StoredWebhook): ProjectedWebhook {
  return { state: { kind: 'present', ...details }, createdAt, startsAfter, version };
}
