/** An error code. */
export interface ErrorDefinition {
  readonly code: string;
  readonly status: number;
  /** What it means. */
  readonly description: string;
  /** What a client does about it, and whether to send the request again. */
  readonly remedy: string;
}

/** Error codes by their names. */
export type ErrorCodes = Readonly<Record<string, ErrorDefinition>>;

/** Defines codes, in lower snake case. */
export function errorCodes<Code extends string>(
  definitions: Readonly<Record<Code, Omit<ErrorDefinition, 'code'>>>,
): Readonly<Record<Code, ErrorDefinition>> {
  const entries = Object.entries<Omit<ErrorDefinition, 'code'>>(definitions);
  return Object.fromEntries(entries.map(([code, definition]) => [code, { code, ...definition }])) as Record<Code, ErrorDefinition>;
}

/** The error codes of the libraries, beside which modules have their own. REST bodies and GraphQL `extensions.code` use the same names. */
export const coreErrors = errorCodes({
  invalid_request: {
    status: 400,
    description: 'The body, or the request as HTTP, is not right. The message names every member at fault.',
    remedy: 'Correct the request. As it is, it is refused again.',
  },
  invalid_parameter: {
    status: 400,
    description: 'A value in the path, the query or a header is not right. The message names every one at fault.',
    remedy: 'Correct the values. As it is, the request is refused again.',
  },
  unauthorized: {
    status: 401,
    description:
      'There is no valid API key: none was sent, or not as one bearer token, or it is mistyped, revoked, expired or of another deployment.',
    remedy: 'Send a valid key as `Authorization: Bearer <API_KEY>`. With the same key the request is refused again.',
  },
  insufficient_scope: {
    status: 403,
    description: 'The API key is valid, but lacks the scope that this operation needs.',
    remedy: 'Use a key with the scope that the message names. With the same key the request is refused again.',
  },
  not_found: {
    status: 404,
    description: 'There is nothing at this path, or what it names was removed or belongs to another API key.',
    remedy: 'Check the path and the id. Do not send the request again as it is.',
  },
  method_not_allowed: {
    status: 405,
    description: 'The path exists, but has no such method.',
    remedy: 'Use one of the methods that `Allow` names.',
  },
  not_acceptable: {
    status: 406,
    description: '`Accept` excludes every media type of the response.',
    remedy: 'Accept `application/json`, or one of the other forms that the operation is described with.',
  },
  request_timeout: {
    status: 408,
    description: 'The request did not arrive in time, so that nothing was done.',
    remedy: 'Send it again on a new connection, its head and body without a pause.',
  },
  conflict: {
    status: 409,
    description: 'Others changed the same thing first, several times in a row. Nothing was done.',
    remedy: 'Send the request again after a short pause of random length.',
  },
  idempotency_key_in_progress: {
    status: 409,
    description: 'An earlier request with this `Idempotency-Key` is still running.',
    remedy: 'Send the same request again after the seconds of `Retry-After`; it then gets the answer of the earlier one.',
  },
  gone: {
    status: 410,
    description: 'The operation was removed; `Sunset` tells since when.',
    remedy: 'Use what `Link` names with `rel="successor-version"`. Do not send it again.',
  },
  log_rewound: {
    status: 410,
    description:
      'There is no event at the position: the log lost it in a failover or a restore, or ends before it. The message says up to which position both agree.',
    remedy: 'Drop the data from later events, and continue from the position in the message.',
  },
  precondition_failed: {
    status: 412,
    description:
      '`If-Match` names no entity tag that holds: it was changed meanwhile. Or `If-None-Match` of a write names what is there. Nothing was done.',
    remedy: 'Read it again, decide again, and send the request with the `ETag` that holds.',
  },
  payload_too_large: {
    status: 413,
    description: 'The body is over the limit of this service.',
    remedy: 'Send less. As it is, the request is refused again.',
  },
  uri_too_long: {
    status: 414,
    description: 'Path and query are over 8,192 bytes.',
    remedy: 'Shorten the query. As it is, the request is refused again.',
  },
  unsupported_media_type: {
    status: 415,
    description: 'The body is not sent as a content type that the operation takes, not in UTF-8, or with a coding such as gzip.',
    remedy: 'Send it as `Accept` or `Accept-Patch` of the answer names it, and without `Content-Encoding`.',
  },
  expectation_failed: {
    status: 417,
    description: '`Expect` asks for something that the service does not know.',
    remedy: 'Leave `Expect` out, or send `100-continue`.',
  },
  idempotency_key_reused: {
    status: 422,
    description: 'This `Idempotency-Key` came before, with other values.',
    remedy: 'Use a new key for a new request, and the old values to repeat the old one.',
  },
  rate_limited: {
    status: 429,
    description: 'The limit of the plan, or of the address, is used up. The request was not carried out.',
    remedy: 'Wait for the seconds of `Retry-After`, then send it again. A key that does not wait is banned for a while.',
  },
  key_banned: {
    status: 429,
    description: 'The API key continued to send after `rate_limited`, and is refused for a while.',
    remedy: 'Stop sending for the seconds of `Retry-After`, then continue more slowly. The next ban may be longer.',
  },
  headers_too_large: {
    status: 431,
    description: 'The head of the request is over 16,384 bytes.',
    remedy: 'Send fewer or shorter headers. As it is, the request is refused again.',
  },
  internal_error: {
    status: 500,
    description: 'The service failed by a mistake of its own.',
    remedy:
      'Report the `X-Request-Id` of the response to the operator. Repeat a request that creates something only with its `Idempotency-Key`.',
  },
  service_unavailable: {
    status: 503,
    description:
      'The service cannot answer at the moment, or has too much to do. Nothing was changed unless the message says that this is not known.',
    remedy:
      'Wait for the seconds of `Retry-After`, then send it again, and wait longer each time. Repeat what makes something with the same `Idempotency-Key`.',
  },
});

export type ErrorCode = keyof typeof coreErrors;
