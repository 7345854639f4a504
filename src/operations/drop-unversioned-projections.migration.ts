import { ForwardMigration } from '#libs/database';

const TABLES = ['pets', 'pet_status_counts', 'pet_category_counts', 'api_key_secrets', 'api_keys'];

/** Removes the tables of projections that were named without a version; those with one are built from the log at the start. */
export class DropUnversionedProjections1767226400002 extends ForwardMigration {
  protected statements(): string[] {
    return TABLES.map((table) => `DROP TABLE IF EXISTS "${table}"`);
  }
}
