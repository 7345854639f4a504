import { Kind, type DocumentNode } from 'graphql';
import { BOUNDS } from './bounds.js';
import { fragmentsOf, SelectionMeasure } from './fragments.js';

interface Shape {
  /** Levels of fields outside introspection. */
  readonly depth: number;
  /** Levels of fields from the root down, where one of them is `__schema` or `__type`. */
  readonly introspectionDepth: number;
  readonly aliases: number;
}

const INTROSPECTION = new Set(['__schema', '__type']);

/** What is too much in a document, in words; undefined when it is within the bounds. Each of its operations is looked at. */
export function excessOf(document: DocumentNode): string | undefined {
  const measure = new SelectionMeasure<Shape>(fragmentsOf(document), {
    nothing: { depth: 0, introspectionDepth: 0, aliases: 0 },
    combine,
    ofField,
  });
  for (const definition of document.definitions) {
    const excess = definition.kind === Kind.OPERATION_DEFINITION ? excessOfShape(measure.of(definition.selectionSet)) : undefined;
    if (excess !== undefined) return excess;
  }
  return undefined;
}

function excessOfShape({ depth, introspectionDepth, aliases }: Shape): string | undefined {
  if (depth > BOUNDS.depth) return `The operation is ${depth} levels deep; the bound on depth is ${BOUNDS.depth}.`;
  if (introspectionDepth > BOUNDS.introspectionDepth) {
    return `The introspection is ${introspectionDepth} levels deep; its bound on depth is ${BOUNDS.introspectionDepth}.`;
  }
  return aliases > BOUNDS.aliases ? `The operation has ${aliases} aliases; the bound is ${BOUNDS.aliases}.` : undefined;
}

function combine(left: Shape, right: Shape): Shape {
  return {
    depth: Math.max(left.depth, right.depth),
    introspectionDepth: Math.max(left.introspectionDepth, right.introspectionDepth),
    aliases: left.aliases + right.aliases,
  };
}

function ofField(field: { readonly name: { readonly value: string }; readonly alias?: unknown }, below: () => Shape): Shape {
  const { depth, introspectionDepth, aliases } = below();
  const isIntrospection = INTROSPECTION.has(field.name.value);
  return {
    depth: isIntrospection ? 0 : depth + 1,
    introspectionDepth: isIntrospection ? 1 + Math.max(depth, introspectionDepth) : introspectionDepth && introspectionDepth + 1,
    aliases: aliases + (field.alias === undefined ? 0 : 1),
  };
}
