import type { ModuleMetadata } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ClockModule, type Clock } from '#libs/clock';
import { DatabaseModule, type DatabaseLocation } from '#libs/database';
import { composeModules, type ComposedModules } from '#libs/domain-modules';
import { EventStoreModule } from '#libs/event-store';
import { MonitoringModule } from '#libs/operations';
import { ProcessesModule } from '#libs/processes';
import { ProjectionsModule } from '#libs/projections';

/** The migrations of the libraries, oldest first. */
export const libraryMigrations = composeModules([]).migrations;

/**
 * The libraries that a domain module stands on, on a database of the test's own: what to import beside its Nest module.
 * Time alone fires no timeout: `TimeoutSchedule.run` does.
 * @param composed what the modules under test bring
 */
export function libraryModules(
  location: DatabaseLocation,
  clock: Clock,
  { events, projections, migrations }: Pick<ComposedModules, 'events' | 'projections' | 'migrations'>,
): NonNullable<ModuleMetadata['imports']> {
  return [
    ClockModule.forRoot({ useValue: clock }),
    MonitoringModule.forRoot(),
    CqrsModule.forRoot(),
    DatabaseModule.forRoot({ location, purpose: 'service', migrations }),
    EventStoreModule.forRoot(events),
    ProjectionsModule.forRoot(projections),
    ProcessesModule.forRoot({ polls: false }),
  ];
}
