import type { Type } from '@nestjs/common';
import { Field, ObjectType } from '@nestjs/graphql';

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

/** One page of a list, as the Relay specification of connections has it. */
export interface Connection<Node> {
  readonly edges: readonly Edge<Node>[];
  readonly nodes: readonly Node[];
  readonly pageInfo: PageInfo;
}

/** The class of a page of nodes, for a type `NAMEConnection` to extend; it adds the type `NAMEEdge`. */
export function connectionOf<Node extends object>(node: Type<Node>, name: string): abstract new () => Connection<Node> {
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
