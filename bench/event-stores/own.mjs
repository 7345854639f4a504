import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Clock, SystemClock } from '../../dist/libs/clock/index.js';
import { DatabaseModule } from '../../dist/libs/database/index.js';
import { EventStore, EventStoreModule } from '../../dist/libs/event-store/index.js';
import { MonitoringModule } from '../../dist/libs/operations/index.js';
import { ProjectionsModule } from '../../dist/libs/projections/index.js';
import { composition } from '../../dist/src/composition.js';
import { loadConfiguration } from '../../dist/src/config/index.js';
import { EVENT, measureStore } from './measured.mjs';

/* The service's event store, in the database of DATABASE_URL, with an event type that no module has. */
class Clocks {}
class Measured {}
const { database } = loadConfiguration(process.env);
const { migrations } = composition();
const imports = [
  { module: Clocks, global: true, providers: [{ provide: Clock, useClass: SystemClock }], exports: [Clock] },
  MonitoringModule.forRoot(),
  DatabaseModule.forRoot({ location: database, purpose: 'service', migrations }),
  EventStoreModule.forRoot([{ type: EVENT.type, schemaVersion: 1, data: {} }]),
  ProjectionsModule.forRoot([]),
];
const app = await NestFactory.createApplicationContext({ module: Measured, imports }, { logger: ['error'] });
const store = app.get(EventStore, { strict: false });
const metadata = { actor: 'bench' };
const append = (stream = { newIn: 'measured' }) => store.append([{ stream, expectedVersion: 'any', events: [EVENT] }], { metadata });
process.send(await measureStore({ append, read: (stream) => store.readStream(stream) }, JSON.parse(process.env.OPTIONS)));
await app.close();
