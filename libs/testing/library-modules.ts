import { Module, type ModuleMetadata } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import { DatabaseModule, type DatabaseLocation, type Migration } from '#libs/database';
import { CreateEventLog1767225600000, EventStoreModule, NotePositionsOfEventTypes1767226400000 } from '#libs/event-store';
import { MonitoringModule } from '#libs/operations';
import { CreateProjectionCheckpoints1767225600001, ProjectionsModule, VersionProjectionCheckpoints1767226400001 } from '#libs/projections';

/** The migrations of the libraries, oldest first. */
export const libraryMigrations: readonly Migration[] = [
  CreateEventLog1767225600000,
  CreateProjectionCheckpoints1767225600001,
  NotePositionsOfEventTypes1767226400000,
  VersionProjectionCheckpoints1767226400001,
];

/**
 * The libraries that a domain module stands on, on a database of the test's own: what to import beside the module.
 * @param migrations all that the database has
 */
export function libraryModules(
  location: DatabaseLocation,
  clock: Clock,
  migrations: readonly Migration[] = libraryMigrations,
): NonNullable<ModuleMetadata['imports']> {
  return [
    { module: ClockModule, global: true, providers: [{ provide: Clock, useValue: clock }], exports: [Clock] },
    MonitoringModule.forRoot(),
    CqrsModule.forRoot(),
    DatabaseModule.forRoot({ location, purpose: 'service', migrations }),
    EventStoreModule,
    ProjectionsModule,
  ];
}

@Module({})
class ClockModule {}
