import { createHash } from 'node:crypto';
import { identifier, join, sql, type Database, type WriteTransaction } from '#libs/database';
import type { EventData, EventDefinitions, EventMember, RecordedEvent } from '../event-store/event.js';
import { createProjectionTable, createTarget, projectionTableName, replayTableName, type Projection } from './projection.js';

/** The types of a sample stream's events, in order, and which samples its events have. */
interface SampleStream {
  readonly firstSample: number;
  readonly types: readonly string[];
}

const SAMPLES = 3;
const LONGEST_STREAM = 3;
// Digits only, so that the number is read from it whatever the length of the category that a projection cuts off.
const DIGITS_OF_A_STREAM = 50;
const FIRST_RECORDED = Date.UTC(2026, 0, 1);

/** The samples of each kind, for the event at a position. A text is never the same twice, since a table may be keyed by it. */
const SAMPLES_OF_KIND: Readonly<Record<Extract<EventMember, string>, (position: number) => readonly [unknown, unknown, unknown]>> = {
  text: (position) => [`text ${position}`, `text ${position}`, `text ${position}`],
  'text | null': (position) => [`text ${position}`, null, `text ${position}`],
  // The last one is not exact as a number.
  int64: () => ['1', '2', '9007199254740993'],
  number: () => [1, 2, 3],
  boolean: () => [true, false, true],
  time: () => ['2026-02-01T00:00:00.001Z', '2027-02-01T00:00:00.002Z', '2028-02-01T00:00:00.003Z'],
  'time | null': () => ['2026-02-01T00:00:00.001Z', null, '2028-02-01T00:00:00.003Z'],
  'text[]': (position) => [[`text ${position}`], [], [`text ${position}`, 'another']],
};

/**
 * Returns a digest of the form of a projection's tables and of the rows that it makes from sample events: all sequences of up to three of
 * these types, with three different values of each kind of data. It is the same on every machine, and stays if only the code changes.
 * Skips a sequence that the projection does not accept, with all that continue it, so a projection that accepts none is known by its
 * tables only.
 * @param database where temporary tables are made; only SQLite always gives the same digest
 * @param types those among the projection's event types that are used
 */
export async function fingerprintProjection(
  database: Pick<Database, 'snapshot'>,
  projection: Projection,
  { definitions, types }: { readonly definitions: EventDefinitions; readonly types: readonly string[] },
): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(describeTables(projection)));
  const replay = (streams: readonly SampleStream[]) =>
    replayAccepted(streams, (some) => database.snapshot((runner) => projectSamples(runner, projection, definitions, some)));
  let streams: readonly SampleStream[] = Array.from({ length: SAMPLES }, (_, firstSample) => ({ firstSample, types: [] }));
  for (let length = 1; length <= LONGEST_STREAM; length += 1) {
    const { accepted, rows } = await replay(
      streams.flatMap((stream) => types.toSorted().map((type) => ({ ...stream, types: [...stream.types, type] }))),
    );
    digest.update(JSON.stringify(rows, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)));
    streams = accepted;
  }
  return digest.digest('hex').slice(0, 16);
}

/** The form of the tables, whatever the order in which it is declared. */
function describeTables({ tables }: Projection): unknown {
  return tables
    .map(({ name, columns, primaryKey, indexes = [], searched }) => ({
      name,
      columns: Object.entries(columns)
        .map(([column, { type, nullable = false }]) => `${column} ${type} ${nullable}`)
        .sort(),
      primaryKey,
      indexes: indexes.map((index) => index.join()).sort(),
      ...(searched && { searched: searched.toSorted() }),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Projects streams together; if that fails, the halves of them, to find those that are accepted. */
async function replayAccepted(
  streams: readonly SampleStream[],
  project: (streams: readonly SampleStream[]) => Promise<readonly object[]>,
): Promise<{ readonly accepted: readonly SampleStream[]; readonly rows: readonly object[] }> {
  try {
    return { accepted: streams, rows: await project(streams) };
  } catch {
    if (streams.length <= 1) return { accepted: [], rows: [] };
    const middle = Math.ceil(streams.length / 2);
    const first = await replayAccepted(streams.slice(0, middle), project);
    const second = await replayAccepted(streams.slice(middle), project);
    return { accepted: [...first.accepted, ...second.accepted], rows: [...first.rows, ...second.rows] };
  }
}

/** Projects the first events of all streams, then the second ones, and so on, and returns the rows of all tables. */
async function projectSamples(
  runner: WriteTransaction,
  projection: Projection,
  definitions: EventDefinitions,
  streams: readonly SampleStream[],
): Promise<object[]> {
  for (const table of projection.tables) {
    await createProjectionTable(runner, table, (name) => replayTableName(projectionTableName(projection, name)), { temporary: true });
  }
  const target = createTarget(projection, runner, replayTableName);
  const length = streams[0]?.types.length ?? 0;
  for (let place = 0; place < length; place += 1) {
    await projection.project(
      streams.flatMap((stream, index) => sampleEvents(definitions, stream, { index, place, position: place * streams.length + index + 1 })),
      target,
    );
  }
  const rows: object[] = [];
  for (const { name, columns, primaryKey } of projection.tables) {
    const selected = join(Object.keys(columns).sort().map(identifier));
    rows.push(...(await runner.query(sql`SELECT ${selected} FROM ${target.table(name)} ORDER BY ${join(primaryKey.map(identifier))}`)));
  }
  return rows;
}

/** The event of a stream at one place; none for a type that no module defines. */
function sampleEvents(
  definitions: EventDefinitions,
  { firstSample, types }: SampleStream,
  { index, place, position }: { readonly index: number; readonly place: number; readonly position: number },
): RecordedEvent[] {
  const type = types[place] ?? '';
  const definition = definitions[type];
  if (!definition) return [];
  return [
    {
      type,
      data: sampleData(definition.data, (firstSample + place) % SAMPLES, position),
      stream: String(index + 1).padStart(DIGITS_OF_A_STREAM, '0'),
      version: place + 1,
      position: BigInt(position),
      eventId: `sample-${position}`,
      schemaVersion: definition.schemaVersion,
      metadata: { actor: 'sample' },
      recordedAt: new Date(FIRST_RECORDED + position),
    },
  ];
}

/** Data with one sample of each member; an optional one is absent from the second sample. */
function sampleData(data: EventData, sample: number, position: number): object {
  const members = Object.entries(data).filter(([member]) => !(member.endsWith('?') && sample === 1));
  return Object.fromEntries(
    members.map(([member, kind]) => {
      const values = typeof kind === 'string' ? SAMPLES_OF_KIND[kind](position) : kind;
      return [member.replace(/\?$/, ''), values[sample % values.length]];
    }),
  );
}
