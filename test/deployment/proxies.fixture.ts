import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as sendRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { certificate } from '../../libs/http/outgoing/testing/certificate.js';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { findFreePort } from '../databases/free-port.fixture.js';
import { startProgram } from '../databases/poolers.fixture.js';
import { locateProgram } from './debian-program.fixture.js';

/** The ports of the two instances that the configurations name. */
export type Instances = readonly [number, number];

/** A started proxy. */
export interface Proxy {
  send(method: string, target: string, options?: SendOptions): Promise<Response>;
  /** Resolves with the response when its head has arrived. */
  open(method: string, target: string, options?: SendOptions): Promise<IncomingMessage>;
}

interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The address of the client, one of this machine. */
  readonly from?: string;
}

interface Response {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Starts nginx with `deploy/nginx/adoption.conf`. */
export async function startNginx(instances: Instances): Promise<Proxy> {
  const folder = makeTemporaryFolder('nginx');
  const port = await findFreePort();
  writeFileSync(join(folder, 'fullchain.pem'), certificate.cert);
  writeFileSync(join(folder, 'privkey.pem'), certificate.key, { mode: 0o600 });
  const site = atPorts('deploy/nginx/adoption.conf', instances)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll('/etc/adoption/tls', folder)
    .replaceAll('/var/log/nginx', folder);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`);
  // One process, which ends with its signal. Root's folder is closed to the user that workers run as by default.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user} daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http { ${temporary.join(' ')}\n${site}\n}\n`,
  );
  await startProgram([locateProgram('nginx'), '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], port);
  return proxyAt(port);
}

/** Starts HAProxy with `deploy/haproxy/haproxy-2.6.cfg`. */
export async function startHaproxy(instances: Instances): Promise<Proxy> {
  const folder = makeTemporaryFolder('haproxy');
  const [port, management] = [await findFreePort(), await findFreePort()];
  writeFileSync(join(folder, 'adoption.pem'), certificate.cert + certificate.key, { mode: 0o600 });
  const configuration = atPorts('deploy/haproxy/haproxy-2.6.cfg', instances)
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replace('127.0.0.1:8405', `127.0.0.1:${management}`)
    .replace('/etc/haproxy/adoption.pem', join(folder, 'adoption.pem'))
    .replace('log /dev/log', 'log stdout format raw')
    // Only root can change its user.
    .replace(/^ {4}(?:user|group) haproxy\n/gm, '');
  writeFileSync(join(folder, 'haproxy.cfg'), configuration);
  await startProgram([locateProgram('haproxy'), '-db', '-f', join(folder, 'haproxy.cfg')], port);
  return proxyAt(port);
}

/** An upstream that is ready, and loses every request except those about its health. */
export interface LosingUpstream {
  readonly port: number;
  /** The methods of the requests it has lost. */
  readonly lost: readonly (string | undefined)[];
}

export async function startLosingUpstream(): Promise<LosingUpstream> {
  const lost: (string | undefined)[] = [];
  const server = createServer(({ method, url, socket }, response) => {
    if (url?.startsWith('/health/')) return response.end();
    lost.push(method);
    return socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closeAtEnd(() => server.close());
  return { port: (server.address() as AddressInfo).port, lost };
}

function atPorts(file: string, [one, other]: Instances): string {
  return readFileSync(file, 'utf8').replaceAll('127.0.0.1:3001', `127.0.0.1:${one}`).replaceAll('127.0.0.1:3002', `127.0.0.1:${other}`);
}

function proxyAt(port: number): Proxy {
  const open = (method: string, target: string, { headers = {}, body, from = '127.0.0.1' }: SendOptions = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = { method, headers, localAddress: from, agent: false, ca: certificate.cert, servername: 'hooks.example.com' };
      const request = sendRequest(`https://127.0.0.1:${port}${target}`, options);
      request.on('response', resolve).on('error', reject).end(body);
    });
  return {
    open,
    async send(method, target, options) {
      const response = await open(method, target, options);
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
      return { status: response.statusCode, headers: response.headers, text };
    },
  };
}
