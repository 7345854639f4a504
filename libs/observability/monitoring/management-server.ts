import { isIP, type AddressInfo } from 'node:net';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApplicationError } from '../errors/application-error.js';
import { toListenError } from '../errors/startup-error.js';

/** Answers `GET` of one path, as a handler of Fastify does, also by throwing: an ApplicationError is answered with its status. */
export type ManagementPage = (request: FastifyRequest, reply: FastifyReply) => unknown;

export interface ManagementAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Whether to refuse requests with a `Host` that another site could resolve to this server. Default: false. */
  readonly checksHost?: boolean;
}

const TEXT = 'text/plain; charset=utf-8';
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
const FOREIGN_HOST =
  'In development this is served at localhost, at an IP address and at the name that MANAGEMENT_HOST is, but at no other name, to which a web site could ' +
  'lead its visitors.\n';
/** `Host` of RFC 9110 section 7.2: an address in brackets or a name, and a port perhaps. */
const HOST = /^(\[[^\]]*\]|[^:]+)(?::\d*)?$/;
const REQUEST_TIMEOUT_MILLISECONDS = 5_000;

/**
 * A small HTTP server for operators and their tools, on a port of its own. It has no authentication beside what a page asks for itself:
 * keep it in a private network.
 */
@Injectable()
export class ManagementServer implements OnApplicationShutdown {
  private readonly pages = new Map<string, ManagementPage>();
  private server: FastifyInstance | undefined;

  /** Serves a page at an exact path. Call it before `listen`. */
  register(path: string, page: ManagementPage): void {
    this.pages.set(path, page);
  }

  /**
   * Resolves with the origin, such as `http://127.0.0.1:9464`.
   * @throws StartupError that names MANAGEMENT_PORT or MANAGEMENT_HOST if it cannot be opened
   */
  async listen({ host, port, checksHost = false }: ManagementAddress): Promise<string> {
    // The command line does without it.
    const { fastify } = await import('fastify');
    const server = fastify({ requestTimeout: REQUEST_TIMEOUT_MILLISECONDS, forceCloseConnections: true });
    server.addHook('onRequest', (request, reply, done) => {
      reply.headers(HEADERS);
      if (!checksHost || isOwnHost(request.headers.host, host)) done();
      else reply.code(403).type(TEXT).send(FOREIGN_HOST);
    });
    for (const [path, page] of this.pages) server.get(path, async (request, reply) => page(request, reply));
    server.setNotFoundHandler((_request, reply) => reply.code(404).type(TEXT).send('There are /metrics and /health/ready.\n'));
    server.setErrorHandler((error: Error, _request, reply) => {
      if (error instanceof ApplicationError) return reply.code(error.status).send({ message: error.message });
      return reply.code(500).type(TEXT).send(`${error.message}\n`);
    });
    await server.listen({ host, port }).catch((error: unknown) => {
      throw toListenError(error, { host, port }, 'MANAGEMENT_');
    });
    this.server = server;
    return formatOrigin(server.server.address() as AddressInfo);
  }

  /** Ends at once, with responses in progress, after the last request of the service, so that the shutdown can be watched. */
  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }
}

/**
 * Whether a header `Host` names this server in a way that no web site can have lead here: by an IP address, as `localhost`, or by the name
 * that the server is bound to. Under a name of its own, which it has lead here by DNS once it is loaded, a site could read what is served.
 */
export function isOwnHost(header: string | undefined, boundTo: string): boolean {
  const [, host = ''] = HOST.exec(header ?? '') ?? [];
  const name = host.toLowerCase().replace(/\.$/, '');
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0 || name === 'localhost' || name.endsWith('.localhost') || name === boundTo.toLowerCase();
}

/** The origin of a server at the address that it has bound, such as `http://[::]:3000`. */
export function formatOrigin({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
