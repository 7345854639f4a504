import { identifier, insertRows, isOneOf, join, pipelined, raw, sql } from '#libs/database';
import { listEventTypes, type RecordedEvent, type Projection, type ProjectionTarget } from '#libs/event-sourcing';
import { webhookDecider, webhookIn, type WebhookState } from '../domain/webhook.decider.js';
import { webhookEvents, type WebhookEvent } from '../domain/webhook.events.js';
import { webhookIdOf, type DisabledReason, type WebhookSnapshot } from '../domain/webhook.js';

export const WEBHOOKS = 'webhooks';

/** An endpoint as its row tells it. */
export interface StoredWebhook extends WebhookSnapshot {
  /** The position of the event that it was last registered or enabled with: only later events are sent. */
  readonly startsAfter: bigint;
}

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

export interface WebhookRow extends Readonly<Record<'id' | 'key_id' | 'enabled' | 'created_at' | 'starts_after', Integer>> {
  readonly url: string;
  readonly types: string | null;
  readonly description: string | null;
  readonly disabled_reason: DisabledReason | null;
}

const CHANGING = ['url', 'types', 'description', 'enabled', 'disabled_reason', 'starts_after', 'version'];
const COLUMNS = ['id', 'key_id', 'created_at', ...CHANGING];
const REPLACE_ROW = raw(`ON CONFLICT (id) DO UPDATE SET ${CHANGING.map((column) => `${column} = excluded.${column}`).join(', ')}`);

/** The columns of a `WebhookRow`. */
export const webhookColumns = join(COLUMNS.map(identifier));

export function storedWebhookOf(row: WebhookRow): StoredWebhook {
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
  };
}

interface ProjectedWebhook extends Pick<StoredWebhook, 'createdAt' | 'startsAfter'> {
  readonly state: WebhookState;
  readonly version: number;
}

async function project(events: readonly RecordedEvent<WebhookEvent>[], target: ProjectionTarget): Promise<void> {
  const webhooks = await readBefore(events, target);
  for (const event of events) {
    const id = webhookIdOf(event.stream);
    webhooks.set(id, apply(webhooks.get(id), event));
  }
  const deleted = [...webhooks].filter(([, { state }]) => state.kind !== 'present').map(([id]) => id);
  await pipelined([
    ...(deleted.length > 0 ? [target.query(sql`DELETE FROM ${target.table(WEBHOOKS)} WHERE id ${isOneOf(deleted)}`)] : []),
    insertRows(target, { table: target.table(WEBHOOKS), columns: COLUMNS, rows: [...webhooks].flatMap(rowsOf), suffix: REPLACE_ROW }),
  ]);
}

function apply(before: ProjectedWebhook | undefined, event: RecordedEvent<WebhookEvent>): ProjectedWebhook {
  const { type, position, version, recordedAt } = event;
  const starts = type === 'webhook-registered' || type === 'webhook-enabled';
  return {
    state: webhookDecider.evolve(before?.state ?? webhookDecider.initialState, event),
    createdAt: before?.createdAt ?? recordedAt,
    startsAfter: starts ? position : (before?.startsAfter ?? position),
    version,
  };
}

/** One row in the order of the columns; none for a deleted endpoint. */
function rowsOf([id, { state, createdAt, startsAfter, version }]: [bigint, ProjectedWebhook]) {
  const webhook = webhookIn({ id, createdAt }, state);
  if (!webhook) return [];
  const { registeredBy, url, types, description, enabled, disabledReason } = webhook;
  const fixed = [id, registeredBy, createdAt.getTime()];
  return [
    [
      ...fixed,
      url,
      types ? JSON.stringify(types) : null,
      description ?? null,
      enabled ? 1 : 0,
      disabledReason ?? null,
      startsAfter,
      version,
    ],
  ];
}

/** Reads the endpoints of these events that were registered in an earlier batch. */
async function readBefore(events: readonly RecordedEvent[], target: ProjectionTarget): Promise<Map<bigint, ProjectedWebhook>> {
  const ids = [...new Set(events.filter(({ version }) => version > 1).map(({ stream }) => webhookIdOf(stream)))];
  if (ids.length === 0) return new Map();
  const rows = await target.query<WebhookRow>(sql`SELECT ${webhookColumns} FROM ${target.table(WEBHOOKS)} WHERE id ${isOneOf(ids)}`);
  return new Map(rows.map((row) => [BigInt(row.id), projectedOf(storedWebhookOf(row))]));
}

function projectedOf({ id: _id, createdAt, startsAfter, ...details }: StoredWebhook): ProjectedWebhook {
  return { state: { kind: 'present', ...details }, createdAt, startsAfter, version: 0 };
}
