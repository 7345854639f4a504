import type { Type } from '@nestjs/common';
import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';
import { decodeCursor, encodeCursor, LARGEST_LIMIT, type CursorFilter } from '#libs/http';
import { ApplicationError } from '#libs/observability';
import type { Page, PageRange } from '#libs/event-sourcing';

export const DEFAULT_FIRST = 20;

/** The arguments of a list. A class that extends it adds the filters of its list. */
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

@ObjectType({ description: 'Where a page stands in its list.' })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether items follow after this page.' })
  readonly hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether this page goes on after another one.' })
  readonly hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'The cursor of the first item, null on an empty page.' })
  readonly startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'The cursor of the last item, to give as `after`; null on an empty page.' })
  readonly endCursor!: string | null;
}

export interface Edge<Node> {
  readonly cursor: string;
  readonly node: Node;
}

/** One page of a list, as in the Relay specification of connections. */
export interface Connection<Node> {
  readonly edges: readonly Edge<Node>[];
  readonly nodes: readonly Node[];
  readonly pageInfo: PageInfo;
}

/** Returns the class that a type `NAMEConnection` extends; it adds the type `NAMEEdge`. */
export function connectionType<Node extends object>(node: Type<Node>, name: string): abstract new () => Connection<Node> {
  @ObjectType(`${name}Edge`, { description: 'An item of a list with its place in it.' })
  class NodeEdge {
    @Field(() => String, { description: 'The place of the item in its list, opaque.' })
    readonly cursor!: string;

    @Field(() => node, { description: 'The item.' })
    readonly node!: Node;
  }

  @ObjectType({ isAbstract: true })
  abstract class NodeConnection implements Connection<Node> {
    @Field(() => [NodeEdge], { description: 'The items of the page with their cursors.' })
    readonly edges!: readonly NodeEdge[];

    @Field(() => [node], { description: 'The items of the page.' })
    readonly nodes!: readonly Node[];

    @Field(() => PageInfo, { description: 'Where the page stands in its list.' })
    readonly pageInfo!: PageInfo;
  }
  return NodeConnection;
}

/** A request for a page of a list. Its cursors hold for the same list and filter only. */
export class ConnectionRequest<Filter extends object> {
  /** The range and filter for the read model. */
  readonly range: PageRange & Filter;
  private readonly boundTo: CursorFilter;

  /**
   * @param list the field's name
   * @throws ApplicationError `invalid_parameter` for a number out of range, and for a cursor that was changed or belongs to another list
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
   * Returns the page as a connection. Cursors are encoded when their field is read, since most queries ask for none.
   * @param numberOf returns the number by which items are ordered, such as the id
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
 * Reads the size of a page. Null counts as not given.
 * @throws ApplicationError `invalid_parameter` for a number out of range
 */
export function readFirst(first: number | null | undefined, otherwise = DEFAULT_FIRST): number {
  if (first === null || first === undefined) return otherwise;
  if (first >= 1 && first <= LARGEST_LIMIT) return first;
  throw new ApplicationError('invalid_parameter', `first must be an integer from 1 to ${LARGEST_LIMIT}.`);
}
