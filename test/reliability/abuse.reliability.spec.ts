import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { RawConnection, type Answer } from '../../libs/http/testing/raw-connection.js';
import { Database, SqlFragment } from '#libs/database';
import { createToken } from '../../src/auth/domain/api-key-token.js';
import type { TestDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { toldLimits } from '../e2e/rate-limit.fixture.js';
import { startService, UNLIMITED, type Service } from '../e2e/service.fixture.js';
import { GRAPHQL_BOMBS } from './hostile-input/graphql-bombs.js';
import { startProbedService, type ProbedService } from './hostile-input/probed-service.fixture.js';
import { report } from './system/figures.js';
import { DATABASES, PATIENT } from './system/system-under-test.fixture.js';

const BODY_LIMIT_BYTES = 65_536;
/** Bytes that Node takes off a connection at a time. */
const READ_BYTES = 65_536;
const ANNOUNCED_BYTES = 300_000_000;
/** Senders of a flood, and the requests that each sends in one piece: as many as are taken on of a connection in one turn. */
const SENDERS = 2_500;
const EACH = 4;
const TIMES_A_BOMB_IS_SENT = 21;
const JSON_TYPE = 'Content-Type: application/json\r\n';

const wellFormedToken = (): string => createToken('development', randomBytes(32));

describe.each(DATABASES)('a client that abuses the service on %s', (_database, createDatabase) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;
  const connections: RawConnection[] = [];

  beforeAll(async () => {
    database = await createDatabase();
    service = await startService({ environment: { DATABASE_URL: database.url, ...PATIENT } });
    key = (await service.issueKey({ ...UNLIMITED, scopes: ['pets', 'graphql'] })).token;
  });
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.destroy();
  });
  afterAll(async () => {
    await service.close();
    await database.remove();
  });

  const open = (): RawConnection => {
    const connection = new RawConnection(Number(new URL(service.origin).port));
    connections.push(connection);
    return connection;
  };
  const head = (start: string, token = key): string =>
    `${start} HTTP/1.1\r\nHost: shop\r\n${token && `Authorization: Bearer ${token}\r\n`}`;

  it('has ten seconds for a request and sixty between them', () => {
    expect(service.app.getHttpServer()).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 10_000,
      keepAliveTimeout: 60_000,
      timeout: 60_000,
    });
  });

  describe('that sends a body which will not be used', () => {
    const refusals: readonly (readonly [number, () => Promise<string> | string])[] = [
      [401, () => head('POST /v1/pets', '') + JSON_TYPE],
      [403, async () => head('POST /graphql', (await service.issueKey({ ...UNLIMITED, scopes: ['pets'] })).token) + JSON_TYPE],
      [404, () => head('POST /v1/nothing') + JSON_TYPE],
      [405, () => head('PUT /v1/pets') + JSON_TYPE],
      [413, () => head('POST /v1/pets') + JSON_TYPE],
      [415, () => head('POST /v1/pets')],
      [429, async () => head('POST /v1/pets', await usedUpKey()) + JSON_TYPE],
    ];
    const usedUpKey = async (): Promise<string> => {
      const { token } = await service.issueKey({ plan: 'enterprise', perMinute: 1, perDay: 1 });
      expect((await service.client.get('/v1/pets', { key: token })).status).toBe(200);
      return token;
    };
    const lengths = [`Content-Length: ${ANNOUNCED_BYTES}\r\n\r\n`, `Transfer-Encoding: chunked\r\n\r\n${ANNOUNCED_BYTES.toString(16)}\r\n`];

    it.each(refusals.flatMap(([status, start]) => lengths.map((length) => [status, length.split(':')[0], start, length] as const)))(
      'is answered with %i at once, with %s, and not read beyond the limit',
      async (status, _name, start, length) => {
        const accepted = once(service.app.getHttpServer(), 'connection') as Promise<[Socket]>;
        const connection = open();
        const opening = (await start()) + length;
        connection.send(opening);
        const body = Buffer.alloc(1 << 20, ' ');
        for (let sent = 0; sent < 32 && connection.send(body); sent++);
        const answer = await connection.answer();
        expect(answer).toMatchObject({ status, headers: { connection: 'close' } });
        await connection.ended();
        const [socket] = await accepted;
        expect(socket.bytesRead).toBeLessThanOrEqual(opening.length + BODY_LIMIT_BYTES + READ_BYTES);
      },
    );
  });

  describe('that sends keys', () => {
    const isLookUp = ({ strings, values, text = '' }: SqlFragment): boolean =>
      [text, ...strings].some((part) => part.includes('api_key_secrets')) ||
      values.some((value) => value instanceof SqlFragment && isLookUp(value));
    /** Counts the statements that read the table of keys while `work` runs. */
    const lookUps = async (work: () => Promise<void>): Promise<{ readonly total: number; readonly together: number }> => {
      const { reader } = service.app.get(Database);
      const query = reader.query.bind(reader);
      const counts = { running: 0, total: 0, together: 0 };
      reader.query = async <Row extends object>(statement: SqlFragment): Promise<Row[]> => {
        if (!isLookUp(statement)) return query<Row>(statement);
        counts.total += 1;
        counts.running += 1;
        counts.together = Math.max(counts.together, counts.running);
        return query<Row>(statement).finally(() => (counts.running -= 1));
      };
      try {
        await work();
      } finally {
        reader.query = query;
      }
      return counts;
    };
    const statusOf = async (token: string): Promise<number> => (await service.client.get('/v1/pets', { key: token })).status;

    it('with a wrong checksum costs no look-up', async () => {
      const asked = await lookUps(async () => {
        for (let count = 0; count < 20; count++) {
          const token = wellFormedToken();
          expect(await statusOf(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBe(401);
        }
      });
      expect(asked.total).toBe(0);
    });

    it('that nobody knows costs one look-up at a time, and the keys of others work meanwhile', async () => {
      const others = await Promise.all(Array.from({ length: 10 }, () => service.issueKey(UNLIMITED)));
      const asked = await lookUps(async () => {
        const wrong = Array.from({ length: 1_000 }, () => statusOf(wellFormedToken()));
        const right = others.map(({ token }) => statusOf(token));
        expect(new Set(await Promise.all(wrong))).toEqual(new Set([401]));
        expect(new Set(await Promise.all(right))).toEqual(new Set([200]));
      });
      expect(asked.together).toBe(1);
      expect(asked.total).toBeLessThan(1_000);
    });
  });
});

describe.each(DATABASES)('a built service on %s', (name, createDatabase) => {
  let probed: ProbedService;
  let client: ApiClient;
  let slowestBomb = 0;
  beforeAll(async () => {
    probed = await startProbedService(createDatabase, { LOG_LEVEL: 'trace' });
    client = new ApiClient(probed.service.origin, probed.key);
  });
  afterAll(async () => {
    client.close();
    await probed.close();
    report(`GraphQL bombs on ${name}`, { 'longest median ms to refuse one': Math.round(slowestBomb) });
  });

  it.each(GRAPHQL_BOMBS)('a GraphQL bomb of %s is refused in under 50 ms', async (_name, query, variables) => {
    const times: number[] = [];
    while (times.length < TIMES_A_BOMB_IS_SENT) {
      const startedAt = performance.now();
      const { status } = await client.post('/graphql', { query, variables }, { headers: { accept: 'application/graphql-response+json' } });
      times.push(performance.now() - startedAt);
      expect(status).toBe(400);
    }
    const median = times.sort((one, other) => one - other)[(TIMES_A_BOMB_IS_SENT - 1) / 2] ?? NaN;
    slowestBomb = Math.max(slowestBomb, median);
    expect(median).toBeLessThan(50);
  });

  it('writes one JSON object a line, whatever a client puts into its request', async () => {
    const start = probed.service.output().length;
    const forged = '\\r\\n{"level":60,"msg":"forged"}\\u001b[2J\\u009b31m\\u2028';
    const body = `{"name":"Rex${forged}","categoryId":"${forged}"}`;
    const query = `{"query":"{ pet(id: \\"${forged}\\") { name } }","operationName":"${forged}"}`;
    const requests = [
      'GET /v1/%0d%0a%7b%22level%22:60%7d%1b[2J%c2%9b%e2%80%a8 HTTP/1.1\r\n',
      'GET /v1/pets?%0d%0a=%1b[2J HTTP/1.1\r\n',
      'GET /v1/pets HTTP/1.1\r\nX-Request-Id: a\x9b31m\r\nUser-Agent: \x9b31m\r\nReferer: \x85\r\n',
      `POST /v1/pets HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`,
      `POST /graphql HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(query)}\r\n`,
      'GET /v1/pets HTTP/1.1\r\nX-A: a\r{"level":60}\r\n',
    ];
    const bodies = ['', '', '', body, query, ''];
    for (const [index, request] of requests.entries()) {
      const connection = new RawConnection(probed.port);
      connection.send(`${request}Host: shop\r\nAuthorization: Bearer ${probed.key}\r\n\r\n${bodies[index] ?? ''}`);
      expect((await connection.answer()).status).toBeLessThan(500);
      connection.destroy();
    }
    // What follows the last line end is a line that is not read to its end yet.
    const written = () => probed.service.output().slice(start).split('\n').slice(0, -1);
    while (written().length < requests.length) await new Promise((resolve) => setTimeout(resolve, 10));

    const lines = written();
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number), time: expect.any(Number) });
      expect(line).toMatch(/^[^\p{Cc}\u2028\u2029]*$/u);
      expect(line).not.toMatch(/^\{"level":60/);
    }
  });

  it('sheds a flood with 503, answers all of it in order, and counts only what it served', async () => {
    const request = `GET /v1/pets HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${probed.key}\r\n\r\n`;
    const used = async (): Promise<number> => {
      const { day } = toldLimits(await client.get('/v1/pets'));
      return day.limit - day.remaining;
    };
    const senders = Array.from({ length: SENDERS }, () => new RawConnection(probed.port));
    for (const sender of senders) {
      sender.send(request);
      await sender.answer();
    }
    const usedBefore = await used();
    // All of it is there when the service goes on, and so taken up in one turn of its event loop.
    process.kill(probed.service.pid, 'SIGSTOP');
    for (const sender of senders) sender.send(request.repeat(EACH));
    process.kill(probed.service.pid, 'SIGCONT');
    const flood = await Promise.all(
      senders.map(async (sender) => {
        const answers: Answer[] = [];
        while (answers.length < EACH) answers.push(await sender.answer());
        sender.destroy();
        return answers;
      }),
    );

    const answers = flood.flat();
    const served = answers.filter(({ status }) => status === 200);
    const shed = answers.filter(({ status }) => status === 503);
    report(`flood on ${name}`, { requests: answers.length, served: served.length, 'answered with 503': shed.length });
    expect(served.length + shed.length).toBe(senders.length * EACH);
    expect(served.length).toBeGreaterThan(0);
    expect(shed.length).toBeGreaterThan(0);
    for (const { headers, body } of shed.slice(0, 100)) {
      expect(headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-limit': expect.any(String) });
      expect(JSON.parse(body)).toMatchObject({ code: 'service_unavailable' });
    }
    expect(await used()).toBe(usedBefore + served.length + 1);
  });
});
