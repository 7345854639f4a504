import { Module, type ModuleMetadata } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import { DatabaseModule, type DatabaseLocation } from '#libs/database';
import { CreateEventLog1767225600000, EventStoreModule } from '#libs/event-store';
import { CreateProjectionCheckpoints1767225600001, ProjectionsModule } from '#libs/projections';

/** The libraries that a domain module stands on, on a database of the test's own: what to import beside the module. */
export function buildingBlocks(location: DatabaseLocation, clock: Clock): NonNullable<ModuleMetadata['imports']> {
  const migrations = [CreateEventLog1767225600000, CreateProjectionCheckpoints1767225600001];
  return [
    { module: ClockModule, global: true, providers: [{ provide: Clock, useValue: clock }], exports: [Clock] },
    CqrsModule.forRoot(),
    DatabaseModule.forRoot({ location, purpose: 'service', migrations }),
    EventStoreModule,
    ProjectionsModule,
  ];
}

@Module({})
class ClockModule {}
