import type { Type } from '@nestjs/common';
import { ArgsType, Field, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { decodeCursor, encodeCursor, LARGEST_LIMIT, quoteGiven, type CursorFilter } from '#libs/http';
import { invalidParameter } from '#libs/observability';
import type { Page, PageRange } from '#libs/event-sourcing';

export const DEFAULT_FIRST = 20;

const ListOrder = { ID_ASC: 'id asc', ID_DESC: 'id desc', TIME_ASC: 'time asc', TIME_DESC: 'time desc' } as const;
type ListOrder = (typeof ListOrder)[keyof typeof ListOrder];

registerEnumType(ListOrder, {
  name: 'ListOrder',
  description: 'The order of a list.',
  valuesMap: {
    ID_ASC: { description: 'By the number of each item, ascending: the oldest first. With a filter by time as `TIME_ASC`.' },
    ID_DESC: { description: 'By the number of each item, descending: the newest first. With a filter by time as `TIME_DESC`.' },
    TIME_ASC: { description: 'By the time of each item, then its number, both ascending.' },
    TIME_DESC: { description: 'By the time of each item, then its number, both descending.' },
  },
});

/** The arguments of a list. A class that extends it adds the filters of its list. */
@ArgsType()
export class ConnectionArguments {
  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_FIRST,
    description: `How many items to give at most, from 1 to ${LARGEST_LIMIT}.`,
  })
  readonly first?: number | null | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Continue after the item with this cursor; the other arguments must be those of the page with the cursor.',
  })
  readonly after?: string | null | undefined;

  @Field(() => Int, {
    nullable: true,
    description: `The maximum number of last items, instead of the first ones, from 1 to ${LARGEST_LIMIT}. They stay in the order of the list.`,
  })
  readonly last?: number | null | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Give the items before the one with this cursor. Only with `last`; the other arguments must be those it was given with.',
  })
  readonly before?: string | null | undefined;

  @Field(() => ListOrder, { nullable: true, description: 'The order of the list. Default: the order in its description.' })
  readonly orderBy?: ListOrder | null | undefined;
}

@ObjectType({ description: 'Where a page stands in its list.' })
class PageInfo {
  @Field(() => Boolean, { description: 'Whether items follow after this page.' })
  readonly hasNextPage!: boolean;

  @Field(() => Boolean, { description: 'Whether items come before this page.' })
  readonly hasPreviousPage!: boolean;

  @Field(() => String, { nullable: true, description: 'The cursor of the first item, to give as `before`; null on an empty page.' })
  readonly startCursor!: string | null;

  @Field(() => String, { nullable: true, description: 'The cursor of the last item, to give as `after`; null on an empty page.' })
  readonly endCursor!: string | null;
}

/** The page of a list that nothing can match. */
export const EMPTY_PAGE: Page<never> = { items: [], next: undefined };

/**
 * Returns the class that a type `NAMEConnection` extends; it adds the type `NAMEEdge`. Its objects are pages of a list, as in the Relay
 * specification of connections.
 */
export function connectionType<Node extends object>(node: Type<Node>, name: string) {
  @ObjectType(`${name}Edge`, { description: 'An item of a list with its place in it.' })
  class NodeEdge {
    @Field(() => String, { description: 'The place of the item in its list, opaque.' })
    readonly cursor!: string;

    @Field(() => node, { description: 'The item.' })
    readonly node!: Node;
  }

  @ObjectType({ isAbstract: true })
  abstract class NodeConnection {
    @Field(() => [NodeEdge], { description: 'The items of the page with their cursors.' })
    readonly edges!: readonly NodeEdge[];

    @Field(() => [node], { description: 'The items of the page.' })
    readonly nodes!: readonly Node[];

    @Field(() => PageInfo, { description: 'Where the page stands in its list.' })
    readonly pageInfo!: PageInfo;

    /** Counted when it is read. */
    @Field(() => Int, { description: 'How many items there are on all pages together; counted only if it is asked for.' })
    readonly totalCount!: Promise<number>;
  }
  return NodeConnection;
}

type Connection<Node extends object> = InstanceType<ReturnType<typeof connectionType<Node>>>;

interface ConnectionRequestOptions {
  /** Default `id asc`. */
  readonly order?: ListOrder;
  /** Whether the list can be ordered by time otherwise than by its numbers. Default false: both are the same order. */
  readonly hasTimeOrder?: boolean;
}

/** A request for a page of a list. Its cursors hold for the same list, filter and order only. */
export class ConnectionRequest {
  /** The range for the read model; `after` is the number of the item where the page begins, in the order of the range. */
  readonly range: PageRange & { readonly orderBy?: 'time' };
  private readonly boundTo: CursorFilter;
  private readonly isBackward: boolean;

  /**
   * @param list the field's name
   * @param boundTo what the list is narrowed by; undefined and null members count as absent
   * @throws ApplicationError `invalid_parameter` for a number out of range, and for a cursor that was changed or belongs to another list
   */
  constructor(
    private readonly list: string,
    { first, after, last, before, orderBy }: ConnectionArguments,
    boundTo: object,
    { order = ListOrder.ID_ASC, hasTimeOrder = false }: ConnectionRequestOptions = {},
  ) {
    this.boundTo = { ...toTexts(boundTo), ...(orderBy && { orderBy }), list };
    const page = { first, after, last, before };
    assertOneDirection(page);
    this.isBackward = isGiven(last);
    const [size, cursor] = this.isBackward ? (['last', 'before'] as const) : (['first', 'after'] as const);
    const wanted = orderBy ?? order;
    this.range = {
      limit: readPageSize(size, page[size]),
      descending: wanted.endsWith('desc') !== this.isBackward,
      ...(isGiven(page[cursor]) && { after: this.decode(cursor, page[cursor]) }),
      ...(hasTimeOrder && wanted.startsWith('time') && { orderBy: 'time' }),
    };
  }

  /**
   * Returns the page as a connection, of which only the fields that are read are made: most queries ask for nodes without cursors.
   * @param numberOf returns the number by which items are ordered, such as the id
   */
  connection<Item, Node extends object>(
    page: Page<Item>,
    { toNode, numberOf, count }: { toNode: (item: Item) => Node; numberOf: (item: Item) => bigint; count: () => Promise<number> },
  ): Connection<Node> {
    const { boundTo, isBackward } = this;
    const items = isBackward ? page.items.toReversed() : page.items;
    const cursorOf = (item: Item) => encodeCursor(numberOf(item), boundTo);
    const [start, end] = [items.at(0), items.at(-1)];
    const [hasMore, hasCursor] = [page.next !== undefined, this.range.after !== undefined];
    return {
      get edges() {
        return items.map((item) => ({
          get cursor() {
            return cursorOf(item);
          },
          node: toNode(item),
        }));
      },
      get nodes() {
        return items.map((item) => toNode(item));
      },
      pageInfo: {
        hasNextPage: isBackward ? hasCursor : hasMore,
        hasPreviousPage: isBackward ? hasMore : hasCursor,
        get startCursor() {
          return start === undefined ? null : cursorOf(start);
        },
        get endCursor() {
          return end === undefined ? null : cursorOf(end);
        },
      },
      get totalCount() {
        return count();
      },
    };
  }

  private decode(argument: 'after' | 'before', cursor: string): bigint {
    try {
      return decodeCursor(cursor, this.boundTo);
    } catch (error) {
      const message = `${argument} is not a cursor of this list; take a cursor of ${this.list} unchanged, with the same filter and order`;
      throw invalidParameter(argument, 'cursor', message, { cause: error });
    }
  }
}

/** @throws ApplicationError `invalid_parameter` if arguments of both directions are given */
function assertOneDirection({ first, after, last, before }: ConnectionArguments): void {
  const refused = isGiven(last) ? isGiven(after) && 'after' : isGiven(before) && 'before';
  if (refused) throw invalidParameter(refused, 'exclusive', `${refused} cannot be given here: after goes with first, and before with last`);
  // The default value of `first`.
  if (isGiven(last) && isGiven(first) && first !== DEFAULT_FIRST) {
    throw invalidParameter('last', 'exclusive', 'first and last cannot be given together');
  }
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

function toTexts(members: object): CursorFilter {
  const given = Object.entries(members).filter(([, value]) => isGiven(value));
  return Object.fromEntries(given.map(([name, value]: [string, unknown]) => [name, toText(value)]));
}

/** A filter is written with its members in one order, whatever the order in which they were given. */
function toText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'bigint' || typeof value === 'number') return value.toString();
  const sorted = Object.entries(value as object).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted));
}

/**
 * Reads the size of a page. Null counts as not given.
 * @throws ApplicationError `invalid_parameter` for a number out of range
 */
export function readPageSize(argument: 'first' | 'last', size: number | null | undefined, otherwise = DEFAULT_FIRST): number {
  if (!isGiven(size)) return otherwise;
  if (size >= 1 && size <= LARGEST_LIMIT) return size;
  throw invalidParameter(argument, 'wholeNumber', `${argument} must be an integer from 1 to ${LARGEST_LIMIT}${quoteGiven(size)}`);
}
