import type { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

type CorsOptions = NonNullable<Parameters<FastifyAdapter['enableCors']>[0]>;

const OPTIONS: CorsOptions = {
  strictPreflight: false,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id',
  // All of them, since no request has credentials of the browser.
  exposedHeaders: '*',
  maxAge: 600,
};

/**
 * Returns the options of `enableCors`: a preflight of an allowed origin is answered before authentication, other `OPTIONS` are not.
 * @param origins exactly as browsers send them, such as `https://shop.example`; `*` stands for any
 */
export function crossOriginOptions(origins: readonly string[]): CorsOptions {
  const delegator = ({ headers }: FastifyRequest, done: (error: null, options: CorsOptions) => void): void => {
    const { origin, 'access-control-request-method': preflight } = headers;
    const isAllowed = origin !== undefined && (origins.includes(origin) || origins.includes('*'));
    done(null, { ...OPTIONS, origin: isAllowed && origin, preflight: preflight !== undefined });
  };
  return { delegator };
}
