import type { Migration } from '#libs/database';
import { CreateEventLog1767225600000 } from './create-event-log.migration.js';
import { CreateStreamStates1767227000000 } from './create-stream-states.migration.js';
import { LookUpStreamVersions1767226700000 } from './look-up-stream-versions.migration.js';
import { NotePositionsOfEventTypes1767226400000 } from './note-positions-of-event-types.migration.js';

/** The migrations of the log, oldest first. */
export const eventStoreMigrations: readonly Migration[] = [
  CreateEventLog1767225600000,
  NotePositionsOfEventTypes1767226400000,
  LookUpStreamVersions1767226700000,
  CreateStreamStates1767227000000,
];
