import { jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { RawConnection } from '../../libs/http/testing/raw-connection.js';
import { createToken } from '../../src/auth/domain/api-key-token.js';
import { ApiKeyReader } from '../../src/auth/read-model/api-key.reader.js';
import { startService, UNLIMITED, type Service } from '../e2e/service.fixture.js';

/** The limit of a body, and what Node takes off a connection at a time. */
const MOST_READ_BYTES = 2 * 65_536;
const ANNOUNCED_BYTES = 300_000_000;
const JSON_TYPE = 'Content-Type: application/json\r\n';

describe('a client that abuses the service', () => {
  let service: Service;
  let key: string;
  beforeAll(async () => {
    service = await startService();
    key = (await service.issueKey({ ...UNLIMITED, scopes: ['pets', 'graphql'] })).token;
  });
  afterAll(() => service.close());

  const head = (start: string, token = key): string =>
    `${start} HTTP/1.1\r\nHost: shop\r\n${token && `Authorization: Bearer ${token}\r\n`}`;
  const usedUpKey = async (): Promise<string> => {
    const { token } = await service.issueKey({ plan: 'enterprise', perMinute: 1, perDay: 1 });
    expect((await service.client.get('/v1/pets', { key: token })).status).toBe(200);
    return token;
  };

  it.each<[number, () => Promise<string> | string]>([
    [401, () => head('POST /v1/pets', '') + JSON_TYPE],
    [403, async () => head('POST /graphql', (await service.issueKey({ ...UNLIMITED, scopes: ['pets'] })).token) + JSON_TYPE],
    [404, () => head('POST /v1/nothing') + JSON_TYPE],
    [405, () => head('PUT /v1/pets') + JSON_TYPE],
    [413, () => head('POST /v1/pets') + JSON_TYPE],
    [415, () => head('POST /v1/pets')],
    [429, async () => head('POST /v1/pets', await usedUpKey()) + JSON_TYPE],
  ])('by a body that will not be used is answered with %i at once, and not read beyond the limit', async (status, start) => {
    for (const framing of [
      `Content-Length: ${ANNOUNCED_BYTES}\r\n\r\n`,
      `Transfer-Encoding: chunked\r\n\r\n${ANNOUNCED_BYTES.toString(16)}\r\n`,
    ]) {
      const opening = (await start()) + framing;
      const accepted = once(service.app.getHttpServer(), 'connection') as Promise<[Socket]>;
      const connection = new RawConnection(Number(new URL(service.origin).port));
      connection.send(opening);
      const body = Buffer.alloc(1 << 20, ' ');
      for (let sent = 0; sent < 32 && connection.send(body); sent++);
      expect(await connection.answer()).toMatchObject({ status, headers: { connection: 'close' } });
      await connection.ended();
      const [socket] = await accepted;
      expect(socket.bytesRead).toBeLessThanOrEqual(opening.length + MOST_READ_BYTES);
      connection.destroy();
    }
  });

  it('by keys with a wrong checksum costs no look-up', async () => {
    const lookUps = jest.spyOn(service.app.get(ApiKeyReader), 'findByHash');
    for (let count = 0; count < 20; count++) {
      const token = createToken('development', randomBytes(32));
      const changed = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
      expect((await service.client.get('/v1/pets', { key: changed })).status).toBe(401);
    }
    expect(lookUps).not.toHaveBeenCalled();
    lookUps.mockRestore();
  });
});
