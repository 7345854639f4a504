import type { Migration } from '#libs/database';
import { CreateProcessLeases1767226600000 } from './create-process-leases.migration.js';

/** The migrations of the leases, oldest first. */
export const processMigrations: readonly Migration[] = [CreateProcessLeases1767226600000];
