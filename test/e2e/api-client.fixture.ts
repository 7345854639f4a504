import { Agent, request as sendRequest, type IncomingHttpHeaders } from 'node:http';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { expectDocumented, type OpenApiContract } from './openapi-contract.fixture.js';

/** What the service answered. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as plain JSON; integers above 2^53 lose their last digits, look at `text` for those. */
  json<Body = Record<string, unknown>>(): Body;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** An object is sent as JSON, a string or bytes as they are. */
  readonly body?: unknown;
  /** The token to send, null for none. Default: the client's own. */
  readonly key?: string | null;
}

/** Sends real HTTP requests; every answer is checked against the OpenAPI document. */
export class ApiClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  /** @param contract where the service is another build than that of this folder */
  constructor(
    private readonly origin: string,
    private readonly key: string,
    private readonly contract: Pick<OpenApiContract, 'expectDocumented'> = { expectDocumented },
  ) {
    closeAtEnd(() => this.close());
  }

  get(target: string, options: RequestOptions = {}): Promise<Answer> {
    return this.send('GET', target, options);
  }

  post(target: string, body: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.send('POST', target, { body, ...options });
  }

  async send(method: string, target: string, { headers = {}, body, key = this.key }: RequestOptions = {}): Promise<Answer> {
    const payload = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const answer = await new Promise<Answer>((resolve, reject) => {
      const request = sendRequest(this.origin + target, {
        method,
        agent: this.agent,
        headers: {
          ...(key === null ? {} : { authorization: `Bearer ${key}` }),
          ...(payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
          ...headers,
        },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const json = <Body>() => JSON.parse(text) as Body;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
        });
      });
      request.end(payload);
    });
    this.contract.expectDocumented(method, target, answer);
    return answer;
  }

  close(): void {
    this.agent.destroy();
  }
}
