import type { RecordedEvent } from '#libs/event-store';
import { insertRows, raw, row, sql } from '#libs/database';
import type { Projection, ProjectionTarget } from '#libs/projections';
import { petDecider, type PetState } from '../domain/pet.decider.js';
import { petEventDefinitions, type PetEvent } from '../domain/pet.events.js';
import { petIdOf } from '../domain/pet-stream.js';
import type { PetStatus } from '../domain/pet-status.js';

// Databases bound the number of parameters of a statement; SQLite's bound of 32,766 is the lower one.
const IDS_PER_STATEMENT = 1_000;
const COLUMNS = ['id', 'name', 'category_id', 'status', 'version'];
const REPLACE_ROW = raw(
  'ON CONFLICT (id) DO UPDATE SET name = excluded.name, category_id = excluded.category_id, status = excluded.status, version = excluded.version',
);

/** The animals that can be read, one row each. */
export const petsProjection: Projection = {
  name: 'pets',
  version: 1,
  eventTypes: petEventDefinitions.map(({ type }) => type),
  tables: [
    {
      name: 'pets',
      columns: {
        id: { type: 'int64' },
        name: { type: 'text' },
        category_id: { type: 'int64' },
        status: { type: 'text', nullable: true },
        version: { type: 'int64' },
      },
      primaryKey: ['id'],
      indexes: [['status', 'id']],
    },
  ],
  project,
};

/** An animal and the version of the last event that was applied to it. */
interface ProjectedPet {
  readonly state: PetState;
  readonly version: number | bigint;
}

interface PetRow {
  readonly id: bigint | string;
  readonly name: string;
  readonly category_id: bigint | string;
  readonly status: PetStatus | null;
  readonly version: bigint | string;
}

async function project(events: readonly RecordedEvent[], target: ProjectionTarget): Promise<void> {
  const pets = await petsBefore(events, target);
  for (const event of events) {
    const id = petIdOf(event.stream);
    const before = pets.get(id)?.state ?? petDecider.initialState;
    pets.set(id, { state: petDecider.evolve(before, event as PetEvent), version: event.version });
  }
  await removeAbsent(pets, target);
  await replacePresent(pets, target);
}

/** The animals of this batch that were added in an earlier one. */
async function petsBefore(events: readonly RecordedEvent[], target: ProjectionTarget): Promise<Map<bigint, ProjectedPet>> {
  const ids = new Set(events.filter(({ version }) => version > 1).map(({ stream }) => petIdOf(stream)));
  const pets = new Map<bigint, ProjectedPet>();
  for (const chunk of chunksOf([...ids], IDS_PER_STATEMENT)) {
    const table = target.table('pets');
    const rows = await target.query<PetRow>(sql`SELECT id, name, category_id, status, version FROM ${table} WHERE id IN ${row(chunk)}`);
    for (const found of rows) pets.set(BigInt(found.id), projectedPetOf(found));
  }
  return pets;
}

function projectedPetOf({ name, category_id: categoryId, status, version }: PetRow): ProjectedPet {
  const details = { name, categoryId: BigInt(categoryId), ...(status && { status }) };
  return { state: { kind: 'present', details }, version: BigInt(version) };
}

async function removeAbsent(pets: ReadonlyMap<bigint, ProjectedPet>, target: ProjectionTarget): Promise<void> {
  const ids = [...pets].filter(([, { state }]) => state.kind !== 'present').map(([id]) => id);
  for (const chunk of chunksOf(ids, IDS_PER_STATEMENT)) {
    await target.query(sql`DELETE FROM ${target.table('pets')} WHERE id IN ${row(chunk)}`);
  }
}

async function replacePresent(pets: ReadonlyMap<bigint, ProjectedPet>, target: ProjectionTarget): Promise<void> {
  const rows = [...pets].flatMap(([id, { state, version }]) => {
    if (state.kind !== 'present') return [];
    const { name, categoryId, status } = state.details;
    return [[id, name, categoryId, status ?? null, version]];
  });
  await insertRows(target, { table: target.table('pets'), columns: COLUMNS, rows, suffix: REPLACE_ROW });
}

function* chunksOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
