import { measureEventStore } from '../contestants/event-store.mjs';
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
    const serviceDatabase = new ServiceDatabase(folder, database.url);
    if (name === 'own') await serviceDatabase.command('db', 'migrate');
    return await measureEventStore(name, serviceDatabase, { seconds });
  } finally {
    await database.drop();
    await folder.remove();
  }
}
