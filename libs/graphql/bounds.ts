import { Kind, type DocumentNode, type FieldNode, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import { measureOperation, type SelectionRules } from './selection-measure.js';

/** How large a document may be. The parser bounds tokens, the validation mistakes and comparisons. */
export const BOUNDS = {
  tokens: 1_000,
  /** Levels of fields; a root field is on level 1. */
  depth: 8,
  /** Levels below `__schema` and `__type`, whose standard query is deep. */
  introspectionDepth: 16,
  aliases: 15,
  /** Validation errors that are reported; then validation stops. */
  mistakes: 100,
  /** Comparisons that graphql-js spends on fields that cannot be merged: two for each two fields of one name. */
  comparisons: 500_000,
  /** About 1.5 µs each at worst, so that no operation holds the event loop for 300 ms. */
  cost: 150_000,
} as const;

/** Levels of fields outside introspection, levels of fields with introspection, and aliases. */
interface Shape {
  readonly depth: number;
  readonly introspectionDepth: number;
  readonly aliases: number;
}

const shapeRules: SelectionRules<Shape> = {
  join: (shapes) => ({
    depth: Math.max(0, ...shapes.map(({ depth }) => depth)),
    introspectionDepth: Math.max(0, ...shapes.map(({ introspectionDepth }) => introspectionDepth)),
    aliases: shapes.reduce((sum, { aliases }) => sum + aliases, 0),
  }),
  ofField: (field, { depth, introspectionDepth, aliases }, parent) => {
    const isIntrospection = field.name.value === '__schema' || field.name.value === '__type';
    const level = isStepOfConnection(field, parent) ? 0 : 1;
    return {
      depth: isIntrospection ? 0 : depth + level,
      introspectionDepth: isIntrospection ? 1 + Math.max(depth, introspectionDepth) : introspectionDepth && introspectionDepth + 1,
      aliases: aliases + (field.alias === undefined ? 0 : 1),
    };
  },
};

/** Says which bound of depth and aliases an operation of the document exceeds; undefined if none. The document may be invalid. */
export function findExcessShape(schema: GraphQLSchema, document: DocumentNode): string | undefined {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, introspectionDepth, aliases } = measureOperation(schema, document, definition, shapeRules);
    if (depth > BOUNDS.depth) return `The operation is ${depth} levels deep; the bound on depth is ${BOUNDS.depth}.`;
    if (introspectionDepth > BOUNDS.introspectionDepth) {
      return `The introspection is ${introspectionDepth} levels deep; its bound on depth is ${BOUNDS.introspectionDepth}.`;
    }
    if (aliases > BOUNDS.aliases) return `The operation has ${aliases} aliases; the bound is ${BOUNDS.aliases}.`;
  }
  return undefined;
}

/** Whether a field only leads from a connection to its items: `edges` of a connection, `node` of an edge. */
function isStepOfConnection({ name }: FieldNode, parent: GraphQLObjectType | undefined): boolean {
  if (name.value === 'edges') return parent?.name.endsWith('Connection') ?? false;
  return name.value === 'node' && (parent?.name.endsWith('Edge') ?? false);
}
