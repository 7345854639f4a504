export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** On every answer unless a handler says otherwise. */
export const ANSWER_HEADERS = { 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' } as const;
