import { RawConnection, type Answer } from '../../libs/http/testing/raw-connection.js';
import { expectDocumented } from './openapi-contract.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

describe('overload', () => {
  describe('a service of which one request of an operation may be in progress', () => {
    let service: Service;
    beforeAll(async () => {
      service = await startService({ mostInProgress: 1 });
    });
    afterAll(() => service.close());

    const list = (token: string): string => `GET /v1/pets HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    /** Sends requests at the same moment, each on a connection that is not new, so that each is taken up before one is answered. */
    const together = async (requests: readonly string[]): Promise<Answer[]> => {
      const connections = requests.map(() => new RawConnection(Number(new URL(service.origin).port)));
      for (const connection of connections) connection.send('GET /health/live HTTP/1.1\r\nHost: shop\r\n\r\n');
      await Promise.all(connections.map((connection) => connection.answer()));
      for (const [index, connection] of connections.entries()) connection.send(requests[index] ?? '');
      const answers = await Promise.all(connections.map((connection) => connection.answer()));
      for (const connection of connections) connection.destroy();
      for (const [index, answer] of answers.entries()) {
        const [method = '', target = ''] = requests[index]?.split(' ') ?? [];
        expectDocumented(method, target, { ...answer, text: answer.body });
      }
      return answers;
    };

    it('refuses further ones with 503, and takes them again when it has caught up', async () => {
      const { token } = await service.issueKey();
      const [served, refused] = await together([list(token), list(token)]);
      expect([served?.status, refused?.status]).toEqual([200, 503]);
      expect(refused?.headers['retry-after']).toBe('1');
      const error = { code: 'service_unavailable', message: expect.stringMatching(/too much to do/), status: 503 };
      expect(JSON.parse(refused?.body ?? '')).toEqual(error);
      expect((await service.client.get('/v1/pets')).status).toBe(200);
    });

    it('refuses GraphQL too', async () => {
      const { token } = await service.issueKey({ scopes: ['graphql'] });
      const query = `GET /graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      expect((await together([query, query])).map(({ status }) => status)).toEqual([200, 503]);
    });

    it('counts what it refuses for nobody, and tells of the limits of a key it knows', async () => {
      const { token } = await service.issueKey({ plan: 'pro' });
      const before = toldLimits(await service.client.get('/v1/pets', { key: token }));
      expect(before.limit).toBe(300);
      const anonymous = toldLimits(await service.client.get('/v1/pets', { key: null }));
      const { token: unknown } = await service.issueKey({ plan: 'pro' });

      const answers = await together([list(token), list(token), list(token), list(unknown)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 503, 503, 503]);
      const [served, ...refused] = answers.map(toldLimits);
      expect(served).toEqual({
        ...before,
        remaining: 298,
        minute: { ...before.minute, remaining: 298 },
        day: { ...before.day, remaining: before.day.remaining - 1 },
      });
      expect(refused).toEqual([served, served, anonymous]);
    });
  });

  describe('a service that sheds all requests', () => {
    it('still answers outside of the API', async () => {
      const service = await startService({ mostInProgress: 0 });
      expect((await service.client.get('/v1/pets')).status).toBe(503);
      expect((await service.client.get('/openapi.json', { key: null })).status).toBe(200);
      expect((await service.client.get('/health/live', { key: null })).status).not.toBe(503);
      await service.close();
    });
  });
});
