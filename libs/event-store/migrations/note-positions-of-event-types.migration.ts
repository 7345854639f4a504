import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '#libs/database';

/** The newest position of each event type that a log already holds; later ones are noted as they are appended. */
export class NotePositionsOfEventTypes1767226400000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `INSERT INTO "sequences" ("name", "last_value") SELECT 'type:' || "type", max("position") FROM "events" GROUP BY "type"`,
    );
  }
}
