/** How interfaces read the value of a filter. */
export type FilterInput =
  | { readonly kind: 'words'; readonly words: readonly string[]; readonly unset: string | undefined }
  | { readonly kind: 'ids' | 'text' | 'time' | 'boolean' };

/** A condition on the rows of a list. */
export type Condition =
  | { readonly kind: 'any'; readonly member: string; readonly values: readonly unknown[] }
  | { readonly kind: 'present'; readonly member: string }
  | { readonly kind: 'contains'; readonly member: string; readonly part: string }
  | { readonly kind: 'since' | 'before'; readonly member: string; readonly time: Date };

/** One way to narrow a list, from which parameters, inputs, documents and SQL are made. */
export interface Filter<Value = unknown> extends FilterOptions {
  /** The member of the rows that it looks at. */
  readonly member: string;
  readonly input: FilterInput;
  readonly toCondition: (value: Value) => Condition;
  /** The value that applies if none is given. */
  readonly otherwise?: unknown;
}

interface FilterOptions {
  readonly description: string;
  /** Name of the query parameter of REST. Default: the filter is not in REST. */
  readonly parameter?: string;
}

/** The filters of a list, by their names in inputs of GraphQL. */
export type Filters = Readonly<Record<string, Filter<never>>>;

/** The given values of filters. */
export type FilterValues<Of extends Filters> = {
  readonly [Name in keyof Of]?: (Of[Name] extends Filter<infer Value> ? Value : never) | undefined;
};

const any = (member: string, values: readonly unknown[]): Condition => ({ kind: 'any', member, values });

/** Makes a kind of filter, of the member that is named. */
function define<Value, Options extends FilterOptions = FilterOptions>(
  kind: 'ids' | 'text' | 'time' | 'boolean',
  toCondition: (member: string, value: Value) => Condition,
): (member: string, options: Options) => Filter<Value> {
  return (member, options) => ({ ...options, member, input: { kind }, toCondition: (value) => toCondition(member, value) });
}

/** The kinds of filters. The member of a time filter also gives the order by time, and must never change in a row. */
export const filter = {
  /** The member is one of these int64 numbers. */
  ids: define<readonly bigint[]>('ids', any),
  /** The member is one of these words; null stands for a member that is absent, and is written as `unset` in REST. */
  words: <Word extends string>(
    member: string,
    words: readonly Word[],
    { unset, ...options }: FilterOptions & { readonly unset?: string },
  ): Filter<readonly (Word | null)[]> => ({
    ...options,
    member,
    input: { kind: 'words', words, unset },
    toCondition: (values) => any(member, values),
  }),
  /** The member is there, or is absent. */
  present: define<boolean>('boolean', (member, isPresent) => (isPresent ? { kind: 'present', member } : any(member, [null]))),
  /** The member is true or false. */
  flag: define<boolean, FilterOptions & { readonly otherwise?: boolean }>('boolean', (member, value) => any(member, [value])),
  /** The member, a folded text, contains this one. */
  contains: define<string>('text', (member, part) => ({ kind: 'contains', member, part })),
  /** The member is this moment or a later one. */
  since: define<Date>('time', (member, time) => ({ kind: 'since', member, time })),
  /** The member is earlier than this moment. */
  before: define<Date>('time', (member, time) => ({ kind: 'before', member, time })),
};

/** Returns the conditions of the values that are given, and of those that apply otherwise. */
export function toConditions(filters: Filters, values: Readonly<Record<string, unknown>>): Condition[] {
  return Object.entries(filters).flatMap(([name, { otherwise, toCondition }]) => {
    const value = values[name] ?? otherwise;
    return value === undefined ? [] : [toCondition(value as never)];
  });
}
