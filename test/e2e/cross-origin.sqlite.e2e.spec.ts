import { startService } from './service.fixture.js';

const SHOP = 'https://shop.example';
const OTHER = 'https://other.example';
describe('pages of other origins', () => {
  it.each([
    ['', []],
    [SHOP, [SHOP]],
    ['*', [SHOP, OTHER]],
  ])('are admitted as CORS_ORIGINS=%s says, and may read every header', async (corsOrigins, admitted) => {
    const { client, origin: service, close } = await startService({ environment: { CORS_ORIGINS: corsOrigins } });
    for (const origin of [SHOP, OTHER]) {
      const allowed = admitted.includes(origin);
      const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } };
      const { status, headers } = await fetch(`${service}/v1/pets`, preflight);
      expect([status, headers.get('access-control-allow-origin')]).toEqual(allowed ? [204, origin] : [401, null]);
      expect(headers.get('x-request-id')).toEqual(expect.any(String));
      for (const [path, key, status] of [
        ['/v1/pets', undefined, 200],
        ['/v1/pets', null, 401],
        ['/v1/pets/7', undefined, 404],
      ] as const) {
        const answer = await client.get(path, { headers: { origin }, ...(key === null && { key }) });
        expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([status, allowed ? origin : undefined]);
        expect(answer.headers['access-control-expose-headers']).toBe(allowed ? '*' : undefined);
      }
    }
    await close();
  });
});
