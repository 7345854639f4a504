import { composition } from '../../../src/bootstrap/composition.js';
import { queryDatabase } from './final-state.fixture.js';

/** The positions of the events that leave the service, in order; with an endpoint, of those after it was registered. */
export async function publishedPositions(databaseUrl: string, endpoint?: 'endpoint'): Promise<string[]> {
  const types = [...composition().publishedForms.keys()].map((type) => `'${type}'`).join(', ');
  const registered = `(SELECT max("position") FROM "events" WHERE "type" = 'webhook-registered')`;
  const rows = await queryDatabase<{ position: bigint | string }>(
    databaseUrl,
    `SELECT "position" FROM "events" WHERE "type" IN (${types}) AND "position" > ${endpoint ? registered : 0} ORDER BY "position"`,
  );
  return rows.map(({ position }) => position.toString());
}
