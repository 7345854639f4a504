import { toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
const REX = { name: 'Rex', categoryId: 7 };

describe('adding animals', () => {
  let service: Service;
  afterEach(() => service.close());

  const add = async (count: number, key?: string) => {
    const answers = [];
    for (let sent = 0; sent < count; sent += 1) answers.push(await service.client.post(PETS, REX, key === undefined ? {} : { key }));
    return answers;
  };

  it('is limited to CREATE_BURST_PER_SECOND for each key by itself, and to nothing else', async () => {
    service = await startService({ environment: { CREATE_BURST_PER_SECOND: '3' } });
    const { token } = await service.issueKey();
    const answers = await add(5);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 429, 429]);
    expect((await add(1, token)).map(({ status }) => status)).toEqual([201]);
    expect((await service.client.get(PETS)).status).toBe(200);
  });

  it('over that is answered as over any limit, and served again after the wait', async () => {
    service = await startService({ environment: { CREATE_BURST_PER_SECOND: '1' } });
    service.clock.set('2026-06-01T12:00:00.100Z');
    const refused = (await add(2)).at(-1);
    expect(refused?.json()).toEqual({
      code: 'rate_limited',
      message: expect.stringContaining('limit of 1 of these requests in 1 s'),
      status: 429,
    });
    expect(refused?.headers).toMatchObject({ 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' });
    expect(refused && toldLimits(refused)).toMatchObject({ limit: 1_000_000, remaining: 999_998 });
    service.clock.advance(1_000);
    expect((await add(1))[0]?.status).toBe(201);
  });

  it('is limited by the plan alone where nothing is configured', async () => {
    service = await startService();
    expect((await add(30)).every(({ status }) => status === 201)).toBe(true);
  });
});
