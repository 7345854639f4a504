import { SHOP } from '../testing/sample-app.js';
import { HOST, KEY, SampleClient } from '../testing/sample-client.js';

const client = SampleClient.use();

describe('OPTIONS', () => {
  it('answers * for the server as a whole', async () => {
    const { status, headers } = await client.send(`OPTIONS * HTTP/1.1\r\n${HOST}`);
    expect({ status, allow: headers['allow'] }).toEqual({ status: 204, allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' });
  });
});

describe('CORS', () => {
  const preflight = 'Access-Control-Request-Method: POST\r\n';

  it('answers the preflight of an allowed origin before authentication', async () => {
    const { status, headers } = await client.send(`OPTIONS /v1/things HTTP/1.1\r\n${HOST}Origin: ${SHOP}\r\n${preflight}`);
    expect(status).toBe(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': SHOP,
      'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
      vary: 'Origin',
      'x-ratelimit-limit': 'preflight',
    });
  });

  it('exposes the response headers of an operation only on that operation', async () => {
    const exposed = async (request: string) =>
      (await client.send(`${request} HTTP/1.1\r\n${HOST}${KEY}Origin: ${SHOP}\r\n`)).headers['access-control-expose-headers'];
    expect(await exposed('DELETE /v1/notes/7')).toMatch(/(^|, )X-Removed-Pages$/);
    expect(await exposed('GET /v1/notes/7')).not.toContain('X-Removed-Pages');
  });
});
