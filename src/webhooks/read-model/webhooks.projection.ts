import { insertRows, isOneOf, pipelined, raw, sql } from '#libs/database';
import { listEventTypes, type RecordedEvent, type Projection, type ProjectionTarget } from '#libs/event-sourcing';
import { webhookDecider, toShownWebhook } from '../domain/webhook.decider.js';
import { webhookEvents, type WebhookEvent } from '../domain/webhook.events.js';
import { parseWebhookId, type DisabledReason, type StoredWebhook } from '../domain/webhook.js';

export const WEBHOOKS = 'webhooks';

/** The endpoints that exist, one row each. Times are in milliseconds since 1970. */
export const webhooksProjection: Projection<WebhookEvent> = {
  name: 'webhooks',
  version: 1,
  eventTypes: listEventTypes(webhookEvents),
  tables: [
    {
      name: WEBHOOKS,
      columns: {
        id: { type: 'int64' },
        key_id: { type: 'int64' },
        url: { type: 'text' },
        // A JSON array; null for all types.
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

type Integer = bigint | string;

export interface WebhookRow extends Readonly<Record<'id' | 'key_id' | 'enabled' | 'created_at' | 'starts_after' | 'version', Integer>> {
  readonly url: string;
  readonly types: string | null;
  readonly description: string | null;
  readonly disabled_reason: DisabledReason | null;
}

const CHANGING = ['url', 'types', 'description', 'enabled', 'disabled_reason', 'starts_after', 'version'];
/** In the order of `toColumnValues`. */
const COLUMNS = ['id', 'key_id', 'created_at', ...CHANGING];
const REPLACE_ROW = raw(`ON CONFLICT (id) DO UPDATE SET ${CHANGING.map((column) => `${column} = excluded.${column}`).join(', ')}`);

/** The columns of a `WebhookRow`. */
export const webhookColumns = raw(COLUMNS.join(', '));

function toColumnValues({ id, registeredBy, createdAt, url, types, description, ...webhook }: StoredWebhook) {
  const { enabled, disabledReason, startsAfter, version } = webhook;
  const values = [url, types ? JSON.stringify(types) : null, description ?? null, enabled ? 1 : 0, disabledReason ?? null];
  return [id, registeredBy, createdAt.getTime(), ...values, startsAfter, version];
}

export function fromWebhookRow(row: WebhookRow): StoredWebhook {
  return {
    id: BigInt(row.id),
    registeredBy: BigInt(row.key_id),
    url: row.url,
    ...(row.types !== null && { types: JSON.parse(row.types) as string[] }),
    ...(row.description !== null && { description: row.description }),
    enabled: Number(row.enabled) === 1,
    ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason }),
    createdAt: new Date(Number(row.created_at)),
    startsAfter: BigInt(row.starts_after),
    version: Number(row.version),
  };
}

async function project(events: readonly RecordedEvent<WebhookEvent>[], target: ProjectionTarget): Promise<void> {
  const webhooks = await readEarlierWebhooks(events, target);
  for (const event of events) {
    const id = parseWebhookId(event.stream);
    webhooks.set(id, applyEvent(webhooks.get(id), event));
  }
  const deleted = [...webhooks].filter(([, webhook]) => !webhook).map(([id]) => id);
  const rows = [...webhooks.values()].flatMap((webhook) => (webhook ? [toColumnValues(webhook)] : []));
  await pipelined([
    ...(deleted.length > 0 ? [target.query(sql`DELETE FROM ${target.table(WEBHOOKS)} WHERE id ${isOneOf(deleted)}`)] : []),
    insertRows(target, { table: target.table(WEBHOOKS), columns: COLUMNS, rows, suffix: REPLACE_ROW }),
  ]);
}

/** Returns undefined for a deleted endpoint. */
function applyEvent(before: StoredWebhook | undefined, event: RecordedEvent<WebhookEvent>): StoredWebhook | undefined {
  const { stream, type, position, version, recordedAt } = event;
  const state = webhookDecider.evolve(before ? { kind: 'present', ...before } : webhookDecider.initialState, event);
  const webhook = toShownWebhook({ id: parseWebhookId(stream), createdAt: before?.createdAt ?? recordedAt }, state);
  const starts = type === 'webhook-registered' || type === 'webhook-enabled';
  return webhook && { ...webhook, startsAfter: starts || !before ? position : before.startsAfter, version };
}

/** Reads the endpoints of these events that were registered in an earlier batch. */
async function readEarlierWebhooks(
  events: readonly RecordedEvent[],
  target: ProjectionTarget,
): Promise<Map<bigint, StoredWebhook | undefined>> {
  const ids = [...new Set(events.filter(({ version }) => version > 1).map(({ stream }) => parseWebhookId(stream)))];
  if (ids.length === 0) return new Map();
  const rows = await target.query<WebhookRow>(sql`SELECT ${webhookColumns} FROM ${target.table(WEBHOOKS)} WHERE id ${isOneOf(ids)}`);
  return new Map(rows.map(fromWebhookRow).map((webhook) => [webhook.id, webhook]));
}
