import type { Migration } from '#libs/database';
import { CreateEventLog1767225600000, NotePositionsOfEventTypes1767226400000 } from '#libs/event-store';
import { CreateProjectionCheckpoints1767225600001, VersionProjectionCheckpoints1767226400001 } from '#libs/projections';
import { CreateApiKeyUses1767226300000 } from './auth/index.js';
import { DropUnversionedProjections1767226400002 } from './drop-unversioned-projections.migration.js';
import { CreateImportProgress1767225900000, NoteFinishedImports1767226500000 } from './pets/index.js';
import { CreateRateLimitCounters1767226200000 } from './rate-limiting/index.js';

/** Every migration of the service, oldest first. Tables of projections are not here: each projection creates its own. */
export const migrations: readonly Migration[] = [
  CreateEventLog1767225600000,
  CreateProjectionCheckpoints1767225600001,
  CreateImportProgress1767225900000,
  CreateRateLimitCounters1767226200000,
  CreateApiKeyUses1767226300000,
  NotePositionsOfEventTypes1767226400000,
  VersionProjectionCheckpoints1767226400001,
  DropUnversionedProjections1767226400002,
  NoteFinishedImports1767226500000,
];
