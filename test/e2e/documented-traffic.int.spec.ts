import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expectRawDocumented, fetchDocumented } from './documented-traffic.fixture.js';

const UNDESCRIBED = /the OpenAPI document does not describe this answer/;

describe('traffic that is held against the document', () => {
  let server: Server;
  beforeEach(async () => {
    server = createServer((_, response) => response.writeHead(299).end('new'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(() => server.close());

  it('is what fetch is answered', async () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(fetchDocumented(`${origin}/v1/pets?limit=1`)).rejects.toThrow(UNDESCRIBED);
    expect(await (await fetchDocumented(`${origin}/docs`)).text()).toBe('new');
  });

  it('is what a connection is answered first, unless that is interim', () => {
    const answer = 'HTTP/1.1 299 New\r\nContent-Length: 3\r\n\r\nnew';
    expect(() => expectRawDocumented('GET /v1/pets HTTP/1.1\r\n\r\n', answer)).toThrow(UNDESCRIBED);
    expect(() => expectRawDocumented(Buffer.from('GET /docs HTTP/1.1\r\n\r\n'), answer)).not.toThrow();
    expect(() => expectRawDocumented('POST /v1/pets HTTP/1.1\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n')).not.toThrow();
  });
});
