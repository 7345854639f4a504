import type { HeaderObject } from '@nestjs/swagger';
import { defineHeader } from './components.js';

export type Headers = Readonly<Record<string, HeaderObject | { readonly $ref: string }>>;

type Definitions = Readonly<Record<string, readonly [type: 'string' | 'integer', description: string, example: string | number]>>;

/** Headers by name, each defined once as a component. `required`: every answer that is said to have them has them. */
function headers(definitions: Definitions, { required }: { readonly required: boolean } = { required: true }) {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, [type, description, example]]) => [
      name,
      defineHeader(name, { description, required, schema: { type }, example }),
    ]),
  ) satisfies Headers;
}

/** On every answer under `/v1`. */
export const generalHeaders: Headers = headers({
  'X-Request-Id': [
    'string',
    'The id of this request, in the log too; one the client sent is kept.',
    '0b6c1a52-6f0e-4b39-9d0a-4a3f6b1c2d3e',
  ],
  'Cache-Control': ['string', 'An answer may be kept by its client alone, which asks again before it uses it.', 'private, no-cache'],
  'X-Content-Type-Options': ['string', 'The content type is to be taken as it is sent.', 'nosniff'],
  'X-RateLimit-Limit': ['integer', 'Requests in the window that has fewer left.', 60],
  'X-RateLimit-Remaining': ['integer', 'Requests left in that window.', 59],
  'X-RateLimit-Reset': ['integer', 'The end of that window in unix seconds.', 1767225660],
  'RateLimit-Policy': ['string', 'The windows: requests (q) in seconds (w).', '"minute";q=60;w=60, "day";q=1000;w=86400'],
  RateLimit: [
    'string',
    'What is left: requests (r) and seconds (t) in each window and, during a ban, in the ban.',
    '"minute";r=59;t=42, "day";r=812;t=30511',
  ],
});

/** On every refusal. */
export const helpHeader: Headers = {
  Link: defineHeader('Link-help', {
    description: 'What the code means and what to do about it, with rel="help" (RFC 8288).',
    required: true,
    schema: { type: 'string' },
    example: '</docs/errors#not_found>; rel="help"',
  }),
};

/** On the 200, 304 and 412 of a read, and where a write takes a precondition on what it changed and on its 412. */
export const entityTagHeader: Headers = headers({
  ETag: ['string', 'The validator of what there is, for If-None-Match and If-Match (RFC 9110 section 8.8.3).', '"pXyVb0aZ3rQ1mD8o"'],
});

/** The same where the answer has other forms, not all of which have a validator. */
export const optionalEntityTagHeader: Headers = {
  ETag: defineHeader('ETag-of-some', {
    description: 'The validator of what there is, for If-None-Match and If-Match; none on what has no end, such as a stream.',
    required: false,
    schema: { type: 'string' },
    example: '"pXyVb0aZ3rQ1mD8o"',
  }),
};

/** On a page that another one follows. */
export const nextPageHeader: Headers = {
  Link: defineHeader('Link-next', {
    description: 'The next page, with rel="next"; none on the last page (RFC 8288).',
    schema: { type: 'string' },
    example: '</v1/things?limit=20&cursor=MTd-Zm9v>; rel="next"',
  }),
};

/** On the refusal of a page that another one follows. */
export const nextPageAndHelpHeader: Headers = {
  Link: defineHeader('Link-next-and-help', {
    description: 'The next page, with rel="next", while there is one, and what the code means, with rel="help".',
    required: true,
    schema: { type: 'string' },
    example: '</v1/things?limit=20&cursor=MTd-Zm9v>; rel="next", </docs/errors#precondition_failed>; rel="help"',
  }),
};

/** On what was created. */
export const createdHeaders: Headers = headers({ Location: ['string', 'The path of what was created.', '/v1/things/17'] });

/** On what may repeat an earlier answer. */
export const replayedHeader: Headers = headers(
  {
    'Idempotency-Replayed': ['string', '`true` when this repeats the answer to an earlier request with the same Idempotency-Key.', 'true'],
  },
  { required: false },
);

/** On every answer of a deprecated operation; not required, since a path that cannot be decoded gets its 400 before it has one. */
export const deprecationHeaders: Headers = {
  ...headers(
    {
      Deprecation: ['string', 'Since when the operation is deprecated, in unix seconds (RFC 9745).', '@1764892800'],
      Sunset: ['string', 'From when on the operation answers 410 (RFC 8594).', 'Thu, 05 Dec 2030 00:00:00 GMT'],
    },
    { required: false },
  ),
  Link: defineHeader('Link-successor-version', {
    description: 'What to use instead, with rel="successor-version" (RFC 5829).',
    schema: { type: 'string' },
    example: '</v1/things>; rel="successor-version"',
  }),
};

/** On the refusals of a deprecated operation, once its handler is reached. */
export const deprecationAndHelpHeaders: Headers = {
  ...deprecationHeaders,
  Link: defineHeader('Link-successor-version-and-help', {
    description: 'What to use instead, with rel="successor-version", and what the code means, with rel="help".',
    required: true,
    schema: { type: 'string' },
    example: '</v1/things>; rel="successor-version", </docs/errors#gone>; rel="help"',
  }),
};

const refusals: Headers = {
  ...headers({
    'WWW-Authenticate': ['string', 'How to authenticate (RFC 6750).', 'Bearer realm="adoption"'],
    'Retry-After': ['integer', 'Seconds to wait before the request is sent again.', 42],
    Allow: ['string', 'The methods of this path.', 'GET, HEAD, POST, OPTIONS'],
  }),
  ...headers(
    {
      Accept: ['string', 'The content types that may be sent, where that was wrong.', 'application/json'],
      'Accept-Patch': [
        'string',
        'The content types that a PATCH of this path may be sent as; none where there is no PATCH (RFC 5789).',
        'application/merge-patch+json, application/json',
      ],
      'Accept-Encoding': ['string', 'The content coding to send, where that was wrong.', 'identity'],
    },
    { required: false },
  ),
};

/** On a 409 that ends by itself; not required, since others do not. */
export const conflictHeaders: Headers = {
  'Retry-After': defineHeader('Retry-After-running', {
    description: 'Seconds to wait, where a request with the same Idempotency-Key is still running.',
    required: false,
    schema: { type: 'integer' },
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
    Object.entries(described).map(([name, description]) => [name, { description, required: false, schema: { type: 'string' } }]),
  );
}
