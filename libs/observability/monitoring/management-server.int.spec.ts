import { connect } from 'node:net';
import { once } from 'node:events';
import { ApplicationError } from '../errors/application-error.js';
import { ManagementServer, type ManagementAddress, type ManagementPage } from './management-server.js';

const page: ManagementPage = () => 'well';

describe('the management server', () => {
  const servers: ManagementServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.onApplicationShutdown();
  });
  const open = (pages: Readonly<Record<string, ManagementPage>>, address: Partial<ManagementAddress> = {}): Promise<string> => {
    const server = new ManagementServer();
    for (const [path, each] of Object.entries(pages)) server.register(path, each);
    servers.push(server);
    return server.listen({ host: '127.0.0.1', port: 0, ...address });
  };

  it('serves its pages by their exact paths, for GET and HEAD', async () => {
    const origin = await open({ '/page': page });
    const answer = await fetch(`${origin}/page?query`);
    expect([answer.status, await answer.text(), answer.headers.get('cache-control')]).toEqual([200, 'well', 'no-store']);
    const head = await fetch(`${origin}/page`, { method: 'HEAD' });
    expect([head.status, await head.text(), head.headers.get('content-length')]).toEqual([200, '', '4']);
    expect((await fetch(`${origin}/page`, { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(404);
    for (const path of ['/', '/page/', '/PAGE', '/__proto__']) expect((await fetch(origin + path)).status).toBe(404);
  });

  it('answers 500 for a page that fails, or the status of its error, and continues', async () => {
    const failing = (error: Error) => () => Promise.reject(error);
    const origin = await open({
      '/page': page,
      '/failing': failing(new Error('no figures')),
      '/refusing': failing(new ApplicationError('not_found', 'There is none.')),
    });
    const answer = await fetch(`${origin}/failing`);
    expect([answer.status, await answer.text()]).toEqual([500, 'no figures\n']);
    const refusal = await fetch(`${origin}/refusing`);
    expect([refusal.status, await refusal.json()]).toEqual([404, { message: 'There is none.' }]);
    expect((await fetch(`${origin}/page`)).status).toBe(200);
  });

  it('closes at once though a connection is open', async () => {
    const origin = await open({ '/never': () => new Promise(() => undefined) });
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n');
    const ended = new Promise((resolve) => socket.on('close', resolve));
    await once(socket, 'connect');
    await servers[0]?.onApplicationShutdown();
    await ended;
    await expect(fetch(origin)).rejects.toThrow();
  });

  it('refuses names that a site could have lead here if it checks hosts, and says which it serves', async () => {
    const answerTo = async (origin: string, host: string): Promise<string> => {
      const socket = connect(Number(new URL(origin).port), '127.0.0.1');
      socket.write(`GET /page HTTP/1.0\r\n${host}\r\n`);
      const chunks: Buffer[] = [];
      for await (const chunk of socket as AsyncIterable<Buffer>) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    };
    const checking = await open({ '/page': page }, { checksHost: true });
    expect(await answerTo(checking, 'Host: localhost:9464\r\n')).toContain(' 200 ');
    expect(await answerTo(checking, 'Host: evil.example:9464\r\n')).toMatch(/ 403 [^]*localhost[^]*MANAGEMENT_HOST/);
    expect(await answerTo(checking, '')).toContain(' 403 ');
    expect(await answerTo(await open({ '/page': page }), 'Host: adoption.internal:9464\r\n')).toContain(' 200 ');
  });
});
