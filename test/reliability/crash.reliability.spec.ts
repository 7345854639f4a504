import { makeChangedBuild, type SourceChanges } from '../builds/changed-build.fixture.js';
import { checkHistory } from './history/check-history.js';
import { crash } from './system/crash-run.fixture.js';
import { report } from './system/figures.js';
import { IS_LONG } from './system/run-form.js';
import { createSystem, DATABASES, type SystemUnderTest } from './system/system-under-test.fixture.js';

const KILLS = IS_LONG ? 50 : 6;
const KILLS_OF_A_BUG = 3;
const TIMEOUT = IS_LONG ? 1_200_000 : 300_000;

const ACKNOWLEDGES_EARLY: Readonly<Record<string, SourceChanges>> = {
  SQLite: {
    'libs/database/sqlite/sqlite-database.ts': [
      {
        replace: `this.statements.run('COMMIT', []);`,
        by: `Reflect.set(this, 'committed', delay(30).then(() => this.statements.run('COMMIT', [])));`,
      },
      { replace: 'await this.begin(deadline);', by: `await Reflect.get(this, 'committed'); await this.begin(deadline);` },
    ],
  },
  PostgreSQL: {
    'libs/database/postgres/postgres-database.ts': [
      {
        replace: `const { command } = await client.query('COMMIT');`,
        by: `const command = 'COMMIT';
          client.query('SELECT pg_sleep(0.03)').catch(() => undefined);
          client.query('COMMIT').catch(() => undefined);`,
      },
    ],
  },
};

const DROPS_A_PROJECTION_UPDATE: SourceChanges = {
  'libs/projections/live-projections.ts': [
    {
      replace: 'projection.project(handled, targetOf(projection, transaction)),',
      by: 'handled[0].position % 7n === 0n ? undefined : projection.project(handled, targetOf(projection, transaction)),',
    },
  ],
};

const FORGETS_IDEMPOTENCY_KEYS: SourceChanges = {
  'libs/event-store/append-group.ts': [{ replace: 'insertIdempotencyKeys(transaction, keyed, now),', by: '' }],
};

describe.each(DATABASES)('a service on %s that is killed while clients add animals', (name, createDatabase) => {
  let system: SystemUnderTest;
  beforeEach(async () => (system = await createSystem(createDatabase)));

  it(
    'keeps every acknowledged animal exactly once, in order, and nothing that it refused',
    async () => {
      const { history, state } = await crash(system, { kills: KILLS });
      const unknown = history.adds.filter(({ outcome }) => outcome.kind === 'unknown').length;
      const acknowledged = history.adds.filter(({ outcome }) => outcome.kind === 'answered' && outcome.status === 201);
      const replayed = acknowledged.filter(({ outcome }) => outcome.kind === 'answered' && outcome.replayed).length;
      report(`crash on ${name}`, {
        kills: KILLS,
        requests: history.adds.length + history.reads.length,
        acknowledged: acknowledged.length,
        replayed,
        'outcome unknown': unknown,
        events: state.events.length,
      });
      expect(checkHistory(history, state)).toEqual([]);
      // A run in which nothing was cut off would show nothing.
      expect(unknown).toBeGreaterThan(0);
      expect(replayed).toBeGreaterThan(0);
    },
    TIMEOUT,
  );

  describe('with a bug', () => {
    const findings = async (bug: SourceChanges): Promise<string> => {
      const { root } = await makeChangedBuild(bug);
      const { history, state } = await crash(system, { kills: KILLS_OF_A_BUG, root });
      return checkHistory(history, state).join('\n');
    };

    it(
      'is found out when it acknowledges before it commits',
      async () => {
        expect(await findings(ACKNOWLEDGES_EARLY[name] ?? {})).toMatch(
          /was acknowledged with id \d+ and is not in the log|after its acknowledgement/,
        );
      },
      TIMEOUT,
    );

    it(
      'is found out when it leaves events out of a projection',
      async () => {
        expect(await findings(DROPS_A_PROJECTION_UPDATE)).toMatch(/the log has .* and the table has not[^]*events verify: projection pets/);
      },
      TIMEOUT,
    );

    it(
      'is found out when it forgets idempotency keys',
      async () => {
        expect(await findings(FORGETS_IDEMPOTENCY_KEYS)).toMatch(/is in the log 2 times/);
      },
      TIMEOUT,
    );
  });
});
