import { UnjudgedError } from '#libs/testing';
import { startOwnPostgres } from '../databases/own-postgres.fixture.js';
import { createPostgresDatabase, createSqliteDatabase } from '../databases/test-database.fixture.js';
import { crash } from './system/crash-run.fixture.js';
import { cutReaders } from './system/cut-readers.fixture.js';
import { plantedBug } from './system/planted-bug.fixture.js';
import { killServer, SLOW_DISK } from './system/server-kills.fixture.js';
import { createSystem, PATIENT } from './system/system-under-test.fixture.js';
import { killInstances, missing, VARIABLES } from './system/webhook-kills.fixture.js';

const KILLS = 3;
/** As many as a bug is found with, over and over. */
const SERVER_KILLS = 10;
const CUTS = 200;
const SHORT_RESERVATION = { ORDER_RESERVATION_MINUTES: '0.025' };

// What the suites beside this one look for is found where a service has a bug. One database is enough if the bug is not in what belongs to one.
describe('a service with a planted bug', () => {
  it.each([
    ['acknowledges-early', createSqliteDatabase, /was acknowledged with id \d+ and is not in the log|after its acknowledgement/],
    ['acknowledges-early', createPostgresDatabase, /was acknowledged with id \d+ and is not in the log|after its acknowledgement/],
    ['drops-projection-updates', createSqliteDatabase, /the table of animals has .* where the log has [^]*events verify: projection pets/],
    ['forgets-idempotency-keys', createSqliteDatabase, /is in the log 2 times/],
    ['reserves-in-a-second-append', createSqliteDatabase, /order-placed of order \d+ .* is not followed by animal \d+ becoming pending/],
  ])('that is killed and %s is found out', async (bug, createDatabase, finding) => {
    const system = await createSystem(createDatabase, SHORT_RESERVATION);
    expect((await crash(system, KILLS, plantedBug(bug))).findings.join('\n')).toMatch(finding);
  });

  it.each([
    ['answers-before-the-sync', /acknowledged/],
    ['shows-what-is-not-synced', /was shown as/],
  ])('whose PostgreSQL is killed and that %s is found out', async (bug, finding) => {
    const server = await startOwnPostgres(SLOW_DISK);
    const system = await createSystem(async () => server, PATIENT);
    const { violations } = await killServer(system, server, SERVER_KILLS, plantedBug(bug));
    // It takes a kill in the milliseconds before a sync, which has to be hit while there is enough load.
    if (violations.length === 0) throw new UnjudgedError(`No kill of ${SERVER_KILLS} hit what was not on disk.`);
    expect(violations.join('\n')).toMatch(finding);
  });

  it('that forgets events is found out by readers that are cut off', async () => {
    const system = await createSystem(createSqliteDatabase, { ...PATIENT, FEED_STREAMS_PER_KEY: '1000' });
    const { expected, readers } = await cutReaders(system, CUTS, plantedBug('forgets-events'));
    expect(readers.some(({ ids }) => new Set(ids).size < expected.length)).toBe(true);
  });

  it('that writes how far an endpoint has come without the messages to send again is found out by the endpoint', async () => {
    const system = await createSystem(createSqliteDatabase, VARIABLES);
    expect(missing(await killInstances(system, 1, false, plantedBug('loses-retries')))).not.toEqual([]);
  });
});
