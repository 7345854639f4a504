import type { LookupAddress } from 'node:dns';
import { EndpointRules, type EndpointRulesOptions } from './endpoint-rules.js';
import type { Endpoint } from './endpoint.js';
import { OutgoingHttp, type OutgoingHttpOptions, type Resolve } from './index.js';
import { connectTo, openSocket } from './open-socket.js';
import { LocalServer } from './testing/local-server.js';

const PUBLIC: LookupAddress = { address: '93.184.216.34', family: 4 };
const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };

/** Finds these, one list after the other; the last goes on. */
function finding(...answers: LookupAddress[][]): Resolve {
  let asked = 0;
  return async () => answers[Math.min(asked++, answers.length - 1)] ?? [];
}

describe('a connection', () => {
  let server: LocalServer;
  beforeEach(async () => {
    server = await LocalServer.startSecure((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
  });
  afterEach(() => server.close());

  const options = (more: Partial<EndpointRulesOptions>): OutgoingHttpOptions & EndpointRulesOptions => ({
    allowedPorts: [server.port],
    allowLoopback: false,
    resolve: finding([PUBLIC]),
    ...more,
  });
  const endpoint = (host: string): Endpoint => ({ origin: 'https://a.example', host, port: server.port, isSecure: true, path: '/' });
  const post = (http: OutgoingHttp, host: string) =>
    http.post(server.url(host, 'https'), { headers: {}, body: Buffer.from('hello'), timeoutMilliseconds: 10_000 });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['0', '0.0.0.0'],
    ['[::1]', '::1'],
    ['[::]', '::'],
    ['[::ffff:127.0.0.1]', '::ffff:7f00:1'],
  ])('is not made to %s', async (host, address) => {
    const http = new OutgoingHttp(options({}));
    expect(await post(http, host)).toMatchObject({ kind: 'failed', error: `url must lead to a public address, and ${address} is none` });
    expect(server.connections).toEqual([]);
  });

  it('is not made to localhost', async () => {
    const http = new OutgoingHttp(options({}));
    for (const host of ['localhost', 'LOCALHOST.', 'a.localhost']) {
      expect(await post(http, host)).toMatchObject({ kind: 'failed', error: 'url must not lead to localhost' });
    }
    expect(server.connections).toEqual([]);
  });

  it('is not made, nor its name looked up, where the URL breaks another rule', async () => {
    const asked: string[] = [];
    const http = new OutgoingHttp(options({ allowedPorts: [], resolve: async (name) => (asked.push(name), []) }));
    expect(await post(http, 'a.example')).toMatchObject({ error: `url must use port 443 or 8443, not ${server.port}` });
    expect(await post(http, 'user@a.example')).toMatchObject({ error: 'url must not contain a user name or a password' });
    expect(await http.post('http://a.example', { headers: {}, body: Buffer.from(''), timeoutMilliseconds: 10_000 })).toMatchObject({
      error: 'url must begin with https://',
    });
    expect(asked).toEqual([]);
  });

  it('is not made where the name leads elsewhere than when it was checked', async () => {
    const http = new OutgoingHttp(options({ resolve: finding([PUBLIC], [LOOPBACK]) }));
    expect(await http.problemWith(server.url('a.example', 'https'))).toBeUndefined();
    expect(await post(http, 'a.example')).toMatchObject({
      kind: 'failed',
      error: 'url must lead to public addresses only, and a.example does not',
    });
    expect(server.connections).toEqual([]);
  });

  it.each([
    ['first', [LOOPBACK, PUBLIC]],
    ['last', [PUBLIC, LOOPBACK]],
    ['only in a mapped form', [{ address: '::ffff:127.0.0.1', family: 6 }]],
  ])('is not made where a private address is found %s', async (_where, found) => {
    const http = new OutgoingHttp(options({ resolve: finding(found) }));
    expect(await post(http, 'a.example')).toMatchObject({ kind: 'failed', error: expect.stringContaining('public addresses only') });
    expect(server.connections).toEqual([]);
  });

  it('is not made where no address is found, or none is found now', async () => {
    const failing: Resolve = () => Promise.reject(Object.assign(new Error(), { code: 'ETIMEOUT' }));
    expect(await post(new OutgoingHttp(options({ resolve: finding([]) })), 'a.example')).toMatchObject({
      error: 'url must have a host with an address, and a.example has none',
    });
    expect(await post(new OutgoingHttp(options({ resolve: failing })), 'a.example')).toMatchObject({
      error: 'url has a host that cannot be resolved now (a.example): try again later',
    });
  });

  it('is refused by the address itself, also where nobody looked at the URL before', async () => {
    const rules = new EndpointRules(options({}));
    const { signal } = new AbortController();
    await expect(openSocket(endpoint('127.0.0.1'), rules, signal)).rejects.toThrow('must lead to a public address');
    await expect(openSocket(endpoint('::1'), rules, signal)).rejects.toThrow('must lead to a public address');
    await expect(openSocket(endpoint('a.localhost'), rules, signal)).rejects.toThrow('must lead to public addresses only');
    expect(server.connections).toEqual([]);
  });

  it('is ended before anything is sent where it came to a private address all the same', async () => {
    const rules = new EndpointRules(options({}));
    const { signal } = new AbortController();
    await expect(connectTo([LOOPBACK], endpoint('a.example'), rules, signal)).rejects.toThrow('must lead to public addresses only');
    expect(server.requests).toEqual([]);
  });

  it('is not made any more once it was given up', async () => {
    const rules = new EndpointRules(options({ allowLoopback: true, resolve: finding([LOOPBACK]) }));
    await expect(openSocket(endpoint('a.example'), rules, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(server.connections).toEqual([]);
  });

  it('goes on to the next address where the first takes none', async () => {
    const plain = await LocalServer.start((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'), '127.0.0.1');
    const http = new OutgoingHttp(options({ allowLoopback: true, resolve: finding([{ address: '::1', family: 6 }, LOOPBACK]) }));
    const outcome = await http.post(plain.url('a.example'), { headers: {}, body: Buffer.from(''), timeoutMilliseconds: 10_000 });
    await plain.close();
    expect(outcome).toMatchObject({ kind: 'answered', status: 204 });
  });
});
