import type { HeaderObject, ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { MAXIMUM_HEAD_BYTES } from '../server/raw-errors.js';

export type Headers = Readonly<Record<string, HeaderObject | ReferenceObject>>;

/** Any value that a header can have (RFC 9110 section 5.5). */
export const headerValue: SchemaObject = { type: 'string', pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$', maxLength: MAXIMUM_HEAD_BYTES };

const text = (pattern: string, maxLength: number): SchemaObject => ({ type: 'string', pattern, maxLength });
const oneOf = (...values: string[]): SchemaObject => ({ type: 'string', enum: values });
const COUNT: SchemaObject = { type: 'integer', format: 'int64', minimum: 0 };
const LINKS = text('^<[^>]+>; rel="[a-z-]+"(?:, <[^>]+>; rel="[a-z-]+")*$', 16_384);
const MEDIA_TYPES = text('^[a-z]+/[a-z.+-]+(?:, [a-z]+/[a-z.+-]+)*$', 1_024);
const ENTITY_TAG = text('^"[A-Za-z0-9_-]{22}"$', 24);
const EXAMPLE_TAG = '"pXyVb0aZ3rQ1mD8oK4uW9e"';

type Example = string | number;
/** Describes a header that is always present. */
const required = (description: string, schema: SchemaObject, example: Example) => ({ description, required: true, schema, example });
/** Describes a header that may be absent. */
const optional = (description: string, schema: SchemaObject, example: Example) => ({ description, required: false, schema, example });

const general = {
  'X-Request-Id': required(
    'The id of this request, in the log too; one the client sent is kept.',
    text('^[A-Za-z0-9._-]+$', 128),
    '0b6c1a52-6f0e-4b39-9d0a-4a3f6b1c2d3e',
  ),
  'Cache-Control': required(
    'Only the client may store the response, and it asks again before it uses it; a stream is not stored.',
    oneOf('private, no-cache', 'no-store'),
    'private, no-cache',
  ),
  'X-Content-Type-Options': required('The content type is to be taken as it is sent.', oneOf('nosniff'), 'nosniff'),
  'X-RateLimit-Limit': required('Requests in the window that has fewer left.', COUNT, 60),
  'X-RateLimit-Remaining': required('Requests left in that window.', COUNT, 59),
  'X-RateLimit-Reset': required('The end of that window in unix seconds.', COUNT, 1767225660),
  'RateLimit-Policy': required(
    'The windows: requests (q) in seconds (w).',
    text('^"[a-z]+";q=[0-9]+;w=[0-9]+(?:, "[a-z]+";q=[0-9]+;w=[0-9]+)*$', 256),
    '"minute";q=60;w=60, "day";q=1000;w=86400',
  ),
  RateLimit: required(
    'What is left: requests (r) and seconds (t) in each window and, during a ban, in the ban.',
    text('^"[a-z]+";r=[0-9]+;t=[0-9]+(?:, "[a-z]+";r=[0-9]+;t=[0-9]+)*$', 256),
    '"minute";r=59;t=42, "day";r=812;t=30511',
  ),
  'Access-Control-Allow-Origin': optional(
    'The origin of the page that sent the request, if the operator lets it read responses.',
    text('^(?:\\*|null|[a-z][a-z0-9+.-]*://[^\\s/]+)$', 16_384),
    'https://shop.example',
  ),
};

/** Returns the header components. @param challenge example of `WWW-Authenticate`, such as `Bearer realm="shop"` */
export function headerComponents(challenge: string) {
  return {
    ...general,
    ETag: required('The validator of what there is, for If-None-Match and If-Match (RFC 9110 section 8.8.3).', ENTITY_TAG, EXAMPLE_TAG),
    'ETag-of-some': optional(
      'The validator of what there is, for If-None-Match and If-Match; none on what has no end, such as a stream.',
      ENTITY_TAG,
      EXAMPLE_TAG,
    ),
    Location: required('The path of what was created.', text('^/[!-~]*$', 2_048), '/v1/things/17'),
    'Idempotency-Replayed': optional(
      '`true` when this repeats the answer to an earlier request with the same Idempotency-Key.',
      oneOf('true'),
      'true',
    ),
    // Optional, since a path that cannot be decoded gets its 400 before its operation is known.
    Deprecation: optional('Since when the operation is deprecated, in unix seconds (RFC 9745).', text('^@[0-9]+$', 20), '@1764892800'),
    Sunset: optional(
      'From when on the operation answers 410 (RFC 8594).',
      text('^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$', 29),
      'Thu, 05 Dec 2030 00:00:00 GMT',
    ),
    'Link-help': required(
      'What the code means and what to do about it, with rel="help" (RFC 8288).',
      LINKS,
      '</docs/errors#not_found>; rel="help"',
    ),
    'Link-next': {
      description: 'The next page, with rel="next"; none on the last page (RFC 8288).',
      schema: LINKS,
      example: '</v1/things?limit=20&cursor=MTd-Zm9v>; rel="next"',
    },
    'Link-next-and-help': required(
      'The next page, with rel="next", while there is one, and what the code means, with rel="help".',
      LINKS,
      '</v1/things?limit=20&cursor=MTd-Zm9v>; rel="next", </docs/errors#precondition_failed>; rel="help"',
    ),
    'Link-successor-version': {
      description: 'What to use instead, with rel="successor-version" (RFC 5829).',
      schema: LINKS,
      example: '</v1/things>; rel="successor-version"',
    },
    'Link-successor-version-and-help': required(
      'What to use instead, with rel="successor-version", and what the code means, with rel="help".',
      LINKS,
      '</v1/things>; rel="successor-version", </docs/errors#gone>; rel="help"',
    ),
    'WWW-Authenticate': required('How to authenticate (RFC 6750).', text('^Bearer realm="[a-z]+"(?:, [a-z]+="[^"]*")*$', 1_024), challenge),
    'Retry-After': required('Seconds to wait before the request is sent again.', COUNT, 42),
    'Retry-After-running': optional('Seconds to wait, where a request with the same Idempotency-Key is still running.', COUNT, 1),
    Allow: required('The methods of this path.', text('^[A-Z]+(?:, [A-Z]+)*$', 64), 'GET, HEAD, POST, OPTIONS'),
    Accept: optional('The content types that may be sent, where that was wrong.', MEDIA_TYPES, 'application/json'),
    'Accept-Patch': optional(
      'The content types that a PATCH of this path may be sent as; absent if the path has no PATCH (RFC 5789).',
      MEDIA_TYPES,
      'application/merge-patch+json, application/json',
    ),
    'Accept-Encoding': optional('The content coding to send, where that was wrong.', oneOf('identity'), 'identity'),
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
