import { BODY_LIMIT } from '../testing/sample-app.js';
import { expectError, HOST, JSON_TYPE, KEY, SampleClient } from '../testing/sample-client.js';

let client: SampleClient;

beforeAll(async () => {
  client = await SampleClient.start();
});

afterAll(() => client.stop());

/** The first is refused later, the second at once. */
describe.each(['-1', '-10'])('the check of a route for the note %s', (id) => {
  const send = (method: string, lines: string, body?: string) =>
    client.send(`${method} /v1/notes/${id} HTTP/1.1\r\n${HOST}${KEY}${lines}`, body);

  it.each([
    ['a body of another type', 'PATCH', 'Content-Type: text/plain\r\nContent-Length: 2\r\n', '{}'],
    ['a body that is too large', 'PATCH', `${JSON_TYPE}Content-Length: ${BODY_LIMIT + 1}\r\n`, ''],
    ['a body that is no JSON', 'PATCH', `${JSON_TYPE}Content-Length: 1\r\n`, '{'],
    ['an encoded body', 'PATCH', `${JSON_TYPE}Content-Encoding: br\r\nContent-Length: 2\r\n`, '{}'],
    ['an Accept without JSON', 'GET', 'Accept: text/html\r\n', undefined],
    ['an unknown expectation', 'DELETE', 'Expect: tea\r\n', undefined],
  ])('goes before the refusal of %s', async (_name, method, lines, body) => {
    expectError(await send(method, lines, body), 'not_found', 404);
  });

  it('comes after the hooks, and after the method', async () => {
    expectError(await client.send(`GET /v1/notes/${id} HTTP/1.1\r\n${HOST}`), 'unauthorized', 401);
    expectError(await send('GET', 'X-Over-Limit: 1\r\n'), 'rate_limited', 429);
    expectError(await send('PUT', ''), 'method_not_allowed', 405);
  });
});

it('what the check of a route lets in goes on', async () => {
  expect((await client.get('/v1/notes/1')).status).toBe(200);
  expectError(await client.get('/v1/notes/1', 'Accept: text/html\r\n'), 'not_acceptable', 406);
});
