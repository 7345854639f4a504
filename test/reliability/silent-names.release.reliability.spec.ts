import { until } from '#libs/testing';
import { createPostgresDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { startReceiver, status } from '../e2e/webhook-receiver.fixture.js';
import { startNameServer } from './names/name-server.fixture.js';
import { describeInNamespaces } from './network/host-network.fixture.js';
import { createSystem } from './system/system-under-test.fixture.js';

/** As many as libuv has threads for look-ups, and file operations. */
const DARK_ENDPOINTS = 4;
const ANIMALS = 20;
/** More than the pool has connections. */
const READS_AT_ONCE = 40;
const DARK = 'dark';
const ENVIRONMENT = {
  WEBHOOK_ALLOW_LOOPBACK: 'true',
  WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1,1,1',
  // Less than a look-up by a thread waits for a silent server, and more than a busy machine takes to connect.
  DATABASE_TIMEOUT_MILLISECONDS: '4000',
};

describeInNamespaces('while the name servers of four webhook endpoints are silent', ['unshare', 'mount'], () => {
  const addAnimals = async (client: ApiClient): Promise<number[]> => {
    const statuses: number[] = [];
    for (let added = 0; added < ANIMALS; added += 1) {
      statuses.push((await client.post('/v1/pets', { name: `Rex ${added}`, categoryId: 7, status: 'available' })).status);
    }
    return statuses;
  };

  it('the others get every event in order, good names are accepted, and no request fails for the database', async () => {
    const names = await startNameServer();
    const system = await createSystem(createPostgresDatabase);
    const environment = { ...ENVIRONMENT, DATABASE_URL: withHost(system.databaseUrl, 'database.test') };
    const client = new ApiClient((await system.launchBeside(environment, names.host.enter).listening).origin, system.key);
    const register = (url: string, name: string) => client.post('/v1/webhooks', { url: withHost(url, name) });
    // Each message needs a look-up of its own.
    const receiver = await startReceiver(status(204, { connection: 'close' }));
    for (let number = 0; number < DARK_ENDPOINTS; number += 1) {
      expect((await register(receiver.url, `${DARK}${number}.test`)).status).toBe(201);
    }
    names.darken(DARK);
    // The first event goes to the dark endpoints alone, which are looked up again and again from then on.
    await addAnimals(client);
    await until(() => names.darkNames().size === DARK_ENDPOINTS);
    expect((await register(receiver.url, 'good.test')).status).toBe(201);

    const [added, ...reads] = await Promise.all([
      addAnimals(client),
      // Connections to a database with a name, which has to be looked up.
      ...Array.from({ length: READS_AT_ONCE }, (_, index) => client.get(`/v1/pets?limit=${index + 1}`)),
    ]);
    expect(added).toEqual(Array(ANIMALS).fill(201));
    expect(reads.map((read) => read.status)).toEqual(Array(READS_AT_ONCE).fill(200));

    const messages = await receiver.received(ANIMALS);
    expect(new Set(messages.map(({ headers }) => headers.host?.replace(/:\d+$/, '')))).toEqual(new Set(['good.test']));
    expect(messages.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name)).toEqual(
      Array.from({ length: ANIMALS }, (_, index) => `Rex ${index}`),
    );

    const refused = await Promise.all(
      Array.from({ length: 2 * DARK_ENDPOINTS }, (_, index) => register(receiver.url, `${DARK}-${index}.test`)),
    );
    expect(refused.map((answer) => answer.status)).toEqual(Array(2 * DARK_ENDPOINTS).fill(400));
    expect(refused[0]?.text).toContain(`url has a host that cannot be resolved now (${DARK}-0.test)`);
  });
});

function withHost(url: string, name: string): string {
  const changed = new URL(url);
  changed.hostname = name;
  return changed.href;
}
