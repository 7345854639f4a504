import { RawConnection, type Answer } from '../../libs/http/testing/raw-connection.js';
import { expectDocumented } from './openapi-contract.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

describe('a service of which one request of an operation may be in progress', () => {
  let service: Service;
  beforeAll(async () => (service = await startService({ mostInProgress: 1 })));
  afterAll(() => service.close());

  const get = (target: string, token: string) => `GET ${target} HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  /** Sends requests at the same moment, each on a connection that is not new, so that each is taken up before one is answered. */
  const together = async (target: string, tokens: readonly string[]): Promise<Answer[]> => {
    const connections = tokens.map(() => new RawConnection(Number(new URL(service.origin).port)));
    for (const connection of connections) connection.send('GET /health/live HTTP/1.1\r\nHost: shop\r\n\r\n');
    await Promise.all(connections.map((connection) => connection.answer()));
    for (const [index, connection] of connections.entries()) connection.send(get(target, tokens[index] ?? ''));
    const answers = await Promise.all(connections.map((connection) => connection.answer()));
    for (const connection of connections) connection.destroy();
    for (const answer of answers) expectDocumented('GET', target, { ...answer, text: answer.body });
    return answers;
  };

  it('refuses further ones with 503, counts them for nobody, tells the limits of a key it knows, and takes them again', async () => {
    const { token } = await service.issueKey({ plan: 'pro' });
    const before = toldLimits(await service.client.get('/v1/pets', { key: token }));
    const anonymous = toldLimits(await service.client.get('/v1/pets', { key: null }));
    const { token: unknown } = await service.issueKey({ plan: 'pro' });
    const answers = await together('/v1/pets', [token, token, token, unknown]);
    expect(answers.map(({ status }) => status)).toEqual([200, 503, 503, 503]);
    expect(answers[1]?.headers['retry-after']).toBe('1');
    const error = { code: 'service_unavailable', message: expect.stringMatching(/too much to do/), status: 503 };
    expect(JSON.parse(answers[1]?.body ?? '')).toEqual(error);
    const [served, ...refused] = answers.map(toldLimits);
    expect(refused.map(({ limit }) => limit)).toEqual([300, 300, anonymous.limit]);
    const next = [await service.client.get('/v1/pets', { key: token }), await service.client.get('/v1/pets', { key: null })];
    expect(next.map(({ status }) => status)).toEqual([200, 401]);
    const remaining = [served?.remaining, ...next.map((answer) => toldLimits(answer).remaining)];
    expect(remaining).toEqual([before.remaining - 1, before.remaining - 2, anonymous.remaining - 1]);
  });

  it('refuses GraphQL too', async () => {
    const { token } = await service.issueKey({ scopes: ['graphql'] });
    const answers = await together('/graphql?query=%7B__typename%7D', [token, token]);
    expect(answers.map(({ status }) => status)).toEqual([200, 503]);
  });
});
