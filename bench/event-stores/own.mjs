import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../dist/src/app.module.js';
import { loadConfiguration } from '../../dist/src/config/index.js';
import { EventRegistry, EventStore } from '../../dist/libs/event-store/index.js';
import { EVENT, measureStore } from './measured.mjs';

/* The service's event store, in the database of DATABASE_URL. */
const configuration = loadConfiguration(process.env);
const app = await NestFactory.createApplicationContext(AppModule.forRoot(configuration, { purpose: 'service' }), { logger: ['error'] });
const store = app.get(EventStore, { strict: false });
app.get(EventRegistry, { strict: false }).register({ type: EVENT.type, schemaVersion: 1 });
const metadata = { actor: 'bench' };
const append = (stream = { newIn: 'measured' }) => store.append([{ stream, expectedVersion: 'any', events: [EVENT] }], { metadata });
process.send(await measureStore({ append, read: (stream) => store.readStream(stream) }, JSON.parse(process.env.OPTIONS)));
await app.close();
