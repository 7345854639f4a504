import fc from 'fast-check';
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { LivenessError, UnjudgedError } from '#libs/testing';
import type { Answer } from '../../libs/http/testing/raw-connection.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import type { BuiltService } from '../e2e/built-service.fixture.js';
import { queryDatabase } from './history/final-state.fixture.js';
import { sendAll } from './hostile-input/conversation.js';
import { routeAttacks, type ApiDocument } from './hostile-input/described-routes.js';
import { graphqlAttacks } from './hostile-input/graphql-attacks.js';
import type { Attack, HostileRequest } from './hostile-input/hostile-request.js';
import { checkAnswer } from './hostile-input/invariants.js';
import { rawAttacks } from './hostile-input/raw-attacks.js';
import { IS_LONG } from './system/run-form.js';
import { createSystem, DATABASES, PATIENT, type SystemUnderTest } from './system/system-under-test.fixture.js';

/** How often each place is attacked in each way. */
const TIMES = IS_LONG ? 40 : 1;
const LIMIT = '100000000';
const UNLIMITED = {
  ANONYMOUS_REQUESTS_PER_MINUTE: LIMIT,
  ANONYMOUS_REQUESTS_PER_DAY: LIMIT,
  PUBLIC_REQUESTS_PER_MINUTE: LIMIT,
  PUBLIC_REQUESTS_PER_DAY: LIMIT,
};
/** Of the things that requests name by their ids. */
const MANY = 20;
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]/u;

describe.each(DATABASES)('hostile input to a service on %s', (_name, createDatabase) => {
  let system: SystemUnderTest;
  let service: BuiltService;
  let attacks: readonly Attack[];
  let secrets: readonly string[];
  const answered = { refused: new Set<string>(), accepted: new Set<string>(), shed: 0, requests: 0 };

  beforeAll(async () => {
    // Endpoints that are reached send to nobody else.
    system = await createSystem(createDatabase, { LOG_LEVEL: 'info', WEBHOOK_ALLOW_LOOPBACK: 'true', ...UNLIMITED, ...PATIENT });
    service = await system.launch().listening;
    const client = new ApiClient(system.origin, system.key);
    const document = (await client.get('/openapi.json')).json<ApiDocument>();
    const { data } = (await client.post('/graphql', { query: getIntrospectionQuery() })).json<{ data: IntrospectionQuery }>();
    const disposable = (await client.post('/v1/keys', { name: 'disposable' })).json<{ secret: string }>().secret;
    for (let count = 0; count < MANY; count += 1) {
      const { id: petId } = (await client.post('/v1/pets', { name: 'Rex', categoryId: 7, status: 'available' })).json<{ id: number }>();
      expect((await client.post('/v1/store/orders', { petId })).status).toBe(201);
      expect((await client.post('/v1/webhooks', { url: 'http://127.0.0.1:9/events', enabled: false })).status).toBe(201);
    }
    client.close();
    const { key } = system;
    attacks = [...routeAttacks({ key, disposable }, document), ...graphqlAttacks(key, buildClientSchema(data)), ...rawAttacks(key)];
    secrets = [key, disposable];
  });

  const check = (request: HostileRequest, answer: Answer): void => {
    answered.requests += 1;
    if (answer.status === 503) answered.shed += 1;
    checkAnswer(request, answer, secrets);
    answered[answer.status < 400 ? 'accepted' : 'refused'].add(answer.headers['x-request-id'] ?? '');
  };

  it('is answered as promised, echoes no secret, leaves nothing behind where it was refused, and ends no service', async () => {
    expect(attacks.length).toBeGreaterThan(2_000);
    const property = fc.asyncProperty(fc.tuple(...attacks), (requests) => sendAll(Number(new URL(system.origin).port), requests, check));
    // Without the requests themselves, which would fill pages: an error names the one that fails.
    const reporter = ({ failed, seed, counterexamplePath, errorInstance }: fc.RunDetails<[HostileRequest[]]>): void => {
      if (errorInstance instanceof LivenessError) throw errorInstance;
      if (failed) throw new Error(`seed ${seed}, path ${counterexamplePath}`, { cause: errorInstance });
    };
    await fc.assert(property, { numRuns: TIMES, endOnFailure: true, reporter });

    const client = new ApiClient(system.origin, system.key);
    expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
    // What is shed is not judged.
    if (answered.shed > answered.requests / 10) throw new UnjudgedError(`${answered.shed} of ${answered.requests} requests were shed.`);
    const events = await queryDatabase<{ metadata: string }>(
      system.databaseUrl,
      'SELECT CAST("metadata" AS TEXT) AS "metadata" FROM "events"',
    );
    const writers = events.map(({ metadata }) => (JSON.parse(metadata) as { requestId?: string }).requestId ?? '');
    expect(writers.filter((id) => answered.refused.has(id) && !answered.accepted.has(id))).toEqual([]);
    expectLog(service.output(), secrets);
  }, 3_600_000);
});

/** Every line is one JSON object that a terminal shows as it is; none tells of a failure, or a secret. */
function expectLog(output: string, secrets: readonly string[]): void {
  const lines = output.split('\n').filter(Boolean);
  expect(lines.length).toBeGreaterThan(0);
  const isOdd = (line: string) => CONTROL_CHARACTERS.test(line) || levelOf(line) >= 50 || secrets.some((secret) => line.includes(secret));
  expect(lines.filter(isOdd)).toEqual([]);
}

/** Infinite where the line is no JSON. */
function levelOf(line: string): number {
  try {
    return (JSON.parse(line) as { level: number }).level;
  } catch {
    return Infinity;
  }
}
