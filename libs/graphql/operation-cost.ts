import {
  getVariableValues,
  Kind,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { LARGEST_LIMIT } from '#libs/http';
import { BOUNDS } from './bounds.js';
import { measureOperation } from './selection-measure.js';

/** Cost of a field that gives a value. */
const VALUE = 1;
/** Cost of a field with fields below it, which is loaded or looked up. */
const OBJECT = 10;
/** Cost of an item of a page, which is read whatever is selected of it. */
const ITEM = 5;

/** The arguments that say how many items a field gives, and the largest values that they take; cost bounds the others. */
const PAGE_SIZES: ReadonlyMap<string, number> = new Map([
  ['first', LARGEST_LIMIT],
  ['last', LARGEST_LIMIT],
  ['days', Infinity],
]);

/** A list on the path to a field, with the argument that sets its size. */
interface MeasuredList {
  readonly name: string;
  readonly argument: string;
}

/** The cost of a list or a root field with what is below it, without the lists below it. */
interface Part {
  /** Response names from the root. */
  readonly path: readonly string[];
  readonly cost: number;
  /** The lists on the path with more than one item. */
  readonly lists: readonly MeasuredList[];
}

/** The cost of a selection. */
interface Cost {
  readonly total: number;
  /** The cost without that of the lists below. */
  readonly own: number;
  /** The part that costs most among the lists below. */
  readonly heaviest: Part | undefined;
}

/**
 * Says that an operation with these variables exceeds the bound on cost, and why; undefined if it does not, and for variables that cannot be
 * coerced, which the execution refuses.
 */
export function findExcessCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> = {},
): string | undefined {
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (!coerced) return undefined;
  const { total, heaviest } = operationCost(schema, document, operation, coerced);
  if (total <= BOUNDS.cost) return undefined;
  return `The operation costs ${total}; the bound on cost is ${BOUNDS.cost}.${heaviest ? ` ${describePart(heaviest)}` : ''}`;
}

/**
 * Computes the cost of an operation: 1 for a value, 10 for a field with fields below it, 5 for each item of a page, each times the page
 * sizes of all lists above it.
 * @param variables coerced, with their defaults
 */
export function operationCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Cost {
  const root = schema.getRootType(operation.operation);
  return measureOperation<Cost>(schema, document, operation, {
    join: (costs) => ({
      total: costs.reduce((sum, { total }) => sum + total, 0),
      own: costs.reduce((sum, { own }) => sum + own, 0),
      heaviest: costs.map(({ heaviest }) => heaviest).reduce(heavier, undefined),
    }),
    ofField: (field, below, parent) => {
      const name = (field.alias ?? field.name).value;
      const page = readPageSize(field, parent?.getFields()[field.name.value], variables);
      const size = page?.size ?? 1;
      const alone = (field.selectionSet ? OBJECT : VALUE) + (page ? ITEM * size : 0);
      const [total, own] = [alone + size * below.total, alone + size * below.own];
      const lists = page && size > 1 ? [{ name, argument: page.argument }] : [];
      const deeper = below.heaviest && {
        path: [name, ...below.heaviest.path],
        cost: size * below.heaviest.cost,
        lists: [...lists, ...below.heaviest.lists],
      };
      if (!page && parent !== root) return { total, own, heaviest: deeper };
      return { total, own: 0, heaviest: heavier({ path: [name], cost: own, lists }, deeper) };
    },
  });
}

function heavier(one: Part | undefined, other: Part | undefined): Part | undefined {
  return one && other ? (other.cost > one.cost ? other : one) : (one ?? other);
}

/** Names a part, its cost and what to lower. */
function describePart({ path, cost, lists: all }: Part): string {
  const lists = all.filter(
    (list, index) => all.findIndex(({ name, argument }) => name === list.name && argument === list.argument) === index,
  );
  const names = lists.map(({ name, argument }, index) => (argument === lists[index - 1]?.argument ? name : `\`${argument}\` of ${name}`));
  const last = names.pop();
  const lower = last === undefined ? '' : `lower ${names.length > 0 ? `${names.join(', ')} or ` : ''}${last}, or `;
  return `${path.join('.')} weighs most (${cost}): ${lower}ask for fewer fields below it.`;
}

/** How many items a field gives at most, and the argument that says so. */
interface PageSize {
  readonly size: number;
  readonly argument: string;
}

/** Returns the page size of a list, moved into the range outside of which the list refuses it; undefined for a field that gives no page. */
function readPageSize(
  { arguments: given = [] }: FieldNode,
  field: GraphQLField<unknown, unknown> | undefined,
  variables: Readonly<Record<string, unknown>>,
): PageSize | undefined {
  const sizes = given.flatMap(({ name: { value: argument }, value: node }): PageSize[] => {
    const largest = PAGE_SIZES.get(argument);
    const value = node.kind === Kind.VARIABLE ? variables[node.name.value] : node.kind === Kind.INT ? Number(node.value) : undefined;
    return largest === undefined || typeof value !== 'number' ? [] : [{ argument, size: Math.max(1, Math.min(value, largest)) }];
  });
  const [largest = defaultPageSize(field)] = sizes.sort((one, other) => other.size - one.size);
  return largest;
}

/** Returns the page size that holds without an argument; undefined for a field that takes none of these arguments. */
function defaultPageSize(field: GraphQLField<unknown, unknown> | undefined): PageSize | undefined {
  const sizes = field?.args.filter(({ name }) => PAGE_SIZES.has(name)) ?? [];
  const usual = sizes.find(({ defaultValue }) => typeof defaultValue === 'number') ?? sizes[0];
  return usual && { argument: usual.name, size: typeof usual.defaultValue === 'number' ? usual.defaultValue : LARGEST_LIMIT };
}
