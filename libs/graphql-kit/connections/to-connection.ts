import type { Connection } from './connection.type.js';

/** What a query answered for a page. */
export interface Page<Node> {
  /** Each with the id that its cursor stands for, in the order of the list. */
  readonly items: readonly { readonly id: bigint; readonly node: Node }[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

export function toConnection<Node>(page: Page<Node>, cursor: { encode(id: bigint): string }): Connection<Node> {
  const edges = page.items.map(({ id, node }) => ({ cursor: cursor.encode(id), node }));
  return {
    edges,
    nodes: page.items.map(({ node }) => node),
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: page.hasPreviousPage,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
