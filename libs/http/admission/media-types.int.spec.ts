import type { Answer } from '../testing/raw-connection.js';
import { expectError, HOST, KEY, SampleClient } from '../testing/sample-client.js';

const MERGE_PATCH = 'application/merge-patch+json';
const BODY = '{"text":"new"}';

const client = SampleClient.use();

function send(request: string, type: string, further = ''): Promise<Answer> {
  return client.send(`${request} HTTP/1.1\r\n${HOST}${KEY}Content-Type: ${type}\r\nContent-Length: ${BODY.length}\r\n${further}`, BODY);
}

describe('the media types of a body', () => {
  it.each([MERGE_PATCH, 'Application/Merge-Patch+JSON ; charset="utf-8"', 'application/json', 'application/json;charset=UTF-8'])(
    'are those that its route names: %s',
    async (type) => {
      const { status, body } = await send('PATCH /v1/notes/7', type);
      expect({ status, body: JSON.parse(body) as unknown }).toMatchObject({ status: 200, body: { text: 'new' } });
    },
  );

  it.each([
    'text/plain',
    `${MERGE_PATCH}; charset=latin1`,
    `${MERGE_PATCH}; x=y`,
    `${MERGE_PATCH}, application/json`,
    'application/json-patch+json',
  ])('are no others, and a refusal names them, for PATCH in Accept-Patch too: %s', async (type) => {
    const answer = await send('PATCH /v1/notes/7', type);
    expectError(answer, 'unsupported_media_type', 415);
    const accepted = `${MERGE_PATCH}, application/json`;
    expect(answer.headers).toMatchObject({ accept: accepted, 'accept-patch': accepted });
    expect(answer.body).toContain(`Content-Type: ${MERGE_PATCH} or application/json, in UTF-8.`);
  });

  it('are not named where the coding was wrong', async () => {
    const answer = await send('PATCH /v1/notes/7', MERGE_PATCH, 'Content-Encoding: gzip\r\n');
    expectError(answer, 'unsupported_media_type', 415);
    expect([answer.headers['accept'], answer.headers['accept-patch'], answer.headers['accept-encoding']]).toEqual([
      undefined,
      undefined,
      'identity',
    ]);
  });

  it.each(['POST /v1/things', 'POST /v1/notes'])('are JSON alone where a route names none: %s', async (request) => {
    const answer = await send(request, MERGE_PATCH);
    expectError(answer, 'unsupported_media_type', 415);
    expect(JSON.parse(answer.body)).toMatchObject({ message: 'The body must be sent with Content-Type: application/json, in UTF-8.' });
    expect([answer.headers['accept'], answer.headers['accept-patch']]).toEqual(['application/json', undefined]);
  });

  it('are read as strictly as any JSON', async () => {
    const body = '{"text":"a","text":"b"}';
    const head = `PATCH /v1/notes/7 HTTP/1.1\r\n${HOST}${KEY}Content-Type: ${MERGE_PATCH}\r\nContent-Length: ${body.length}\r\n`;
    expectError(await client.send(head, body), 'invalid_request', 400);
  });

  it('are in the answer to OPTIONS of a path with PATCH', async () => {
    const options = async (path: string) => (await client.send(`OPTIONS ${path} HTTP/1.1\r\n${HOST}${KEY}`)).headers;
    expect(await options('/v1/notes/7')).toMatchObject({
      allow: 'GET, HEAD, PATCH, DELETE, OPTIONS',
      'accept-patch': `${MERGE_PATCH}, application/json`,
    });
    expect((await options('/v1/things'))['accept-patch']).toBeUndefined();
  });
});
