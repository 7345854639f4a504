import type { QueryRunner } from 'typeorm';
import { getDialect, ForwardMigration, type Migration } from '#libs/database';

/** How far each projection is, and which rebuild of it is under way. */
class CreateProjectionCheckpoints1767225600001 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64, text } = getDialect(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "projection_checkpoints" (
         "name" ${text} PRIMARY KEY,
         "version" ${int64} NOT NULL,
         "generation" ${int64} NOT NULL,
         "position" ${int64} NOT NULL,
         "rebuild_id" ${text} NULL
       )`,
    );
  }
}

/**
 * One checkpoint for each version of a projection. What tables without a version held is not taken over: each projection builds
 * its tables anew from the log.
 */
class VersionProjectionCheckpoints1767226400001 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64, text } = getDialect(queryRunner).columnTypes;
    await queryRunner.query('DROP TABLE "projection_checkpoints"');
    await queryRunner.query(
      `CREATE TABLE "projection_checkpoints" (
         "name" ${text} NOT NULL,
         "version" ${int64} NOT NULL,
         "generation" ${int64} NOT NULL,
         "position" ${int64} NOT NULL,
         "rebuild_id" ${text} NULL,
         "rebuild_position" ${int64} NOT NULL,
         "tables" ${text} NOT NULL,
         PRIMARY KEY ("name", "version")
       )`,
    );
  }
}

/** The migrations of the checkpoints, oldest first. */
export const projectionMigrations: readonly Migration[] = [
  CreateProjectionCheckpoints1767225600001,
  VersionProjectionCheckpoints1767226400001,
];
