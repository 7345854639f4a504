import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { EndangeredWrites, type Connections, type Endured } from './one-connection/endangered-writes.fixture.js';
import { drawFailures, type Draws } from './one-connection/failures.js';
import {
  append,
  ban,
  importOfPets,
  rebuild,
  rotation,
  type KindOfWrite,
  type TestContext,
} from './one-connection/kinds-of-write.fixture.js';
import { sumOf, tooFewAnswered } from './one-connection/neighbour-reads.fixture.js';
import { IS_LONG, random } from './system/run-form.js';

const DRAWS: Draws = IS_LONG ? { cut: Infinity, stall: Infinity, refused: Infinity } : { cut: 3, stall: 1, refused: 1 };
const TIMEOUT = IS_LONG ? 7_200_000 : 240_000;

type CreateKinds = (surroundings: TestContext) => Promise<readonly KindOfWrite[]>;

const ofTheService: CreateKinds = async (surroundings) => [
  append(surroundings, { idempotent: false }),
  append(surroundings, { idempotent: true }),
  ban(surroundings),
];

const ofCommands: CreateKinds = async (surroundings) => [importOfPets(surroundings), rebuild(surroundings), await rotation(surroundings)];

describe('a write during which one connection to PostgreSQL fails at one of its messages', () => {
  let writes: EndangeredWrites;
  beforeEach(async () => (writes = await EndangeredWrites.start()));

  it.each<[string, readonly Connections[], CreateKinds]>([
    ['the service', ['open', 'new'], ofTheService],
    ['a command beside it', ['new'], ofCommands],
  ])(
    'by %s is done whole or not at all, lets others read, and leaves nothing behind',
    async (_, variants, createKinds) => {
      const kinds = await createKinds(writes.surroundings);
      await writes.postgres.beginLog();
      const endured: Endured[] = [];
      for (const kind of kinds) {
        for (const connections of variants) {
          const places = await writes.rehearse(kind, connections);
          for (const failure of drawFailures(places, DRAWS, random)) endured.push(await writes.endure(kind, connections, failure));
        }
      }
      // Before the look at what is there, which makes tables of its own to compare with.
      const strayStatements = await writes.postgres.strayStatements();
      const state = await finalStateOf(writes.system);
      const { adds, others } = writes.surroundings;
      expect([
        ...endured.flatMap(({ violations }) => violations),
        ...strayStatements,
        ...checkHistory({ adds, reads: [] }, state, others),
        ...kinds.flatMap((kind) => [...kind.check(state)]),
        ...tooFewAnswered(sumOf(endured.map(({ reads }) => reads))),
      ]).toEqual([]);
    },
    TIMEOUT,
  );
});
