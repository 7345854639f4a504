import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificate } from './testing/certificate.js';
import { LocalServer } from './testing/local-server.js';

/** Posts to the given URLs from a process of its own, since which issuers are trusted is said at its start. */
const POSTING = `
import { OutgoingHttp } from './dist/libs/http/index.js';
const resolve = async () => [{ address: '127.0.0.1', family: 4 }];
const http = new OutgoingHttp({ allowedPorts: [], allowLoopback: true, timeout: 10_000, resolve });
const outcomes = [];
for (const url of process.argv.slice(1)) {
  const { status, error } = await http.post(url, { headers: {}, body: Buffer.from('hello') });
  outcomes.push(error ?? status);
}
await http.close();
console.log(JSON.stringify(outcomes));
`;

describe('a server of https', () => {
  let server: LocalServer;
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'adoption-certificates-'));
    writeFileSync(join(folder, 'issuer.pem'), certificate.cert);
    server = await LocalServer.startSecure((socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'));
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const post = async (environment: NodeJS.ProcessEnv, ...hosts: string[]): Promise<unknown> => {
    const urls = hosts.map((host) => server.url(host, 'https'));
    const child = spawn(process.execPath, ['--input-type=module', '--eval', POSTING, ...urls], {
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (text: Buffer) => (output += text.toString()));
    await once(child, 'close');
    return JSON.parse(output);
  };

  it('is sent to where its certificate is valid for the name, and to no other name that leads to it', async () => {
    const trusting = { NODE_EXTRA_CA_CERTS: join(folder, 'issuer.pem') };
    const forAnother = 'request failed (ERR_TLS_CERT_ALTNAME_INVALID)';
    const outcomes = await post(trusting, 'hooks.example.com', 'other.example.com', '127.0.0.1', 'hooks.example.com.');
    expect(outcomes).toEqual([204, forAnother, forAnother, 204]);
    expect(server.requests.length).toBe(2);
    // A name with its final dot is the same one, whose connection is used again.
    expect(server.serverNames).toEqual(['hooks.example.com', 'other.example.com']);
  });

  it('is not sent to a server without a trusted certificate, whatever the environment says', async () => {
    const lax = { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' };
    expect(await post(lax, 'hooks.example.com')).toEqual(['request failed (DEPTH_ZERO_SELF_SIGNED_CERT)']);
    expect(server.requests).toEqual([]);
  });
});
