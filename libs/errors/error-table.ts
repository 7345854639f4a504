/** Every error code of the service with its HTTP status. REST bodies and GraphQL `extensions.code` use the same names. */
export const errorTable = {
  invalid_request: 400,
  invalid_parameter: 400,
  unauthorized: 401,
  insufficient_scope: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  request_timeout: 408,
  idempotency_key_in_progress: 409,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  expectation_failed: 417,
  idempotency_key_reused: 422,
  rate_limited: 429,
  key_banned: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  service_unavailable: 503,
  http_version_not_supported: 505,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorTable;
