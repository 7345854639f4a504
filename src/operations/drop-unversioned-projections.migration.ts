import type { Migration } from '#libs/database';

const TABLES = ['pets', 'pet_status_counts', 'pet_category_counts', 'api_key_secrets', 'api_keys'];

/** Removes the tables of projections that were named without a version; those with one are built from the log at the start. */
export const dropUnversionedProjections: Migration = {
  name: 'DropUnversionedProjections1767226400002',
  statements: () => TABLES.map((table) => `DROP TABLE IF EXISTS "${table}"`),
};
