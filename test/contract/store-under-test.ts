import 'reflect-metadata';
import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Clock } from '#libs/observability';
import { Database, type DatabaseLocation } from '#libs/database';
import {
  EventRegistry,
  EventStore,
  ProjectionPruning,
  ProjectionRebuilder,
  ProjectionStatuses,
  ProjectionVerification,
  ReadModels,
  type Projection,
} from '#libs/event-sourcing';
import { libraryModules, libraryMigrations, SettableClock } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { eventDefinitions, sumsProjection } from './counting.fixture.js';

/** A database to run a contract on: a fresh, empty one for every test, removed with it. */
export interface ContractDatabase {
  create(): Promise<{ readonly location: DatabaseLocation; remove(): Promise<void> }>;
}

/** An event store with everything around it, as one process has it. */
export interface StoreUnderTest {
  readonly store: EventStore;
  readonly registry: EventRegistry;
  readonly database: Database;
  readonly rebuilder: ProjectionRebuilder;
  readonly statuses: ProjectionStatuses;
  readonly pruning: ProjectionPruning;
  readonly verification: ProjectionVerification;
  readonly readModels: ReadModels;
  readonly clock: SettableClock;
  close(): Promise<void>;
}

/** Opens a store, which is closed with the test. Several on one location behave like several processes. */
export async function openStore(location: DatabaseLocation, projection: Projection = sumsProjection): Promise<StoreUnderTest> {
  const clock = new SettableClock();
  const context = await NestFactory.createApplicationContext(StoreModule.forTest(location, clock, projection), {
    logger: false,
    abortOnError: false,
  });
  return {
    store: context.get(EventStore),
    registry: context.get(EventRegistry),
    database: context.get(Database),
    rebuilder: context.get(ProjectionRebuilder),
    statuses: context.get(ProjectionStatuses),
    pruning: context.get(ProjectionPruning),
    verification: context.get(ProjectionVerification),
    readModels: context.get(ReadModels),
    clock,
    close: closeAtEnd(() => context.close()),
  };
}

@Module({})
class StoreModule {
  static forTest(location: DatabaseLocation, clock: Clock, projection: Projection): DynamicModule {
    return {
      module: StoreModule,
      imports: libraryModules(location, clock, { events: eventDefinitions, projections: [projection], migrations: libraryMigrations }),
    };
  }
}
