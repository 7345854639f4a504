import type { Answer } from '../testing/raw-connection.js';
import { expectError, HOST, KEY, SampleClient } from '../testing/sample-client.js';

const NOTE = '/v1/notes/9223372036854775807';
const MERGE_PATCH = 'Content-Type: application/merge-patch+json\r\n';

const client = SampleClient.use();
let tag: string;

beforeAll(async () => {
  tag = String((await client.get(NOTE)).headers['etag']);
});

function write(method: 'PATCH' | 'DELETE', headers = ''): Promise<Answer> {
  const body = method === 'PATCH' ? '{}' : '';
  const framing = body === '' ? '' : `${MERGE_PATCH}Content-Length: ${body.length}\r\n`;
  return client.send(`${method} ${NOTE} HTTP/1.1\r\n${HOST}${KEY}${framing}${headers}`, body);
}

describe('a write', () => {
  it('gives the tag that GET has of the same content, whatever else that links to', async () => {
    const [read, written] = [await client.get(NOTE), await write('PATCH')];
    expect(written.body).toBe(read.body);
    expect(read.headers['link']).toBe('</v1/things>; rel="successor-version"');
    expect(written.headers['etag']).toBe(read.headers['etag']);
  });

  it.each(['PATCH', 'DELETE'] as const)(
    'is refused by %s with the current tag if If-None-Match names it, be it weakly, or *',
    async (method) => {
      for (const condition of ['*', tag, `"x", W/${tag}`]) {
        const answer = await write(method, `If-None-Match: ${condition}\r\n`);
        expectError(answer, 'precondition_failed', 412);
        expect([answer.headers['etag'], answer.headers['x-removed-pages']]).toEqual([tag, undefined]);
      }
      expect((await write(method, `If-None-Match: "x"\r\nIf-Match: ${tag}\r\n`)).status).toBe(method === 'PATCH' ? 200 : 204);
    },
  );
});
