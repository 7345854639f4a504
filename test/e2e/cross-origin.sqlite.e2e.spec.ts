import { startService } from './service.fixture.js';

const SHOP = 'https://shop.example';
const OTHER = 'https://other.example';
/** Headers that a browser reads itself or lets every page read, and those for whoever mends a request. */
const NOT_EXPOSED = ['Cache-Control', 'X-Content-Type-Options', 'WWW-Authenticate', 'Allow', 'Accept', 'Accept-Patch', 'Accept-Encoding'];

/** Whether a service with these CORS_ORIGINS answers the preflight and the request of a page of each origin. */
async function admittedOrigins(corsOrigins: string): Promise<Record<string, boolean>> {
  const service = await startService({ environment: { CORS_ORIGINS: corsOrigins } });
  try {
    const admitted: Record<string, boolean> = {};
    for (const origin of [SHOP, OTHER]) {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const preflight = await service.client.send('OPTIONS', '/v1/pets', { key: null, headers });
      const answer = await service.client.get('/v1/pets', { headers: { origin } });
      expect(answer.status).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe(preflight.status === 204 ? origin : undefined);
      admitted[origin] = preflight.status === 204;
    }
    return admitted;
  } finally {
    await service.close();
  }
}

describe('pages of other origins', () => {
  it.each([
    ['', { [SHOP]: false, [OTHER]: false }],
    [SHOP, { [SHOP]: true, [OTHER]: false }],
    [`${SHOP}, ${OTHER}`, { [SHOP]: true, [OTHER]: true }],
    ['*', { [SHOP]: true, [OTHER]: true }],
  ])('are admitted as CORS_ORIGINS=%s says', async (corsOrigins, expected) => {
    expect(await admittedOrigins(corsOrigins)).toEqual(expected);
  });

  it.each([200, 401, 404])('may read every header of the document, also with the status %d', async (status) => {
    const service = await startService({ environment: { CORS_ORIGINS: SHOP } });
    const [path, options] = status === 404 ? ['/v1/pets/7', {}] : ['/v1/pets', status === 401 ? { key: null } : {}];
    const { headers, ...answer } = await service.client.get(path, { headers: { origin: SHOP }, ...options });
    const { components } = (await service.client.get('/openapi.json')).json<{ components: { headers: object } }>();
    await service.close();
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    // A component's name is its header's name, or that with what distinguishes it in small letters.
    const described = new Set(Object.keys(components.headers).map((name) => name.replace(/(?:-[a-z]+)+$/, '')));
    const ofClients = [...described].filter((name) => !NOT_EXPOSED.includes(name) && !name.startsWith('Access-Control-'));
    expect(answer.status).toBe(status);
    expect(ofClients).toContain('X-RateLimit-Limit');
    expect(ofClients.filter((name) => !exposed.includes(name))).toEqual([]);
  });
});
