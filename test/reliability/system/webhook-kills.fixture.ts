import { setTimeout as delay } from 'node:timers/promises';
import { until } from '#libs/testing';
import { ApiClient } from '../../e2e/api-client.fixture.js';
import type { BuiltService } from '../../e2e/built-service.fixture.js';
import { startReceiver } from '../../e2e/webhook-receiver.fixture.js';
import { publishedPositions } from '../history/final-state.fixture.js';
import { RecordingClients } from '../history/recording-clients.fixture.js';
import { random, randomBetween } from './run-form.js';
import { PATIENT, type SystemUnderTest } from './system-under-test.fixture.js';

const WRITERS = 1;
// Longer than it takes until another instance has the endpoint, and than any wait for another attempt.
const QUIET_MILLISECONDS = 20_000;
const FAILURES = 0.1;
/** Variables of a service that tries again at once. */
export const VARIABLES = { ...PATIENT, WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1,1,1' };

interface Seen {
  readonly id: string;
  readonly webhookId: string;
  readonly isAccepted: boolean;
}

/** What an endpoint saw while instances were killed. */
export interface Killed {
  /** What the endpoint had to get, in order. */
  readonly expected: readonly string[];
  readonly seen: readonly Seen[];
}

/** Kills one of the instances again and again while others write, and lets what is left come. */
export async function killInstances(
  system: SystemUnderTest,
  kills: number,
  second: boolean,
  bug: Readonly<Record<string, string>> = {},
): Promise<Killed> {
  const seen: Seen[] = [];
  const receiver = await startReceiver((response, { headers, body }) => {
    const isAccepted = random() >= FAILURES;
    seen.push({ id: (JSON.parse(body) as { id: string }).id, webhookId: String(headers['webhook-id']), isAccepted });
    response.writeHead(isAccepted ? 204 : 500).end();
  });
  const launchers = [() => system.launch(bug), ...(second ? [() => system.launchBeside()] : [])];
  const instances: BuiltService[] = [];
  for (const launch of launchers) instances.push(await launch().listening);
  const client = new ApiClient(system.origin, system.key);
  const added = await client.post('/v1/webhooks', { url: receiver.url });
  expect(added.status).toBe(201);
  const writers = new RecordingClients(WRITERS, system);
  for (let index = 0; index < kills; index += 1) {
    const enough = seen.length + randomBetween(1, 300);
    await until(
      () => seen.length >= enough,
      () => `${seen.length} of ${enough} messages`,
    );
    await delay(randomBetween(0, 300));
    const victim = randomBetween(0, instances.length - 1);
    await instances[victim]?.stop('SIGKILL');
    const launch = launchers[victim];
    if (launch) instances[victim] = await launch().listening;
  }
  await writers.stop();
  const expected = await publishedPositions(system.databaseUrl, 'endpoint');
  // With a bug it is not waited for what will not come.
  const isQuiet = () => performance.now() - (receiver.messages.at(-1)?.at ?? 0) > QUIET_MILLISECONDS;
  await until(
    () => missing({ expected, seen }).length === 0 || ('NODE_OPTIONS' in bug && isQuiet()),
    () => missing({ expected, seen }),
  );
  for (const instance of instances) await instance.stop('SIGKILL');
  await receiver.close();
  return { expected, seen };
}

/** What the endpoint has not accepted. */
export function missing({ expected, seen }: Killed): string[] {
  const accepted = new Set(seen.filter(({ isAccepted }) => isAccepted).map(({ id }) => id));
  return expected.filter((id) => !accepted.has(id));
}
