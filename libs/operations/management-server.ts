import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a page of the management port says. */
export interface ManagementAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Makes the answer to `GET` of one path. */
export type ManagementPage = () => ManagementAnswer | Promise<ManagementAnswer>;

export interface ManagementAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

const TEXT = 'text/plain; charset=utf-8';
const REQUEST_TIMEOUT_MILLISECONDS = 5_000;
const SHORT_CHECK_INTERVAL = 1_000;

/** A small HTTP server for operators and their tools, on a port of its own. It has no authentication: keep it in a private network. */
export class ManagementServer {
  private readonly server: Server;

  /** `pages` by their exact paths. */
  constructor(private readonly pages: ReadonlyMap<string, ManagementPage>) {
    this.server = createServer(
      {
        requestTimeout: REQUEST_TIMEOUT_MILLISECONDS,
        headersTimeout: REQUEST_TIMEOUT_MILLISECONDS,
        connectionsCheckingInterval: SHORT_CHECK_INTERVAL,
      },
      (request, response) => void this.answer(request, response),
    );
  }

  /** Resolves with the origin, such as `http://127.0.0.1:9464`. @throws the error of `listen`, such as one of code `EADDRINUSE`. */
  async listen({ host, port }: ManagementAddress): Promise<string> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
    const { address, family, port: taken } = this.server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}`;
  }

  /** Ends at once, also answers under way. Does nothing where it does not listen. */
  async close(): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, contentType, body } = await this.answerTo(request);
    response.writeHead(status, {
      'content-type': contentType,
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
      ...(status === 405 && { allow: 'GET, HEAD' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    // Nothing here takes a body, so what is left of one is not read.
    request.resume();
  }

  private async answerTo({ method, url = '' }: IncomingMessage): Promise<ManagementAnswer> {
    const page = this.pages.get(url.split('?', 1)[0] ?? '');
    if (!page) return text(404, `There is ${[...this.pages.keys()].join(', ')}.\n`);
    if (method !== 'GET' && method !== 'HEAD') return text(405, 'GET and HEAD are allowed here.\n');
    try {
      return await page();
    } catch (error) {
      return text(500, `${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
}

function text(status: number, body: string): ManagementAnswer {
  return { status, contentType: TEXT, body };
}
