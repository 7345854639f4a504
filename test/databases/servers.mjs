import { once } from 'node:events';
import { connect } from 'node:net';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const MAX_WAIT_MILLISECONDS = 2_000;

/** How to get them where Docker is. */
export const START_SERVERS = 'docker compose -f test/databases/compose.yml up --wait';

/** The servers of the tests: on this machine, or where `TEST_POSTGRES_URL` and `TEST_REDIS_URL` say. */
export const postgresUrl = process.env.TEST_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';
export const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379';

/** What the names of the databases begin with that a run of the tests makes, by the folder of the run. */
export function databasePrefix(folder) {
  return `adoption_test_${basename(folder).split('-').at(-1)}_`;
}

/** Those, as `host:port`, that take no connection. */
export async function missingServers() {
  const addresses = [new URL(postgresUrl), new URL(redisUrl)].map(({ hostname, port }, index) => ({
    host: hostname,
    port: Number(port) || [5_432, 6_379][index],
  }));
  const answers = await Promise.all(addresses.map(takesConnections));
  return addresses.filter((_, index) => !answers[index]).map(({ host, port }) => `${host}:${port}`);
}

async function takesConnections(address) {
  const socket = connect(address);
  try {
    return await Promise.race([
      once(socket, 'connect').then(
        () => true,
        () => false,
      ),
      delay(MAX_WAIT_MILLISECONDS, false, { ref: false }),
    ]);
  } finally {
    socket.destroy();
  }
}
