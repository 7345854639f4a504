import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

type CorsOptions = NonNullable<Parameters<FastifyAdapter['enableCors']>[0]>;

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
const OPTIONS: CorsOptions = {
  strictPreflight: false,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id',
  maxAge: 600,
};

/**
 * Returns how `app.enableCors` answers pages of other origins: a preflight before authentication, and never with credentials. Pages may read
 * the headers of their operation.
 * @param origins exactly as browsers send them, such as `https://shop.example`; `*` stands for any
 */
export function crossOriginOptions(origins: readonly string[]): CorsOptions {
  const delegator = ({ headers, routeOptions }: FastifyRequest, done: (error: null, options: CorsOptions) => void): void => {
    const { origin, 'access-control-request-method': preflight } = headers;
    const isAllowed = origin !== undefined && (origins.includes(origin) || origins.includes('*'));
    const ofOperation = Object.keys(routeOptions.config.operation?.answer.headers ?? {});
    const exposedHeaders = [...new Set([...EXPOSED_HEADERS, ...ofOperation])];
    done(null, { ...OPTIONS, origin: isAllowed && origin, preflight: preflight !== undefined, exposedHeaders });
  };
  return { delegator };
}
