import { ArgsType, Field, Int } from '@nestjs/graphql';
import { decodeCursor, encodeCursor, LARGEST_LIMIT, type CursorFilter } from '#libs/api-kit';
import { ApplicationError } from '#libs/errors';
import type { Page, PageRange } from '#libs/projections';
import type { Connection } from './connection.type.js';

export const DEFAULT_FIRST = 20;

/** The arguments of a list. A class that extends it adds what its list is filtered by. */
@ArgsType()
export class ConnectionArguments {
  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_FIRST,
    description: `How many items to give at most, from 1 to ${LARGEST_LIMIT}.`,
  })
  readonly first?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Go on after the item with this cursor; the other arguments must be those it was given with.',
  })
  readonly after?: string | null;
}

/** What a page of a list was asked for. Each of its cursors stands for a place in that list and is of no use in another one. */
export class ConnectionRequest<Filter extends object> {
  /** For the query of the read model. */
  readonly range: PageRange & Filter;
  private readonly boundTo: CursorFilter;

  /**
   * @param list the field's name
   * @param filter what decides what is in the list
   * @throws ApplicationError `invalid_parameter` for a number out of range, and a cursor that was changed or belongs to another list
   */
  constructor(
    private readonly list: string,
    { first, after }: ConnectionArguments,
    filter: Filter,
  ) {
    const texts = Object.entries(filter).map(([name, value]: [string, string | bigint | undefined]) => [name, value?.toString()]);
    this.boundTo = { ...(Object.fromEntries(texts) as CursorFilter), list };
    this.range = { limit: readFirst(first), ...(typeof after === 'string' && { after: this.decode(after) }), ...filter };
  }

  /**
   * A cursor is made when its field is read, since most queries ask for none.
   * @param numberOf what stands for an item in the order of the list, such as its id
   */
  connection<Item, Node>(page: Page<Item>, toNode: (item: Item) => Node, numberOf: (item: Item) => bigint): Connection<Node> {
    const { boundTo } = this;
    const edges = page.items.map((item) => ({
      get cursor() {
        return encodeCursor(numberOf(item), boundTo);
      },
      node: toNode(item),
    }));
    return {
      edges,
      nodes: edges.map(({ node }) => node),
      pageInfo: {
        hasNextPage: page.next !== undefined,
        hasPreviousPage: this.range.after !== undefined,
        get startCursor() {
          return edges.at(0)?.cursor ?? null;
        },
        get endCursor() {
          return edges.at(-1)?.cursor ?? null;
        },
      },
    };
  }

  private decode(cursor: string): bigint {
    try {
      return decodeCursor(cursor, this.boundTo);
    } catch (error) {
      const message = `after is not a cursor of this list; take a cursor of ${this.list} unchanged, with the same filter.`;
      throw new ApplicationError('invalid_parameter', message, { cause: error });
    }
  }
}

/**
 * Reads how many items are asked for. Null counts as not given.
 * @throws ApplicationError `invalid_parameter` for a number out of range
 */
export function readFirst(first: number | null | undefined, otherwise = DEFAULT_FIRST): number {
  if (first === null || first === undefined) return otherwise;
  if (first >= 1 && first <= LARGEST_LIMIT) return first;
  throw new ApplicationError('invalid_parameter', `first must be an integer from 1 to ${LARGEST_LIMIT}.`);
}
