import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import { engineOf } from '../../dist/libs/database/opening/open-database.js';
import { EventStore } from '../../dist/libs/event-store/index.js';
import { ProjectionRebuilder } from '../../dist/libs/projections/index.js';
import { AppModule } from '../../dist/src/app.module.js';
import { loadConfiguration } from '../../dist/src/config/index.js';
import { AddPet } from '../../dist/src/pets/commands/add-pet.command.js';
import { animalAt } from '../fixtures/animals.mjs';

/* The service's log in the database of DATABASE_URL, written by commands through rules, log and projections, but without HTTP. */
const { seconds, callers, sizedEvents } = JSON.parse(process.env.OPTIONS);
const METADATA = { actor: 'key-1', requestId: '01234567-89ab-cdef-0123-456789abcdef' };

const configuration = loadConfiguration(process.env);
const app = await NestFactory.createApplicationContext(AppModule.forRoot(configuration, { purpose: 'service' }), { logger: ['error'] });
const [commands, store, rebuilder] = [CommandBus, EventStore, ProjectionRebuilder].map((type) => app.get(type, { strict: false }));

let added = 0;
await addWith(32, () => added < 2_000);
const appends = [];
for (const count of callers) {
  const before = added;
  const end = performance.now() + seconds * 1_000;
  const taken = await secondsOf(() => addWith(count, () => performance.now() < end));
  appends.push((added - before) / taken);
}
await addWith(128, () => added < sizedEvents);
const bytes = (await engineOf(configuration.database).sizeInBytes()) / added;
const reads = added / (await secondsOf(readAll));
process.send({ appends, bytes, reads, rebuilt: added / (await secondsOf(() => rebuilder.rebuild('pets'))) });
await app.close();

/** So many callers, each of which begins anew when it is answered, while `goesOn`. */
async function addWith(count, goesOn) {
  const caller = async () => {
    while (goesOn()) {
      const { name, categoryId, status } = animalAt(added);
      added += 1;
      await commands.execute(new AddPet({ name, categoryId: BigInt(categoryId), status }, METADATA));
    }
  };
  await Promise.all(Array.from({ length: count }, caller));
}

async function readAll() {
  for (let after = 0n; ;) {
    const page = await store.readAll({ after, limit: 1_000 });
    if (page.length === 0) return;
    after = page.at(-1).position;
  }
}

async function secondsOf(work) {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1_000;
}
