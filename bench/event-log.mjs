import 'reflect-metadata';
import { performance } from 'node:perf_hooks';
import { NestFactory } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import { AppModule } from '../dist/src/app.module.js';
import { loadConfiguration } from '../dist/src/config/index.js';
import { AddPet } from '../dist/src/pets/commands/add-pet.command.js';
import { migrations } from '../dist/src/migrations.js';
import { engineOf } from '../dist/libs/database/engine-of.js';
import { migrateDatabase } from '../dist/libs/database/index.js';
import { EventStore } from '../dist/libs/event-store/index.js';
import { ProjectionRebuilder } from '../dist/libs/projections/index.js';

// How fast the log of the database in DATABASE_URL, which must be empty, is written and read, and what it takes on disk.
const SECONDS = 4;
const CLIENTS = [1, 8, 32, 128];
const SIZED_EVENTS = 100_000;
const METADATA = { actor: 'key-1', requestId: '01234567-89ab-cdef-0123-456789abcdef' };
const STATUSES = ['available', 'pending', 'sold'];

const configuration = loadConfiguration(process.env);
await migrateDatabase(configuration.database, migrations);
const app = await NestFactory.createApplicationContext(AppModule.forRoot(configuration, { purpose: 'service' }), { logger: ['error'] });
const [commands, store, rebuilder] = [CommandBus, EventStore, ProjectionRebuilder].map((type) => app.get(type, { strict: false }));
const engine = engineOf(configuration.database);

let added = 0;
const add = () => {
  added += 1;
  return commands.execute(new AddPet({ name: `Animal ${added}`, categoryId: BigInt(added % 20), status: STATUSES[added % 3] }, METADATA));
};

/** Runs so many clients, each of which begins anew when it is answered, while `goesOn`. */
async function runClients(count, goesOn) {
  const client = async () => {
    while (goesOn()) await add();
  };
  await Promise.all(Array.from({ length: count }, client));
}

async function timed(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1_000;
}

const whole = (number) => Math.round(number).toLocaleString('en');

if ((await store.lastPosition()) > 0n) throw new Error('The log is not empty.');
await runClients(32, () => added < 2_000);

for (const count of CLIENTS) {
  const before = added;
  const end = performance.now() + SECONDS * 1_000;
  const seconds = await timed(() => runClients(count, () => performance.now() < end));
  console.log(`appends a second, ${count} at a time: ${whole((added - before) / seconds)}`);
}

await runClients(128, () => added < SIZED_EVENTS);
console.log(
  `bytes on disk for an event with its rows and indexes: ${whole((await engine.sizeInBytes()) / added)} (${whole(added)} events)`,
);

const read = await timed(async () => {
  for (let after = 0n; ;) {
    const page = await store.readAll({ after, limit: 1_000 });
    if (page.length === 0) return;
    after = page.at(-1).position;
  }
});
console.log(`events read a second, in pages of 1,000: ${whole(added / read)}`);

const rebuilt = await timed(() => rebuilder.rebuild('pets'));
console.log(`events a second into a projection built anew: ${whole(added / rebuilt)}`);
await app.close();
