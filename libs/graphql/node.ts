import { Args, Context, Field, ID, Info, InterfaceType, Query, Resolver } from '@nestjs/graphql';
import { getNamedType, isObjectType, type GraphQLResolveInfo, type GraphQLSchema } from 'graphql';

/** What `node(id:)` finds. A type that implements it has a query of its own by `id`, named like the category of its streams. */
@InterfaceType('Node', {
  description: 'What `node` finds by an id that is unique among all types.',
  resolveType: ({ nodeId }: NodeType, _context: unknown, { schema }: GraphQLResolveInfo) => findQuery(schema, nodeId)?.typeName,
})
export abstract class NodeType {
  @Field(() => ID, { description: 'The id for `node`: the name of its stream, such as `pet-17` or `api-key-7`.' })
  readonly nodeId!: string;

  /** The moment up to which its history is read; undefined for all of it. */
  readonly asOf?: Date | undefined;
}

/** Finds objects of any type by the names of their streams. */
@Resolver()
export class NodeResolver {
  @Query(() => NodeType, {
    nullable: true,
    description: 'What has this `nodeId`, of whichever type; null if there is none.',
  })
  node(
    @Args('id', { type: () => ID, description: 'The `nodeId`, such as `pet-17`; the `stream` of an event is one too.' }) nodeId: string,
    @Context() context: unknown,
    @Info() info: GraphQLResolveInfo,
  ): unknown {
    const query = findQuery(info.schema, nodeId);
    return query?.field.resolve?.(undefined, { id: query.id }, context, info) ?? null;
  }
}

const NODE_ID = /^([a-z]+(?:-[a-z]+)*)-([1-9]\d{0,18})$/;

/** Returns the query that gives the object with this id, such as `apiKey` for `api-key-7`; undefined if no type has such ids. */
function findQuery(schema: GraphQLSchema, nodeId: string) {
  const [, category = '', id = ''] = NODE_ID.exec(nodeId) ?? [];
  const name = category.replace(/-[a-z]/g, ([, letter = '']) => letter.toUpperCase());
  const field = schema.getQueryType()?.getFields()[name];
  const type = getNamedType(field?.type);
  const isNode = isObjectType(type) && type.getInterfaces().some((each) => each.name === 'Node');
  return field && isNode && field.args.some((argument) => argument.name === 'id') ? { field, id, typeName: type.name } : undefined;
}
