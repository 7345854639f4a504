import type { FastifyReply, FastifyRequest } from 'fastify';

const EXPOSED_HEADERS = [
  'Link',
  'ETag',
  'Location',
  'X-Request-Id',
  'Idempotency-Replayed',
  'Retry-After',
  'Deprecation',
  'Sunset',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
];
const ALLOWED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id';
const ANY_ORIGIN = '*';
const PREFLIGHT_SECONDS = '600';

/** Cross-origin requests (CORS) of browsers, by the Fetch standard section 3.2. Credentials are never allowed. */
export class CrossOriginPolicy {
  private readonly origins: ReadonlySet<string>;

  /** @param origins exactly as browsers send them, such as `https://shop.example`; `*` stands for any */
  constructor(origins: readonly string[]) {
    this.origins = new Set(origins);
  }

  /** Adds the headers that belong to the request's origin. */
  apply(request: FastifyRequest, reply: FastifyReply): void {
    if (this.origins.size === 0) return;
    reply.header('vary', 'Origin');
    const origin = this.allowedOrigin(request);
    if (origin === undefined) return;
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', exposedHeaders(request).join(', '));
  }

  /** Whether this is a preflight that an allowed origin sent. */
  isPreflight(request: FastifyRequest): boolean {
    return (
      request.method === 'OPTIONS' &&
      request.headers['access-control-request-method'] !== undefined &&
      this.allowedOrigin(request) !== undefined
    );
  }

  /** @param methods what a page of the origin may send, as an `Allow` header lists them */
  answerPreflight(reply: FastifyReply, methods: string): void {
    void reply
      .code(204)
      .header('allow', methods)
      .header('access-control-allow-methods', methods)
      .header('access-control-allow-headers', ALLOWED_HEADERS)
      .header('access-control-max-age', PREFLIGHT_SECONDS)
      .send();
  }

  private allowedOrigin(request: FastifyRequest): string | undefined {
    const { origin } = request.headers;
    if (origin === undefined) return undefined;
    return this.origins.has(origin) || this.origins.has(ANY_ORIGIN) ? origin : undefined;
  }
}

/** Those of every route, and those that the answer of this one may have. */
function exposedHeaders({ routeOptions: { config } }: FastifyRequest): readonly string[] {
  return [...new Set([...EXPOSED_HEADERS, ...Object.keys(config.operation?.answer.headers ?? {})])];
}
