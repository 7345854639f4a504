import { Injectable } from '@nestjs/common';
import { Database, identifier, isOneOf, join, raw, sql, type SqlFragment } from '#libs/database';
import { projectionTableName } from '#libs/event-sourcing';
import type { PetFilter, PetSnapshot, PetStatus } from '../domain/pet.js';
import { PETS, petsProjection } from './pets.projection.js';

export interface PetRange extends PetFilter {
  /** Maximum number of animals, from 1. */
  readonly limit: number;
  /** Only animals with a greater id. */
  readonly after?: bigint | undefined;
}

interface PetRow {
  readonly id: bigint | string;
  readonly name: string;
  readonly category_id: bigint | string;
  readonly status: PetStatus | null;
  readonly added_at: bigint | string;
}

const SELECT = sql`SELECT "id", "name", "category_id", "status", "added_at" FROM ${identifier(projectionTableName(petsProjection, PETS))}`;

/** Reads animals as of the last commit. Call `ReadModels.current` first. */
@Injectable()
export class PetReader {
  constructor(private readonly database: Database) {}

  async page({ limit, after, status, categoryId }: PetRange): Promise<PetSnapshot[]> {
    const conditions = [
      ...(status === undefined ? [] : [sql`"status" = ${status}`]),
      ...(categoryId === undefined ? [] : [sql`"category_id" = ${categoryId}`]),
      ...(after === undefined ? [] : [sql`"id" > ${after}`]),
    ];
    return this.read(sql`${whereAll(conditions)} ORDER BY "id" LIMIT ${limit}`);
  }

  /** Returns undefined for a missing or withdrawn animal. */
  async find(id: bigint): Promise<PetSnapshot | undefined> {
    const [found] = await this.read(sql`WHERE "id" = ${id}`);
    return found;
  }

  /** Finds the existing animals among these ids, in no order. */
  async findAll(ids: readonly bigint[]): Promise<PetSnapshot[]> {
    return ids.length === 0 ? [] : this.read(sql`WHERE "id" ${isOneOf(ids)}`);
  }

  private async read(condition: SqlFragment): Promise<PetSnapshot[]> {
    const rows = await this.database.reader.query<PetRow>(sql`${SELECT} ${condition}`);
    return rows.map(toPetSnapshot);
  }
}

function whereAll(conditions: readonly SqlFragment[]): SqlFragment {
  return conditions.length === 0 ? raw('') : sql`WHERE ${join(conditions, ' AND ')}`;
}

function toPetSnapshot({ id, name, category_id: categoryId, status, added_at: addedAt }: PetRow): PetSnapshot {
  return { id: BigInt(id), name, categoryId: BigInt(categoryId), ...(status && { status }), addedAt: new Date(Number(addedAt)) };
}
