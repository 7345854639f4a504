import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['pets', 'pet_status_counts', 'pet_category_counts', 'api_key_secrets', 'api_keys'];

/** Removes the tables of projections that were named without a version; those with one are built from the log at the start. */
export class DropUnversionedProjections1767226400002 implements MigrationInterface {
  readonly name = 'DropUnversionedProjections1767226400002';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await queryRunner.query(`DROP TABLE IF EXISTS "${table}"`);
  }

  down(): Promise<void> {
    throw new Error('Tables of projections without a version are not made again.');
  }
}
