import { startService } from './service.fixture.js';

const SHOP = 'https://shop.example';
const OTHER = 'https://other.example';
/** Headers that a browser reads itself or lets every page read, and those for whoever mends a request. */
const NOT_EXPOSED = ['Cache-Control', 'X-Content-Type-Options', 'WWW-Authenticate', 'Allow', 'Accept', 'Accept-Patch', 'Accept-Encoding'];

describe('pages of other origins', () => {
  it.each([
    ['', []],
    [SHOP, [SHOP]],
    ['*', [SHOP, OTHER]],
  ])('are admitted as CORS_ORIGINS=%s says, and may read every header of the document', async (corsOrigins, admitted) => {
    const { client, origin: service, close } = await startService({ environment: { CORS_ORIGINS: corsOrigins } });
    const { components } = (await client.get('/openapi.json')).json<{ components: { headers: object } }>();
    // A component's name is its header's name, or that with what distinguishes it in small letters.
    const described = Object.keys(components.headers).map((name) => name.replace(/(?:-[a-z]+)+$/, ''));
    const ofClients = described.filter((name) => !NOT_EXPOSED.includes(name) && !name.startsWith('Access-Control-'));
    expect(ofClients).toContain('X-RateLimit-Limit');
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
        const exposed = String(answer.headers['access-control-expose-headers']).split(', ');
        if (allowed) expect(exposed).toEqual(expect.arrayContaining(ofClients));
      }
    }
    await close();
  });
});
