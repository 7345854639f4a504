import type { Migration } from '#libs/database';
import { CreateProjectionCheckpoints1767225600001 } from './create-projection-checkpoints.migration.js';
import { VersionProjectionCheckpoints1767226400001 } from './version-projection-checkpoints.migration.js';

/** The migrations of the checkpoints, oldest first. */
export const projectionMigrations: readonly Migration[] = [
  CreateProjectionCheckpoints1767225600001,
  VersionProjectionCheckpoints1767226400001,
];
