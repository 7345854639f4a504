import { startService } from './service.fixture.js';

const SHOP = 'https://shop.example';
const OTHER = 'https://other.example';
const READ_BY_CLIENTS = [
  'Link',
  'Retry-After',
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Deprecation',
  'Sunset',
  'Idempotency-Replayed',
  'ETag',
  'Location',
];

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

  it.each([200, 401, 404])('may read every header that clients go by, also with the status %d', async (status) => {
    const service = await startService({ environment: { CORS_ORIGINS: SHOP } });
    const [path, options] = status === 404 ? ['/v1/pets/7', {}] : ['/v1/pets', status === 401 ? { key: null } : {}];
    const { headers, ...answer } = await service.client.get(path, { headers: { origin: SHOP }, ...options });
    const exposed = String(headers['access-control-expose-headers']).split(', ');
    await service.close();
    expect(answer.status).toBe(status);
    expect(exposed).toEqual(expect.arrayContaining(READ_BY_CLIENTS));
  });
});
