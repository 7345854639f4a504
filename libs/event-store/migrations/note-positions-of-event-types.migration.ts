import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The newest position of each event type that a log already holds; later ones are noted as they are appended. */
export class NotePositionsOfEventTypes1767226400000 implements MigrationInterface {
  readonly name = 'NotePositionsOfEventTypes1767226400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `INSERT INTO "sequences" ("name", "last_value") SELECT 'type:' || "type", max("position") FROM "events" GROUP BY "type"`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM "sequences" WHERE "name" LIKE 'type:%'`);
  }
}
