import type { Answer } from '../testing/raw-connection.js';
import { expectError, HOST, KEY, SampleClient } from '../testing/sample-client.js';

const NOTE = '/v1/notes/9223372036854775807';
const MERGE_PATCH = 'Content-Type: application/merge-patch+json\r\n';

let client: SampleClient;
let tag: string;

beforeAll(async () => {
  client = await SampleClient.start();
  tag = String((await client.get(NOTE)).headers['etag']);
});

afterEach(() => client.destroyConnections());

afterAll(() => client.stop());

function write(method: 'PATCH' | 'DELETE', headers = ''): Promise<Answer> {
  const body = method === 'PATCH' ? '{}' : '';
  const framing = body === '' ? '' : `${MERGE_PATCH}Content-Length: ${body.length}\r\n`;
  return client.send(`${method} ${NOTE} HTTP/1.1\r\n${HOST}${KEY}${framing}${headers}`, body);
}

describe('a write with If-Match', () => {
  it.each(['PATCH', 'DELETE'] as const)('is done by %s when the tag of GET is named, * is, or there is none', async (method) => {
    const conditions = ['', ...[tag, `"x", ${tag}`, `"x"\r\nIf-Match: ${tag}`, '*'].map((value) => `If-Match: ${value}\r\n`)];
    for (const condition of conditions) expect((await write(method, condition)).status).toBe(method === 'PATCH' ? 200 : 204);
  });

  it.each(['PATCH', 'DELETE'] as const)('is refused by %s with the tag that holds when that is not named, be it weakly', async (method) => {
    for (const condition of ['"x"', `W/${tag}`, tag.slice(1, -1), `x ${tag}`, `${tag} "x"`, `*, ${tag}`, '']) {
      const answer = await write(method, `If-Match: ${condition}\r\n`);
      expectError(answer, 'precondition_failed', 412);
      expect(answer.headers['etag']).toBe(tag);
      expect(answer.headers['x-removed-pages']).toBeUndefined();
    }
  });

  it('gives the tag that GET has of the same content, whatever else that links to', async () => {
    const [read, written] = [await client.get(NOTE), await write('PATCH')];
    expect(written.body).toBe(read.body);
    expect(read.headers['link']).toBe('</v1/things>; rel="successor-version"');
    expect(written.headers['etag']).toBe(read.headers['etag']);
  });

  it('gives another tag for what it has changed', async () => {
    const body = '{"text":"new"}';
    const head = `PATCH ${NOTE} HTTP/1.1\r\n${HOST}${KEY}${MERGE_PATCH}Content-Length: ${body.length}\r\nIf-Match: ${tag}\r\n`;
    const answer = await client.send(head, body);
    expect(answer.status).toBe(200);
    expect(answer.headers['etag']).toMatch(/^"[\w-]{22}"$/);
    expect(answer.headers['etag']).not.toBe(tag);
  });
});

describe('a write with If-None-Match', () => {
  it.each(['PATCH', 'DELETE'] as const)(
    'is refused by %s with the tag that holds when that is named, be it weakly, or * is',
    async (method) => {
      for (const condition of ['*', tag, `"x", W/${tag}`]) {
        const answer = await write(method, `If-None-Match: ${condition}\r\n`);
        expectError(answer, 'precondition_failed', 412);
        expect(answer.headers['etag']).toBe(tag);
      }
      expect((await write(method, `If-None-Match: "x"\r\nIf-Match: ${tag}\r\n`)).status).toBe(method === 'PATCH' ? 200 : 204);
    },
  );
});
