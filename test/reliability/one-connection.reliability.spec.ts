import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fault } from '../databases/postgres-proxy.fixture.js';
import { runHere } from '../e2e/command-line.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { EndangeredWrites, sqlstatesAt } from './one-connection/endangered-writes.fixture.js';
import type { Connections, Failure, KindOfWrite, Place } from './one-connection/endangered-writes.fixture.js';
import { addOnce } from './one-connection/serving-postgres.fixture.js';
import { IS_LONG, random } from './system/run-form.js';
import { expectNoViolations } from './system/system-under-test.fixture.js';

/** How many failures of each kind are drawn of those that there may be. */
const [CUTS, STALLS, REFUSALS] = IS_LONG ? [Infinity, Infinity, Infinity] : [3, 1, 1];
const TIMEOUT = IS_LONG ? 7_200_000 : 240_000;
const IMPORTED_AT_ONCE = 3;

describe('a write during which one connection to PostgreSQL fails at one of its messages', () => {
  let writes: EndangeredWrites;
  const imported = new Set<string>();
  beforeEach(async () => (writes = await EndangeredWrites.start()));

  const append = (name: string, idempotencyKey: () => string | undefined): KindOfWrite => ({
    name,
    by: 'service',
    async write(label) {
      writes.adds.push(await addOnce(writes.client, label, idempotencyKey()));
    },
  });
  /** A command that is run again with nothing in the way: then it has to succeed. */
  const command = (name: string, wordsOf: (label: string) => Promise<readonly string[]>): KindOfWrite => {
    const run = async (url: string, label: string) => runHere({ DATABASE_URL: url, LOG_LEVEL: 'silent' }, await wordsOf(label));
    return {
      name,
      by: 'command',
      async write(label) {
        await run(writes.urls.endangered, label);
      },
      async finish(label) {
        const { code, stderr } = await run(writes.urls.direct, label);
        if (code !== 0) throw new Error(`it ended with ${code}: ${stderr}`);
        if (name === 'import') for (const one of namesOf(label)) imported.add(one);
      },
    };
  };
  const namesOf = (label: string) => Array.from({ length: IMPORTED_AT_ONCE }, (_, index) => `${label}: ${index + 1}`);
  const importOf = async (label: string) => {
    const file = join(writes.system.folder, 'imported.ndjson');
    await writeFile(
      file,
      namesOf(label).map((name) => `${JSON.stringify({ name, categoryId: 1 })}\n`),
    );
    return ['pets', 'import', file];
  };

  it.each<[string, readonly Connections[], readonly KindOfWrite[]]>([
    ['the service', ['open', 'new'], [append('append', () => undefined), append('append with a key', randomUUID)]],
    ['a command beside it', ['new'], [command('import', importOf), command('rebuild', async () => ['projections', 'rebuild', 'pets'])]],
  ])(
    'by %s is done whole or not at all, and leaves nothing behind',
    async (by, variants, kinds) => {
      const violations: string[] = [];
      for (const kind of kinds) {
        for (const connections of variants) {
          const places = await writes.rehearse(kind, connections);
          for (const failure of drawFailures(places)) violations.push(...(await writes.endure(kind, connections, failure)));
        }
      }
      const history = { adds: writes.adds };
      const state = await finalStateOf(writes.system);
      const names = state.events.flatMap(({ type, data }) => (type === 'pet-added' ? [(JSON.parse(data) as { name: string }).name] : []));
      const lost = [...imported].filter((name) => !names.includes(name)).map((name) => `${name} was imported and is not in the log`);
      expectNoViolations(
        `one connection of ${by}`,
        [...violations, ...lost, ...checkHistory(history, state, imported)],
        writes.system,
        history,
      );
    },
    TIMEOUT,
  );
});

/** Draws from all failures that there may be at these places. */
function drawFailures(places: readonly Place[]): Failure[] {
  const everywhere = (fault: Fault) => places.map((place) => ({ place, fault }));
  const refusals = places.flatMap((place) => sqlstatesAt(place).map((sqlstate) => ({ place, fault: { sqlstate } })));
  return [...draw(everywhere('cut'), CUTS), ...draw(everywhere('stall'), STALLS), ...draw(refusals, REFUSALS)];
}

function draw<Item>(items: readonly Item[], count: number): Item[] {
  const left = [...items];
  const drawn: Item[] = [];
  while (left.length > 0 && drawn.length < count) drawn.push(...left.splice(Math.floor(random() * left.length), 1));
  return drawn;
}
