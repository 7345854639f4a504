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
import { selectionMeasure } from './selection-measure.js';

/** Cost of a field that gives a value. */
const VALUE = 1;
/** Cost of a field with fields below it, which is loaded or looked up. */
const OBJECT = 10;
/** Cost of an item of a page, which is read whatever is selected of it. */
const ITEM = 5;

/** The arguments that say how many items a field gives. */
const PAGE_SIZES = ['first', 'last', 'days'] as const;

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
  const measure = selectionMeasure<Cost>(
    document,
    {
      nothing: { total: 0, own: 0, heaviest: undefined },
      combine: (left, right) => ({
        total: left.total + right.total,
        own: left.own + right.own,
        heaviest: heavier(left.heaviest, right.heaviest),
      }),
      ofField: (field, measureBelow, parent) => {
        const below = measureBelow();
        const name = (field.alias ?? field.name).value;
        const usual = defaultPageSize(parent?.getFields()[field.name.value]);
        const weight = field.selectionSet ? OBJECT : VALUE;
        const { size, argument } = usual === undefined ? SINGLE : readPageSize(field, variables, usual);
        const items = usual === undefined ? 0 : ITEM * size;
        const own = weight + items + size * below.own;
        const lists = size > 1 ? [{ name, argument }] : [];
        const deeper = below.heaviest && {
          path: [name, ...below.heaviest.path],
          cost: size * below.heaviest.cost,
          lists: [...lists, ...below.heaviest.lists],
        };
        const isPart = usual !== undefined || parent === root;
        return {
          total: weight + items + size * below.total,
          own: isPart ? 0 : own,
          heaviest: isPart ? heavier({ path: [name], cost: own, lists }, deeper) : deeper,
        };
      },
    },
    schema,
  );
  return measure(operation.selectionSet, root);
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

const SINGLE: PageSize = { size: 1, argument: '' };

/** Returns the page size of a list, moved into the range outside of which the list refuses it. */
function readPageSize({ arguments: given = [] }: FieldNode, variables: Readonly<Record<string, unknown>>, usual: PageSize): PageSize {
  const sizes = given.flatMap(({ name: { value: argument }, value: node }): PageSize[] => {
    if (!isPageSize(argument)) return [];
    const value = node.kind === Kind.VARIABLE ? variables[node.name.value] : node.kind === Kind.INT ? Number(node.value) : undefined;
    if (typeof value !== 'number') return [];
    return [{ argument, size: Math.max(argument === 'days' ? value : Math.min(value, LARGEST_LIMIT), 1) }];
  });
  return sizes.reduce((largest, each) => (each.size > largest.size ? each : largest), sizes[0] ?? usual);
}

function isPageSize(argument: string): boolean {
  return PAGE_SIZES.some((name) => name === argument);
}

/** Returns the page size that holds without an argument; undefined for a field that takes none of these arguments. */
function defaultPageSize(field: GraphQLField<unknown, unknown> | undefined): PageSize | undefined {
  const sizes = field?.args.filter(({ name }) => isPageSize(name)) ?? [];
  const usual = sizes.find(({ defaultValue }) => typeof defaultValue === 'number') ?? sizes[0];
  return usual && { argument: usual.name, size: typeof usual.defaultValue === 'number' ? usual.defaultValue : LARGEST_LIMIT };
}
