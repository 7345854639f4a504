import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';

/** What a page of the management port says. */
export interface ManagementAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Further ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a page may be asked with. */
export interface ManagementRequest {
  readonly query: URLSearchParams;
  /** The header `Authorization`. */
  readonly authorization: string | undefined;
  /** The other end of the connection. */
  readonly remoteAddress: string | undefined;
}

/** Makes the answer to `GET` of one path. */
export type ManagementPage = (request: ManagementRequest) => ManagementAnswer | Promise<ManagementAnswer>;

export interface ManagementAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Whether to refuse requests with a `Host` that another site could resolve to this server. Default: false. */
  readonly checksHost?: boolean;
}

const TEXT = 'text/plain; charset=utf-8';
const FOREIGN_HOST =
  'In development this is served at localhost, at an IP address and at the name that MANAGEMENT_HOST is, but at no other name, to which a web site could ' +
  'lead its visitors.\n';
/** `Host` of RFC 9110 section 7.2: an address in brackets or a name, and a port perhaps. */
const HOST = /^(\[[^\]]*\]|[^:]+)(?::\d*)?$/;
const REQUEST_TIMEOUT_MILLISECONDS = 5_000;
const SHORT_CHECK_INTERVAL = 1_000;

/**
 * A small HTTP server for operators and their tools, on a port of its own. It has no authentication beside what a page asks for itself:
 * keep it in a private network.
 */
@Injectable()
export class ManagementServer {
  private readonly server: Server;
  private readonly pages = new Map<string, ManagementPage>();
  private checkedHost: string | undefined;

  constructor() {
    this.server = createServer(
      {
        requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
        headersTimeout: REQUEST_TIMEOUT_MILLISECONDS,
        connectionsCheckingInterval: SHORT_CHECK_INTERVAL,
      },
      (request, response) => void this.answer(request, response),
    );
  }

  /** Serves a page at an exact path from now on. @throws Error when the path is taken. */
  register(path: string, page: ManagementPage): void {
    if (this.pages.has(path)) throw new Error(`Two pages of the management port have the path ${path}.`);
    this.pages.set(path, page);
  }

  /** Resolves with the origin, such as `http://127.0.0.1:9464`. @throws the error of `listen`, such as one of code `EADDRINUSE`. */
  async listen({ host, port, checksHost = false }: ManagementAddress): Promise<string> {
    if (checksHost) this.checkedHost = host;
    this.server.listen(port, host);
    await once(this.server, 'listening');
    return formatOrigin(this.server.address() as AddressInfo);
  }

  /** Ends at once, with responses in progress. Does nothing if it does not listen. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, contentType, body, headers } = await this.answerTo(request);
    response.writeHead(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    // Nothing here takes a body, so what is left of one is not read.
    request.resume();
  }

  private async answerTo({ method, url = '', headers, socket }: IncomingMessage): Promise<ManagementAnswer> {
    if (this.checkedHost !== undefined && !isOwnHost(headers.host, this.checkedHost)) return text(403, FOREIGN_HOST);
    const [path = '', query = ''] = url.split(/\?(.*)/s, 2);
    const page = this.pages.get(path);
    if (!page) return text(404, `There is ${this.entries().join(', ')}.\n`);
    if (method !== 'GET' && method !== 'HEAD') return { ...text(405, 'GET and HEAD are allowed here.\n'), headers: { allow: 'GET, HEAD' } };
    try {
      return await page({ query: new URLSearchParams(query), authorization: headers.authorization, remoteAddress: socket.remoteAddress });
    } catch (error) {
      return text(500, `${error instanceof Error ? error.message : String(error)}\n`);
    }
  }

  /** The paths to begin at: not those of what a page consists of. */
  private entries(): string[] {
    const paths = [...this.pages.keys()];
    return paths.filter((path) => !paths.some((other) => path.startsWith(`${other}/`)));
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

function text(status: number, body: string): ManagementAnswer {
  return { status, contentType: TEXT, body };
}
