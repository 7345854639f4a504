import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { UnjudgedError } from '#libs/testing';
import { managementAt } from '../e2e/management.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/recording-clients.fixture.js';
import { IS_LONG } from './system/run-form.js';
import { createSystem, DATABASES, expectNoViolations, PATIENT } from './system/system-under-test.fixture.js';

const MILLISECONDS = IS_LONG ? 20 * 60_000 : 10_000;
const SAMPLES = 60;
const CLIENTS = 8;
// SQLite writes its log back into the file at about four megabytes.
const WRITE_AHEAD_LOG_AT_MOST = 16 * 2 ** 20;

describe.each(DATABASES)('a service on %s that is used for long', (name, createDatabase) => {
  it(
    'loses nothing, and keeps its handles and its write-ahead log where they were',
    async () => {
      const system = await createSystem(createDatabase, PATIENT);
      const { sample } = managementAt((await system.launch().listening).management);
      const clients = new RecordingClients(CLIENTS, system);
      const handles: number[] = [];
      for (let count = 0; count < SAMPLES; count += 1) {
        await delay(MILLISECONDS / SAMPLES);
        handles.push(Number(await sample('adoption_nodejs_active_handles_total')));
      }
      const history = await clients.stop();
      expectNoViolations(`soak on ${name}`, checkHistory(history, await finalStateOf(system)), system, history);
      if (clients.acknowledged < SAMPLES) throw new UnjudgedError(`${clients.acknowledged} animals were added, of at least ${SAMPLES}.`);
      // The first third is for what is opened once.
      const [early, late] = [handles.slice(SAMPLES / 3, (SAMPLES * 2) / 3), handles.slice((SAMPLES * 2) / 3)];
      expect(Math.min(...late)).toBeLessThanOrEqual(Math.min(...early) + 2);
      if (name !== 'SQLite') return;
      const file = system.databaseUrl.slice('sqlite:'.length);
      expect(statSync(`${file}-wal`).size).toBeLessThan(WRITE_AHEAD_LOG_AT_MOST);
    },
    MILLISECONDS + 600_000,
  );
});
