import type { HeaderObject, SchemaObject } from '@nestjs/swagger';
import { defineHeader } from './components.js';

export type Headers = Readonly<Record<string, HeaderObject | { readonly $ref: string }>>;

type Definitions = Readonly<Record<string, readonly [schema: SchemaObject, description: string, example: string | number]>>;

const COUNT: SchemaObject = { type: 'integer', format: 'int64', minimum: 0 };
const LINKS: SchemaObject = { type: 'string', pattern: '^<[^>]+>; rel="[a-z-]+"(?:, <[^>]+>; rel="[a-z-]+")*$', maxLength: 16_384 };
const MEDIA_TYPES: SchemaObject = { type: 'string', pattern: '^[a-z]+/[a-z.+-]+(?:, [a-z]+/[a-z.+-]+)*$', maxLength: 1_024 };
const ENTITY_TAG: SchemaObject = { type: 'string', pattern: '^"[A-Za-z0-9_-]{22}"$', maxLength: 24 };
const METHODS: SchemaObject = { type: 'string', pattern: '^[A-Z]+(?:, [A-Z]+)*$', maxLength: 64 };
/** Any value that a header can have (RFC 9110 section 5.5). */
const ANY_VALUE: SchemaObject = { type: 'string', pattern: '^[\\t\\x20-\\x7e\\x80-\\xff]*$', maxLength: 16_384 };

function oneOf(...values: readonly string[]): SchemaObject {
  return { type: 'string', enum: [...values] };
}

function formed(pattern: string, maxLength: number): SchemaObject {
  return { type: 'string', pattern, maxLength };
}

/** Headers by name, each defined once as a component. `required`: every answer that is said to have them has them. */
function headers(definitions: Definitions, { required }: { readonly required: boolean } = { required: true }) {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, [schema, description, example]]) => [
      name,
      defineHeader(name, { description, required, schema, example }),
    ]),
  ) satisfies Headers;
}

/** On every answer under `/v1`. */
export const generalHeaders: Headers = {
  ...headers({
    'X-Request-Id': [
      formed('^[A-Za-z0-9._-]+$', 128),
      'The id of this request, in the log too; one the client sent is kept.',
      '0b6c1a52-6f0e-4b39-9d0a-4a3f6b1c2d3e',
    ],
    'Cache-Control': [
      oneOf('private, no-cache', 'no-store'),
      'An answer may be kept by its client alone, which asks again before it uses it; a stream is not kept.',
      'private, no-cache',
    ],
    'X-Content-Type-Options': [oneOf('nosniff'), 'The content type is to be taken as it is sent.', 'nosniff'],
    'X-RateLimit-Limit': [COUNT, 'Requests in the window that has fewer left.', 60],
    'X-RateLimit-Remaining': [COUNT, 'Requests left in that window.', 59],
    'X-RateLimit-Reset': [COUNT, 'The end of that window in unix seconds.', 1767225660],
    'RateLimit-Policy': [
      formed('^"[a-z]+";q=[0-9]+;w=[0-9]+(?:, "[a-z]+";q=[0-9]+;w=[0-9]+)*$', 256),
      'The windows: requests (q) in seconds (w).',
      '"minute";q=60;w=60, "day";q=1000;w=86400',
    ],
    RateLimit: [
      formed('^"[a-z]+";r=[0-9]+;t=[0-9]+(?:, "[a-z]+";r=[0-9]+;t=[0-9]+)*$', 256),
      'What is left: requests (r) and seconds (t) in each window and, during a ban, in the ban.',
      '"minute";r=59;t=42, "day";r=812;t=30511',
    ],
  }),
  ...headers(
    {
      'Access-Control-Allow-Origin': [
        formed('^(?:\\*|null|[a-z][a-z0-9+.-]*://[^\\s/]+)$', 16_384),
        'The origin of the page that sent the request, where whoever runs the service lets it read answers.',
        'https://shop.example',
      ],
    },
    { required: false },
  ),
};

/** On every refusal. */
export const helpHeader: Headers = {
  Link: defineHeader('Link-help', {
    description: 'What the code means and what to do about it, with rel="help" (RFC 8288).',
    required: true,
    schema: LINKS,
    example: '</docs/errors#not_found>; rel="help"',
  }),
};

/** On the 200, 304 and 412 of a read, and where a write takes a precondition on what it changed and on its 412. */
export const entityTagHeader: Headers = headers({
  ETag: [
    ENTITY_TAG,
    'The validator of what there is, for If-None-Match and If-Match (RFC 9110 section 8.8.3).',
    '"pXyVb0aZ3rQ1mD8oK4uW9e"',
  ],
});

/** The same where the answer has other forms, not all of which have a validator. */
export const optionalEntityTagHeader: Headers = {
  ETag: defineHeader('ETag-of-some', {
    description: 'The validator of what there is, for If-None-Match and If-Match; none on what has no end, such as a stream.',
    required: false,
    schema: ENTITY_TAG,
    example: '"pXyVb0aZ3rQ1mD8oK4uW9e"',
  }),
};

/** On a page that another one follows. */
export const nextPageHeader: Headers = {
  Link: defineHeader('Link-next', {
    description: 'The next page, with rel="next"; none on the last page (RFC 8288).',
    schema: LINKS,
    example: '</v1/things?limit=20&cursor=MTd-Zm9v>; rel="next"',
  }),
};

/** On the refusal of a page that another one follows. */
export const nextPageAndHelpHeader: Headers = {
  Link: defineHeader('Link-next-and-help', {
    description: 'The next page, with rel="next", while there is one, and what the code means, with rel="help".',
    required: true,
    schema: LINKS,
    example: '</v1/things?limit=20&cursor=MTd-Zm9v>; rel="next", </docs/errors#precondition_failed>; rel="help"',
  }),
};

/** On what was created. */
export const createdHeaders: Headers = headers({
  Location: [formed('^/[!-~]*$', 2_048), 'The path of what was created.', '/v1/things/17'],
});

/** On what may repeat an earlier answer. */
export const replayedHeader: Headers = headers(
  {
    'Idempotency-Replayed': [
      oneOf('true'),
      '`true` when this repeats the answer to an earlier request with the same Idempotency-Key.',
      'true',
    ],
  },
  { required: false },
);

/** On every answer of a deprecated operation; not required, since a path that cannot be decoded gets its 400 before it has one. */
export const deprecationHeaders: Headers = {
  ...headers(
    {
      Deprecation: [formed('^@[0-9]+$', 20), 'Since when the operation is deprecated, in unix seconds (RFC 9745).', '@1764892800'],
      Sunset: [
        formed('^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$', 29),
        'From when on the operation answers 410 (RFC 8594).',
        'Thu, 05 Dec 2030 00:00:00 GMT',
      ],
    },
    { required: false },
  ),
  Link: defineHeader('Link-successor-version', {
    description: 'What to use instead, with rel="successor-version" (RFC 5829).',
    schema: LINKS,
    example: '</v1/things>; rel="successor-version"',
  }),
};

/** On the refusals of a deprecated operation, once its handler is reached. */
export const deprecationAndHelpHeaders: Headers = {
  ...deprecationHeaders,
  Link: defineHeader('Link-successor-version-and-help', {
    description: 'What to use instead, with rel="successor-version", and what the code means, with rel="help".',
    required: true,
    schema: LINKS,
    example: '</v1/things>; rel="successor-version", </docs/errors#gone>; rel="help"',
  }),
};

const refusals: Headers = {
  ...headers({
    'WWW-Authenticate': [
      formed('^Bearer realm="[a-z]+"(?:, [a-z]+="[^"]*")*$', 1_024),
      'How to authenticate (RFC 6750).',
      'Bearer realm="adoption"',
    ],
    'Retry-After': [COUNT, 'Seconds to wait before the request is sent again.', 42],
    Allow: [METHODS, 'The methods of this path.', 'GET, HEAD, POST, OPTIONS'],
  }),
  ...headers(
    {
      Accept: [MEDIA_TYPES, 'The content types that may be sent, where that was wrong.', 'application/json'],
      'Accept-Patch': [
        MEDIA_TYPES,
        'The content types that a PATCH of this path may be sent as; none where there is no PATCH (RFC 5789).',
        'application/merge-patch+json, application/json',
      ],
      'Accept-Encoding': [oneOf('identity'), 'The content coding to send, where that was wrong.', 'identity'],
    },
    { required: false },
  ),
};

/** On a 409 that ends by itself; not required, since others do not. */
export const conflictHeaders: Headers = {
  'Retry-After': defineHeader('Retry-After-running', {
    description: 'Seconds to wait, where a request with the same Idempotency-Key is still running.',
    required: false,
    schema: COUNT,
    example: 1,
  }),
};

/** The headers of those names, which belong to some refusals only. */
export function refusalHeaders(
  ...names: readonly ('WWW-Authenticate' | 'Retry-After' | 'Allow' | 'Accept' | 'Accept-Patch' | 'Accept-Encoding')[]
): Headers {
  return Object.fromEntries(Object.entries(refusals).filter(([name]) => names.some((wanted) => wanted === name)));
}

/** Headers that an operation says its answer may have, by what each tells. */
export function furtherHeaders(described: Readonly<Record<string, string>>): Headers {
  return Object.fromEntries(
    Object.entries(described).map(([name, description]) => [name, { description, required: false, schema: ANY_VALUE }]),
  );
}
