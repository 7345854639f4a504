import type { HeaderObject, ReferenceObject, SchemaObject } from '@nestjs/swagger';

export type Headers = Readonly<Record<string, HeaderObject | ReferenceObject>>;

const TEXT: SchemaObject = { type: 'string' };
const COUNT: SchemaObject = { type: 'integer', format: 'int64', minimum: 0 };

/** Describes a header by an example. Counts are integers. */
function header(description: string, example: string | number, required = true): HeaderObject {
  return { description, required, schema: typeof example === 'number' ? COUNT : TEXT, example };
}

const optional = (description: string, example: string | number) => header(description, example, false);

const general = {
  'X-Request-Id': header('The id of this request, in the log too; one the client sent is kept.', '0b6c1a52-6f0e-4b39-9d0a-4a3f6b1c2d3e'),
  'Cache-Control': header(
    'Only the client may store the response, and it asks again before it uses it; a stream is not stored.',
    'private, no-cache',
  ),
  'X-Content-Type-Options': header('The content type is to be taken as it is sent.', 'nosniff'),
  'X-RateLimit-Limit': header('Requests in the window that has fewer left.', 60),
  'X-RateLimit-Remaining': header('Requests left in that window.', 59),
  'X-RateLimit-Reset': header('The end of that window in unix seconds.', 1767225660),
  'RateLimit-Policy': header('The windows: requests (q) in seconds (w).', '"minute";q=60;w=60, "day";q=1000;w=86400'),
  RateLimit: header(
    'What is left: requests (r) and seconds (t) in each window and, during a ban, in the ban.',
    '"minute";r=59;t=42, "day";r=812;t=30511',
  ),
  'Access-Control-Allow-Origin': optional(
    'The origin of the page that sent the request, if the operator lets it read responses.',
    'https://shop.example',
  ),
};

/** Returns the header components. @param challenge example of `WWW-Authenticate`, such as `Bearer realm="shop"` */
export function headerComponents(challenge: string) {
  return {
    ...general,
    ETag: header('The validator of what there is, for If-None-Match and If-Match (RFC 9110 section 8.8.3).', '"pXyVb0aZ3rQ1mD8oK4uW9e"'),
    'ETag-of-some': optional(
      'The validator of what there is, for If-None-Match and If-Match; none if there is nothing, or no end, as of a stream.',
      '"pXyVb0aZ3rQ1mD8oK4uW9e"',
    ),
    Location: header('The path of what was created.', '/v1/things/17'),
    'Idempotency-Replayed': optional('`true` when this repeats the answer to an earlier request with the same Idempotency-Key.', 'true'),
    // Optional, since a path that cannot be decoded gets its 400 before its operation is known.
    Deprecation: optional('Since when the operation is deprecated, in unix seconds (RFC 9745).', '@1764892800'),
    Sunset: optional('From when on the operation answers 410 (RFC 8594).', 'Thu, 05 Dec 2030 00:00:00 GMT'),
    'Link-help': header(
      'What the code means and what to do about it, with rel="help" (RFC 8288); other links are as with a success.',
      '</docs/errors#not_found>; rel="help"',
    ),
    'Link-next': optional(
      'The next page, with rel="next"; none on the last page (RFC 8288).',
      '</v1/things?limit=20&cursor=MTd-Zm9v>; rel="next"',
    ),
    'Link-successor-version': optional(
      'What to use instead, with rel="successor-version" (RFC 5829).',
      '</v1/things>; rel="successor-version"',
    ),
    'WWW-Authenticate': header('How to authenticate (RFC 6750).', challenge),
    'Retry-After': header('Seconds to wait before the request is sent again.', 42),
    'Retry-After-running': optional('Seconds to wait, where a request with the same Idempotency-Key is still running.', 1),
    'Retry-After-some': optional('Seconds to wait before the request is sent again, of 503.', 1),
    Allow: optional('The methods of this path, of 405.', 'GET, HEAD, POST, OPTIONS'),
    Accept: optional('The content types that may be sent, of 415.', 'application/json'),
    'Accept-Patch': optional(
      'The content types that a PATCH of this path may be sent as, of 415 (RFC 5789).',
      'application/merge-patch+json',
    ),
    'Accept-Encoding': optional('The content coding to send, of 415.', 'identity'),
  } satisfies Record<string, HeaderObject>;
}

type HeaderComponent = keyof ReturnType<typeof headerComponents>;

/** References header components by header name: `Link` for `Link-help`. */
export function headers(...components: readonly HeaderComponent[]): Headers {
  return Object.fromEntries(
    components.map((component) => [component.replace(/^(ETag|Link|Retry-After)-.*$/, '$1'), { $ref: `#/components/headers/${component}` }]),
  );
}

/** The headers of every response. */
export const generalHeaders = headers(...(Object.keys(general) as (keyof typeof general)[]));
