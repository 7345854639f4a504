import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createPostgresDatabase } from '../contestants/postgres.mjs';
import { createFolder, ServiceDatabase } from '../contestants/service.mjs';
import { ratioRow } from '../report/row.mjs';
import { median } from './compare.mjs';

const EMMETT = '`@event-driven-io/emmett-postgresql`';

/** The event store itself beside a published one, each on a database of its own. */
export const eventStoresMeasurement = {
  name: 'event-stores',
  needsPostgres: true,
  async run({ postgres, rounds, seconds }) {
    const turns = [];
    for (let round = 0; round < rounds; round += 1) {
      turns.push({ own: await measure('own', postgres, seconds), emmett: await measure('emmett', postgres, seconds) });
    }
    const rowOf = (what, figure, unit, atLeast) => {
      const [own, emmett] = ['own', 'emmett'].map((store) => median(turns.map((turn) => turn[store][figure])));
      return ratioRow({ what, figure: own, baseline: EMMETT, baselineFigure: emmett, unit, atLeast });
    };
    return [
      rowOf('event store: appends of 32 callers, PostgreSQL', 'appends', 'appends/s', 2),
      rowOf('event store: reads of a stream of 1,000, PostgreSQL', 'reads', 'events/s', 1),
    ];
  },
};

async function measure(name, postgres, seconds) {
  const [database, folder] = [await createPostgresDatabase(postgres), await createFolder()];
  try {
    const { environment, command } = serviceDatabase(folder, database);
    if (name === 'own') await command('db', 'migrate');
    const program = fileURLToPath(new URL(`../event-stores/${name}.mjs`, import.meta.url));
    const child = fork(program, [], { cwd: folder.path, env: { ...environment, OPTIONS: JSON.stringify({ seconds }) } });
    const exited = once(child, 'exit');
    const [measured] = await Promise.race([once(child, 'message'), exited.then(() => [undefined])]);
    if (!measured) throw new Error(`The event store ${name} could not be measured.`);
    await exited;
    return measured;
  } finally {
    await database.drop();
    await folder.remove();
  }
}

function serviceDatabase(folder, { url }) {
  const database = new ServiceDatabase(folder, url);
  return { environment: database.environment, command: (...given) => database.command(...given) };
}
