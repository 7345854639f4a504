import { errorTable, type ErrorCode, type ErrorDefinition } from './application-error.js';

/** The explanation of an error code, beside the message of a response. */
export interface ErrorExplanation {
  readonly code: string;
  readonly status: number;
  readonly meaning: string;
  /** What a client does about it, and whether to send the request again. */
  readonly remedy: string;
}

const ofTable: Readonly<Record<ErrorCode, readonly [meaning: string, remedy: string]>> = {
  invalid_request: [
    'The body, or the request as HTTP, is not right. The message names every member at fault.',
    'Correct the request. As it is, it is refused again.',
  ],
  invalid_parameter: [
    'A value in the path, the query or a header is not right. The message names every one at fault.',
    'Correct the values. As it is, the request is refused again.',
  ],
  unauthorized: [
    'There is no valid API key: none was sent, or not as one bearer token, or it is mistyped, revoked, expired or of another deployment.',
    'Send a valid key as `Authorization: Bearer <API_KEY>`. With the same key the request is refused again.',
  ],
  insufficient_scope: [
    'The API key is valid, but lacks the scope that this operation needs.',
    'Use a key with the scope that the message names. With the same key the request is refused again.',
  ],
  not_found: [
    'There is nothing at this path, or what it names was removed or belongs to another API key.',
    'Check the path and the id. Do not send the request again as it is.',
  ],
  method_not_allowed: ['The path exists, but has no such method.', 'Use one of the methods that `Allow` names.'],
  not_acceptable: [
    '`Accept` excludes every media type of the response.',
    'Accept `application/json`, or one of the other forms that the operation is described with.',
  ],
  request_timeout: [
    'The request did not arrive in time, so that nothing was done.',
    'Send it again on a new connection, its head and body without a pause.',
  ],
  idempotency_key_in_progress: [
    'An earlier request with this `Idempotency-Key` is still running.',
    'Send the same request again after the seconds of `Retry-After`; it then gets the answer of the earlier one.',
  ],
  conflict: [
    'Others changed the same thing first, several times in a row. Nothing was done.',
    'Send the request again after a short pause of random length.',
  ],
  gone: [
    'The operation was removed; `Sunset` tells since when.',
    'Use what `Link` names with `rel="successor-version"`. Do not send it again.',
  ],
  log_rewound: [
    'There is no event at the position: the log lost it in a failover or a restore, or ends before it. The message says up to which position both agree.',
    'Drop the data from later events, and continue from the position in the message.',
  ],
  precondition_failed: [
    '`If-Match` names no entity tag that holds: it was changed meanwhile. Or `If-None-Match` of a write names what is there. Nothing was done.',
    'Read it again, decide again, and send the request with the `ETag` that holds.',
  ],
  payload_too_large: ['The body is over the limit of this service.', 'Send less. As it is, the request is refused again.'],
  uri_too_long: ['Path and query are over 8,192 bytes.', 'Shorten the query. As it is, the request is refused again.'],
  unsupported_media_type: [
    'The body is not sent as a content type that the operation takes, not in UTF-8, or with a coding such as gzip.',
    'Send it as `Accept` or `Accept-Patch` of the answer names it, and without `Content-Encoding`.',
  ],
  expectation_failed: ['`Expect` asks for something that the service does not know.', 'Leave `Expect` out, or send `100-continue`.'],
  idempotency_key_reused: [
    'This `Idempotency-Key` came before, with other values.',
    'Use a new key for a new request, and the old values to repeat the old one.',
  ],
  rate_limited: [
    'The limit of the plan, or of the address, is used up. The request was not carried out.',
    'Wait for the seconds of `Retry-After`, then send it again. A key that does not wait is banned for a while.',
  ],
  key_banned: [
    'The API key continued to send after `rate_limited`, and is refused for a while.',
    'Stop sending for the seconds of `Retry-After`, then continue more slowly. The next ban may be longer.',
  ],
  headers_too_large: [
    'The head of the request is over 16,384 bytes.',
    'Send fewer or shorter headers. As it is, the request is refused again.',
  ],
  internal_error: [
    'The service failed by a mistake of its own.',
    'Report the `X-Request-Id` of the response to the operator. Repeat a request that creates something only with its `Idempotency-Key`.',
  ],
  not_implemented: ['The body has a `Transfer-Encoding` other than `chunked`.', 'Send it chunked, or with a `Content-Length`.'],
  service_unavailable: [
    'The service cannot answer at the moment, or has too much to do. Nothing was changed unless the message says that this is not known.',
    'Wait for the seconds of `Retry-After`, then send it again, and wait longer each time. Repeat what makes something with the same `Idempotency-Key`.',
  ],
  http_version_not_supported: ['The request is neither HTTP/1.1 nor HTTP/1.0.', 'Send it as HTTP/1.1.'],
};

/** Explains every code that can leave the service, in ascending order of status. */
export function explainErrors(ofModules: readonly ErrorDefinition[]): ErrorExplanation[] {
  const ofService = (Object.keys(ofTable) as ErrorCode[]).map((code): ErrorExplanation => {
    const [meaning, remedy] = ofTable[code];
    return { code, status: errorTable[code], meaning, remedy };
  });
  const others = ofModules.map(({ code, status, description, remedy }): ErrorExplanation => {
    return { code, status, meaning: description, remedy };
  });
  return [...ofService, ...others].sort((left, right) => left.status - right.status);
}
