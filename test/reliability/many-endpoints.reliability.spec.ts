import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '#libs/testing';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { report } from './system/figures.js';
import { createSystem, PATIENT, type SystemUnderTest } from './system/system-under-test.fixture.js';
import { processorSeconds } from './system/processor-time.fixture.js';

const ENDPOINTS = 300;
const ADDS = 100;
const SETTINGS = { WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOKS_PER_KEY: String(ENDPOINTS) };

async function startReceiver(): Promise<{ readonly url: string; count: () => number; close: () => void }> {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count += 1;
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    count: () => count,
    close: () => server.close().closeAllConnections(),
  };
}

describe('many webhook endpoints on SQLite', () => {
  let system: SystemUnderTest;
  beforeAll(async () => {
    system = await createSystem(createSqliteDatabase, { ...PATIENT, ...SETTINGS });
  });
  afterAll(() => system.remove());

  it('do not hold up the requests of others', async () => {
    const service = await system.launch().listening;
    const client = new ApiClient(system.origin, system.key);
    const receiver = await startReceiver();
    const medians = async () => {
      const seconds: number[] = [];
      for (let index = 0; index < ADDS; index += 1) {
        const before = await processorSeconds(service.pid);
        expect((await client.post('/v1/pets', { name: 'Ina', categoryId: 7 })).status).toBe(201);
        seconds.push((await processorSeconds(service.pid)) - before);
        await delay(5);
      }
      seconds.sort((left, right) => left - right);
      return { processor: (seconds[ADDS / 2] ?? 0) * 1_000, most: (seconds.at(-1) ?? 0) * 1_000 };
    };
    await medians();
    const without = await medians();
    for (let index = 0; index < ENDPOINTS; index += 1) {
      expect((await client.post('/v1/webhooks', { url: receiver.url })).status).toBe(201);
    }
    const withMany = await medians();
    report('adds with 300 endpoints, milliseconds', {
      without: JSON.stringify(without),
      with: JSON.stringify(withMany),
      sent: receiver.count(),
    });
    await until(() => receiver.count() >= ENDPOINTS * ADDS);
    receiver.close();
    client.close();
    await service.stop('SIGKILL');
    // Messages take turns with adds, so that an add shares its time with a few of them at most.
    expect(withMany.processor).toBeLessThan(1.5 * without.processor + 10);
  });
});
