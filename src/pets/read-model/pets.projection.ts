import { listEventTypes, type RecordedEvent, type Projection, type ProjectionTarget } from '#libs/event-sourcing';
import { insertRows, isOneOf, pipelined, raw, sql, type TableRow } from '#libs/database';
import { petDecider, type PetState } from '../domain/pet.decider.js';
import { petEvents, type PetEvent } from '../domain/pet.events.js';
import { parsePetId, type PetDetails, type PetStatus } from '../domain/pet.js';
import { PetCountChanges, petCountTables } from './pet-counts.js';

const COLUMNS = ['id', 'name', 'category_id', 'status', 'added_at', 'version'];
const REPLACE_STATUS = 'ON CONFLICT (id) DO UPDATE SET status = excluded.status, version = excluded.version';
const REPLACE_ROW = `${REPLACE_STATUS}, name = excluded.name, category_id = excluded.category_id`;

export const PETS = 'pets';

/** The visible animals, one row each, and their counts. */
export const petsProjection: Projection<PetEvent> = {
  name: 'pets',
  version: 2,
  eventTypes: listEventTypes(petEvents),
  tables: [
    {
      name: PETS,
      columns: {
        id: { type: 'int64' },
        name: { type: 'text' },
        category_id: { type: 'int64' },
        status: { type: 'text', nullable: true },
        added_at: { type: 'int64' },
        version: { type: 'int64' },
      },
      primaryKey: ['id'],
      indexes: [
        ['status', 'id'],
        ['category_id', 'id'],
      ],
    },
    ...petCountTables,
  ],
  project,
};

interface ProjectedPet {
  readonly state: PetState;
  /** Milliseconds since 1970. */
  readonly addedAt: number | bigint;
  readonly version: number | bigint;
}

interface PetRow {
  readonly id: bigint | string;
  readonly name: string;
  readonly category_id: bigint | string;
  readonly status: PetStatus | null;
  readonly added_at: bigint | string;
  readonly version: bigint | string;
}

async function project(events: readonly RecordedEvent<PetEvent>[], target: ProjectionTarget): Promise<void> {
  const before = await readEarlierPets(events, target);
  const pets = new Map(before);
  for (const event of events) {
    const id = parsePetId(event.stream);
    const { state, addedAt } = pets.get(id) ?? { state: petDecider.initialState, addedAt: event.recordedAt.getTime() };
    pets.set(id, { state: petDecider.evolve(state, event), addedAt, version: event.version });
  }
  await pipelined([removeAbsent(pets, target), replacePresent(before, pets, target), countChanges(before, pets).write(target)]);
}

function countChanges(before: ReadonlyMap<bigint, ProjectedPet>, after: ReadonlyMap<bigint, ProjectedPet>): PetCountChanges {
  const changes = new PetCountChanges();
  for (const [id, pet] of after) changes.add(presentDetails(before.get(id)), presentDetails(pet));
  return changes;
}

function presentDetails(pet: ProjectedPet | undefined): PetDetails | undefined {
  return pet?.state.kind === 'present' ? pet.state.details : undefined;
}

/** Reads the animals of this batch that an earlier one added. */
async function readEarlierPets(events: readonly RecordedEvent[], target: ProjectionTarget): Promise<Map<bigint, ProjectedPet>> {
  const ids = new Set(events.filter(({ version }) => version > 1).map(({ stream }) => parsePetId(stream)));
  if (ids.size === 0) return new Map();
  const rows = await target.query<PetRow>(
    sql`SELECT id, name, category_id, status, added_at, version FROM ${target.table(PETS)} WHERE id ${isOneOf([...ids])}`,
  );
  return new Map(rows.map((found) => [BigInt(found.id), toProjectedPet(found)]));
}

function toProjectedPet({ name, category_id: categoryId, status, added_at: addedAt, version }: PetRow): ProjectedPet {
  const details = { name, categoryId: BigInt(categoryId), ...(status && { status }) };
  return { state: { kind: 'present', details }, addedAt: BigInt(addedAt), version: BigInt(version) };
}

async function removeAbsent(pets: ReadonlyMap<bigint, ProjectedPet>, target: ProjectionTarget): Promise<void> {
  const ids = [...pets].filter(([, { state }]) => state.kind !== 'present').map(([id]) => id);
  if (ids.length > 0) await target.query(sql`DELETE FROM ${target.table(PETS)} WHERE id ${isOneOf(ids)}`);
}

async function replacePresent(
  before: ReadonlyMap<bigint, ProjectedPet>,
  after: ReadonlyMap<bigint, ProjectedPet>,
  target: ProjectionTarget,
): Promise<void> {
  const rows: TableRow[] = [];
  const rowsOfNewStatus: TableRow[] = [];
  for (const [id, pet] of after) {
    const details = presentDetails(pet);
    if (!details) continue;
    const { name, categoryId, status } = details;
    const known = presentDetails(before.get(id));
    const sameButStatus = known?.name === name && known.categoryId === categoryId;
    (sameButStatus ? rowsOfNewStatus : rows).push([id, name, categoryId, status ?? null, pet.addedAt, pet.version]);
  }
  const into = { table: target.table(PETS), columns: COLUMNS };
  await pipelined([
    insertRows(target, { ...into, rows, suffix: raw(REPLACE_ROW) }),
    // SQLite writes the index of each column that is set, even if unchanged.
    insertRows(target, { ...into, rows: rowsOfNewStatus, suffix: raw(REPLACE_STATUS) }),
  ]);
}
