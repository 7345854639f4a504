import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Database, type DatabaseLocation } from '#libs/database';
import { EventRegistry, EventStore, ProjectionRebuilder, ReadModels, type Projection } from '#libs/event-sourcing';
import { libraryModules, libraryMigrations, SettableClock } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { eventDefinitions, sumsProjection } from './counting.fixture.js';

/** An event store with everything around it, as one process has it. */
export type StoreUnderTest = Awaited<ReturnType<typeof openStore>>;

/** Opens a store, which is closed with the test. Several on one location behave like several processes. */
export async function openStore(location: DatabaseLocation, projection: Projection = sumsProjection) {
  const clock = new SettableClock();
  const composed = { events: eventDefinitions, projections: [projection], migrations: libraryMigrations };
  const module = { module: StoreModule, imports: libraryModules(location, clock, composed) };
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  return {
    store: context.get(EventStore),
    registry: context.get(EventRegistry),
    database: context.get(Database),
    rebuilder: context.get(ProjectionRebuilder),
    readModels: context.get(ReadModels),
    clock,
    close: closeAtEnd(() => context.close()),
  };
}

@Module({})
class StoreModule {}
