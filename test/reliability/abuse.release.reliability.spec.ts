import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { RawConnection } from '../../libs/http/testing/raw-connection.js';
import { Database, SqlFragment } from '#libs/database';
import { createToken } from '../../src/auth/domain/api-key-token.js';
import { startService, UNLIMITED, type Service } from '../e2e/service.fixture.js';

const BODY_LIMIT_BYTES = 65_536;
/** Bytes that Node takes off a connection at a time. */
const READ_BYTES = 65_536;
const ANNOUNCED_BYTES = 300_000_000;
const JSON_TYPE = 'Content-Type: application/json\r\n';

const wellFormedToken = (): string => createToken('development', randomBytes(32));

describe('a client that abuses the service', () => {
  let service: Service;
  let key: string;
  const connections: RawConnection[] = [];

  beforeAll(async () => {
    service = await startService();
    key = (await service.issueKey({ ...UNLIMITED, scopes: ['pets', 'graphql'] })).token;
  });
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.destroy();
  });
  afterAll(() => service.close());

  const open = (): RawConnection => {
    const connection = new RawConnection(Number(new URL(service.origin).port));
    connections.push(connection);
    return connection;
  };
  const head = (start: string, token = key): string =>
    `${start} HTTP/1.1\r\nHost: shop\r\n${token && `Authorization: Bearer ${token}\r\n`}`;

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
