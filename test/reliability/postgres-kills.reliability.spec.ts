import { killServer, SLOW_DISK } from './system/server-kills.fixture.js';
import { IS_LONG } from './system/run-form.js';
import { startOwnPostgres } from '../databases/own-postgres.fixture.js';
import { createSystem, expectNoViolations, PATIENT } from './system/system-under-test.fixture.js';

const KILLS = IS_LONG ? 200 : 4;

describe('two instances whose PostgreSQL server is killed', () => {
  it(
    'lose nothing that was acknowledged, and nothing that anybody was shown',
    async () => {
      const server = await startOwnPostgres(SLOW_DISK);
      const system = await createSystem(async () => server, PATIENT);
      const { violations, history } = await killServer(system, server, KILLS);
      expectNoViolations('postgres-kills', violations, system, history);
    },
    IS_LONG ? 3_600_000 : 900_000,
  );
});
