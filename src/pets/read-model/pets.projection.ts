import { typesOf, type RecordedEvent } from '#libs/event-store';
import { insertRows, pipelined, raw, row, sql } from '#libs/database';
import type { Projection, ProjectionTarget } from '#libs/projections';
import { petDecider, type PetState } from '../domain/pet.decider.js';
import { petEvents, type PetEvent } from '../domain/pet.events.js';
import { petIdOf, type PetDetails, type PetStatus } from '../domain/pet.js';
import { PetCountChanges, petCountTables } from './pet-counts.js';

// Databases bound the number of parameters of a statement; SQLite's bound of 32,766 is the lower one.
const IDS_PER_STATEMENT = 1_000;
const COLUMNS = ['id', 'name', 'category_id', 'status', 'added_at', 'version'];
const REPLACE_ROW = raw(
  'ON CONFLICT (id) DO UPDATE SET name = excluded.name, category_id = excluded.category_id, status = excluded.status, version = excluded.version',
);

export const PETS = 'pets';

/** The animals that can be read, one row each, and how many there are. */
export const petsProjection: Projection<PetEvent> = {
  name: 'pets',
  version: 2,
  eventTypes: typesOf(petEvents),
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

/** An animal and the version of the last event that was applied to it. */
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
  const before = await petsBefore(events, target);
  const pets = new Map(before);
  for (const event of events) {
    const id = petIdOf(event.stream);
    const { state, addedAt } = pets.get(id) ?? { state: petDecider.initialState, addedAt: event.recordedAt.getTime() };
    pets.set(id, { state: petDecider.evolve(state, event), addedAt, version: event.version });
  }
  await pipelined([removeAbsent(pets, target), replacePresent(pets, target), countChanges(before, pets).write(target)]);
}

function countChanges(before: ReadonlyMap<bigint, ProjectedPet>, after: ReadonlyMap<bigint, ProjectedPet>): PetCountChanges {
  const changes = new PetCountChanges();
  for (const [id, pet] of after) changes.add(presentDetails(before.get(id)), presentDetails(pet));
  return changes;
}

function presentDetails(pet: ProjectedPet | undefined): PetDetails | undefined {
  return pet?.state.kind === 'present' ? pet.state.details : undefined;
}

/** The animals of this batch that were added in an earlier one. */
async function petsBefore(events: readonly RecordedEvent[], target: ProjectionTarget): Promise<Map<bigint, ProjectedPet>> {
  const ids = new Set(events.filter(({ version }) => version > 1).map(({ stream }) => petIdOf(stream)));
  const pets = new Map<bigint, ProjectedPet>();
  for (const chunk of chunksOf([...ids], IDS_PER_STATEMENT)) {
    const table = target.table(PETS);
    const rows = await target.query<PetRow>(
      sql`SELECT id, name, category_id, status, added_at, version FROM ${table} WHERE id IN ${row(chunk)}`,
    );
    for (const found of rows) pets.set(BigInt(found.id), projectedPetOf(found));
  }
  return pets;
}

function projectedPetOf({ name, category_id: categoryId, status, added_at: addedAt, version }: PetRow): ProjectedPet {
  const details = { name, categoryId: BigInt(categoryId), ...(status && { status }) };
  return { state: { kind: 'present', details }, addedAt: BigInt(addedAt), version: BigInt(version) };
}

async function removeAbsent(pets: ReadonlyMap<bigint, ProjectedPet>, target: ProjectionTarget): Promise<void> {
  const ids = [...pets].filter(([, { state }]) => state.kind !== 'present').map(([id]) => id);
  await pipelined(
    [...chunksOf(ids, IDS_PER_STATEMENT)].map((chunk) => target.query(sql`DELETE FROM ${target.table(PETS)} WHERE id IN ${row(chunk)}`)),
  );
}

async function replacePresent(pets: ReadonlyMap<bigint, ProjectedPet>, target: ProjectionTarget): Promise<void> {
  const rows = [...pets].flatMap(([id, { state, addedAt, version }]) => {
    if (state.kind !== 'present') return [];
    const { name, categoryId, status } = state.details;
    return [[id, name, categoryId, status ?? null, addedAt, version]];
  });
  await insertRows(target, { table: target.table(PETS), columns: COLUMNS, rows, suffix: REPLACE_ROW });
}

function* chunksOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
