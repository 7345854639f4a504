import { deserialize, serialize } from 'node:v8';
import { insertRows, isOneOf, raw, sql, type Database } from '#libs/database';
import { eventsTable } from './event-row.js';

/** The state of a stream after its first `version` events. */
export interface FoldedState<State> {
  readonly state: State;
  readonly version: number;
  /** The id of the event at this version, which tells the history that the state belongs to; null at version 0. */
  readonly eventId: string | null;
  /** The version of the newest state that is stored, as far as this process knows. */
  readonly storedVersion: number;
}

interface StoredState {
  readonly stream_id: string;
  readonly version: bigint | string;
  readonly event_id: string;
  readonly state: string;
}

const table = raw('"stream_states"');

/** The states of long streams in the database. They follow from the log, and one that does not belong to it is never given. */
export class StoredStates<State> {
  /** @param form names the decider and the form of its states; those of another form are not read */
  constructor(
    private readonly database: Database,
    private readonly form: string,
  ) {}

  async find(streams: readonly string[]): Promise<ReadonlyMap<string, FoldedState<State>>> {
    if (streams.length === 0) return new Map();
    const rows = await this.database.reader.query<StoredState>(
      sql`SELECT "stored"."stream_id", "stored"."version", "stored"."event_id", "stored"."state" FROM ${table} AS "stored"
          JOIN ${eventsTable} AS "events" ON "events"."stream_id" = "stored"."stream_id"
            AND "events"."stream_version" = "stored"."version" AND "events"."event_id" = "stored"."event_id"
          WHERE "stored"."stream_id" ${isOneOf(streams)} AND "stored"."form" = ${this.form}`,
    );
    return new Map(rows.map((row) => [row.stream_id, foldedOf<State>(row)]));
  }

  async save(stream: string, { state, version, eventId }: Omit<FoldedState<State>, 'storedVersion'>): Promise<void> {
    const values = [stream, this.form, version, eventId, serialize(state).toString('base64')];
    const columns = ['stream_id', 'form', 'version', 'event_id', 'state'];
    const suffix = sql`ON CONFLICT ("stream_id", "form") DO UPDATE
      SET "version" = excluded."version", "event_id" = excluded."event_id", "state" = excluded."state"`;
    await this.database.write((transaction) => insertRows(transaction, { table, columns, rows: [values], suffix }), { durable: false });
  }
}

function foldedOf<State>({ state, version, event_id: eventId }: StoredState): FoldedState<State> {
  const at = Number(version);
  return { state: deserialize(Buffer.from(state, 'base64')) as State, version: at, eventId, storedVersion: at };
}
