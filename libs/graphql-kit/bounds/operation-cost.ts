import { type DocumentNode, type FieldNode, Kind, type OperationDefinitionNode } from 'graphql';
import { LARGEST_LIMIT } from '#libs/api-kit';
import { fragmentsOf, SelectionMeasure } from './fragments.js';

export interface OperationToCost {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The variables as they were coerced, defaults included. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The names of the fields that take `first`, with its default. */
  readonly pagedFields: ReadonlyMap<string, number>;
}

/** What an operation costs: one for a field, times `first` of every list above it. */
export function costOf({ document, operation, variables, pagedFields }: OperationToCost): number {
  const measure = new SelectionMeasure<number>(fragmentsOf(document), {
    nothing: 0,
    combine: (left, right) => left + right,
    ofField: (field, below) => 1 + factorOf(field, { variables, pagedFields }) * below(),
  });
  return measure.of(operation.selectionSet);
}

function factorOf(field: FieldNode, { variables, pagedFields }: Pick<OperationToCost, 'variables' | 'pagedFields'>): number {
  const usual = pagedFields.get(field.name.value);
  return usual === undefined ? 1 : pageSize(field, variables, usual);
}

/** A `first` that is out of range is refused by the field itself; here it is brought into it. */
function pageSize({ arguments: given = [] }: FieldNode, variables: Readonly<Record<string, unknown>>, usual: number): number {
  const first = given.find(({ name }) => name.value === 'first')?.value;
  const value = first?.kind === Kind.VARIABLE ? variables[first.name.value] : first?.kind === Kind.INT ? Number(first.value) : undefined;
  return typeof value === 'number' ? Math.min(Math.max(value, 1), LARGEST_LIMIT) : usual;
}
