import type { Migration } from '#libs/database';
import { CreateEventLog1767225600000 } from '#libs/event-store';
import { CreateProjectionCheckpoints1767225600001 } from '#libs/projections';
import { CreateApiKeyUses1767226300000 } from './auth/index.js';
import { CreateImportProgress1767225900000 } from './pets/index.js';
import { CreateRateLimitCounters1767226200000 } from './rate-limiting/index.js';

/** Every migration of the service, oldest first. Tables of projections are not here: each projection creates its own. */
export const migrations: readonly Migration[] = [
  CreateEventLog1767225600000,
  CreateProjectionCheckpoints1767225600001,
  CreateImportProgress1767225900000,
  CreateRateLimitCounters1767226200000,
  CreateApiKeyUses1767226300000,
];
