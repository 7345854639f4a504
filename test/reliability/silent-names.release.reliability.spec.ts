import { until } from '#libs/testing';
import { createPostgresDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { launchBuiltService } from '../e2e/built-service.fixture.js';
import { startReceiver, status } from '../e2e/webhook-receiver.fixture.js';
import { startNameServer, type NameServer } from './names/name-server.fixture.js';
import { describeInNamespaces } from './network/host-network.fixture.js';
import { createSystem, type SystemUnderTest } from './system/system-under-test.fixture.js';

/** As many as libuv has threads for look-ups, and file operations. */
const DARK_ENDPOINTS = 4;
const ANIMALS = 20;
/** More than the pool has connections. */
const READS_AT_ONCE = 40;
const DARK = 'dark';
const ENVIRONMENT = {
  LOG_LEVEL: 'warn',
  WEBHOOK_ALLOW_LOOPBACK: 'true',
  WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1,1,1',
  // Less than a look-up by a thread waits for a silent server, and more than a busy machine takes to connect.
  DATABASE_TIMEOUT_MILLISECONDS: '4000',
};

describeInNamespaces('while the name servers of four webhook endpoints are silent', ['unshare', 'mount'], () => {
  let names: NameServer;
  let system: SystemUnderTest;
  let client: ApiClient;
  beforeEach(async () => {
    names = await startNameServer();
    system = await createSystem(createPostgresDatabase);
    const database = new URL(system.databaseUrl);
    database.hostname = 'database.test';
    const environment = { ...ENVIRONMENT, DATABASE_URL: database.href };
    const service = await launchBuiltService(system.folder, environment, '.', names.host.enter).listening;
    client = new ApiClient(service.origin, system.key);
  });

  const register = (url: string, name: string) => client.post('/v1/webhooks', { url: withHost(url, name) });
  const addAnimals = async (): Promise<number[]> => {
    const statuses: number[] = [];
    for (let added = 0; added < ANIMALS; added += 1) {
      statuses.push((await client.post('/v1/pets', { name: `Rex ${added}`, categoryId: 7, status: 'available' })).status);
    }
    return statuses;
  };

  it('the others get every event in order, good names are accepted, and no request fails for the database', async () => {
    // Each message needs a look-up of its own.
    const receiver = await startReceiver(status(204, { connection: 'close' }));
    for (let number = 0; number < DARK_ENDPOINTS; number += 1) {
      expect((await register(receiver.url, `${DARK}${number}.test`)).status).toBe(201);
    }
    names.darken(DARK);
    // The first event goes to the dark endpoints alone, which are looked up again and again from then on.
    await addAnimals();
    await until(() => names.darkNames().size === DARK_ENDPOINTS);
    expect((await register(receiver.url, 'good.test')).status).toBe(201);

    const [added, ...reads] = await Promise.all([
      addAnimals(),
      // Connections to a database with a name, which has to be looked up.
      ...Array.from({ length: READS_AT_ONCE }, (_, index) => client.get(`/v1/pets?limit=${index + 1}`)),
    ]);
    expect(added).toEqual(Array(ANIMALS).fill(201));
    expect(reads.map((read) => read.status)).toEqual(Array(READS_AT_ONCE).fill(200));

    const messages = await receiver.received(ANIMALS);
    expect(new Set(messages.map(({ headers }) => getHost(headers.host)))).toEqual(new Set(['good.test']));
    expect(messages.map(({ body }) => nameIn(body))).toEqual(Array.from({ length: ANIMALS }, (_, index) => `Rex ${index}`));

    expect((await register(receiver.url, 'better.test')).status).toBe(201);
    const refused = await register(receiver.url, `${DARK}-too.test`);
    expect(refused.json()).toMatchObject({
      status: 400,
      message: `url has a host that cannot be resolved now (${DARK}-too.test): try again later.`,
    });
    const unknown = await Promise.all(
      Array.from({ length: 2 * DARK_ENDPOINTS }, (_, index) => register(receiver.url, `${DARK}-${index}.test`)),
    );
    expect(unknown.map((answer) => answer.status)).toEqual(Array(2 * DARK_ENDPOINTS).fill(400));
  });
});

function withHost(url: string, name: string): string {
  const changed = new URL(url);
  changed.hostname = name;
  return changed.href;
}

function getHost(header = ''): string {
  return header.replace(/:\d+$/, '');
}

function nameIn(body: string): string {
  return (JSON.parse(body) as { data: { name: string } }).data.name;
}
