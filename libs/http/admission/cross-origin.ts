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

  /** Adds the headers for the request's origin. */
  addHeaders(request: FastifyRequest, reply: FastifyReply): void {
    reply.header('vary', 'Origin');
    const origin = this.allowedOrigin(request);
    if (origin === undefined) return;
    const ofRoute = Object.keys(request.routeOptions.config.operation?.answer.headers ?? {});
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', [...new Set([...EXPOSED_HEADERS, ...ofRoute])].join(', '));
  }

  /** Whether this is a preflight of an allowed origin. */
  isPreflight(request: FastifyRequest): boolean {
    const { method, headers } = request;
    return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined && this.allowedOrigin(request) !== undefined;
  }

  /** @param methods those that a page of the origin may send, as an `Allow` header lists them */
  addPreflightHeaders(reply: FastifyReply, methods: string): void {
    void reply
      .header('access-control-allow-methods', methods)
      .header('access-control-allow-headers', ALLOWED_HEADERS)
      .header('access-control-max-age', PREFLIGHT_SECONDS);
  }

  private allowedOrigin({ headers: { origin } }: FastifyRequest): string | undefined {
    return origin !== undefined && (this.origins.has(origin) || this.origins.has(ANY_ORIGIN)) ? origin : undefined;
  }
}
