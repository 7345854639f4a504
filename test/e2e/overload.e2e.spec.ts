import { toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

describe('a service with too much to do', () => {
  let service: Service;
  let turnMilliseconds = 0;
  beforeAll(async () => {
    service = await startService({ turnTime: () => turnMilliseconds });
  });
  afterEach(() => {
    turnMilliseconds = 0;
  });
  afterAll(() => service.close());

  it('refuses requests with 503, and takes them again when it has caught up', async () => {
    turnMilliseconds = 101;
    const refused = await service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
    expect(refused.status).toBe(503);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.json()).toEqual({ code: 'service_unavailable', message: expect.stringMatching(/too much to do/), status: 503 });
    expect((await service.client.get('/graphql?query={x}')).status).toBe(503);

    turnMilliseconds = 100;
    expect((await service.client.get('/v1/pets')).text).toBe('[]');
  });

  it('counts what it refuses for nobody, and tells of the limits of a key it knows', async () => {
    const { token } = await service.issueKey({ plan: 'pro' });
    const told = async (key: string | null) => toldLimits(await service.client.get('/v1/pets', { key }));
    const before = await told(token);
    expect(before.limit).toBe(300);
    const anonymous = await told(null);

    turnMilliseconds = 101;
    expect(await told(token)).toEqual(before);
    expect(await told(token)).toEqual(before);
    expect(await told(null)).toEqual(anonymous);
    const { token: unknown } = await service.issueKey({ plan: 'pro' });
    expect((await told(unknown)).limit).toBe(anonymous.limit);
  });

  it('still answers outside of the API', async () => {
    turnMilliseconds = 10_000;
    expect((await service.client.get('/openapi.json', { key: null })).status).toBe(200);
    expect((await service.client.get('/health/live', { key: null })).status).not.toBe(503);
  });
});
