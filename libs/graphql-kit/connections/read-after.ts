import type { ListCursor } from './list-cursor.js';

/**
 * The `after` of a page's query: none for the first page.
 * @throws ApplicationError `invalid_parameter`
 */
export function readAfter(cursor: ListCursor, after: string | null | undefined): { readonly after?: bigint } {
  return typeof after === 'string' ? { after: cursor.decode(after) } : {};
}
