import { decodeCursor, encodeCursor, type CursorFilter } from '#libs/api-kit';
import { ApplicationError } from '#libs/errors';

/** The cursors of one list as it was asked for: each stands for a place in it and is of no use in another list. */
export class ListCursor {
  /**
   * @param list the field's name
   * @param filter the arguments that decide what is in the list
   */
  constructor(
    private readonly list: string,
    private readonly filter: CursorFilter,
  ) {}

  encode(id: bigint): string {
    return encodeCursor(id, this.boundTo());
  }

  /** @throws ApplicationError `invalid_parameter` for a cursor that was changed or belongs to another list. */
  decode(cursor: string): bigint {
    try {
      return decodeCursor(cursor, this.boundTo());
    } catch (error) {
      const message = `after is not a cursor of this list; take a cursor of ${this.list} unchanged, with the same filter.`;
      throw new ApplicationError('invalid_parameter', message, { cause: error });
    }
  }

  private boundTo(): CursorFilter {
    return { ...this.filter, list: this.list };
  }
}

/**
 * The `after` of a page's query: none for the first page.
 * @throws ApplicationError `invalid_parameter`
 */
export function readAfter(cursor: ListCursor, after: string | null | undefined): { readonly after?: bigint } {
  return typeof after === 'string' ? { after: cursor.decode(after) } : {};
}
