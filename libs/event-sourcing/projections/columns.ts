import type { ProjectionColumn } from './projection.js';

export type StoredValue = string | number | bigint;

/** How a member of a row is stored. An optional member is absent from the row if its column is NULL. */
export interface Column<Value = unknown, Optional extends boolean = boolean> extends ProjectionColumn {
  /** Name of the column. Default: the member's name in snake case. */
  readonly name?: string;
  readonly nullable: Optional;
  write(value: Value): StoredValue;
  read(stored: StoredValue): Value;
}

/** The members of a row apart from `id` and `version`. */
export type Columns = Readonly<Record<string, Column>>;

type Value<Of> = Of extends Column<infer Each> ? Each : never;
type OptionalMembers<Of extends Columns> = { [Name in keyof Of]: Of[Name]['nullable'] extends true ? Name : never }[keyof Of];

/** A row as it is read. */
export type RowValues<Of extends Columns> = { readonly [Name in Exclude<keyof Of, OptionalMembers<Of>>]: Value<Of[Name]> } & {
  readonly [Name in OptionalMembers<Of>]?: Value<Of[Name]>;
};

/** A row as it is given to be stored: an optional member may also be undefined, and further members are ignored. */
export type NewRowValues<Of extends Columns> = { readonly [Name in Exclude<keyof Of, OptionalMembers<Of>>]: Value<Of[Name]> } & {
  readonly [Name in OptionalMembers<Of>]?: Value<Of[Name]> | undefined;
};

/** The kinds of columns. */
export const column = {
  int64: () => define<bigint>('int64', (value) => value, BigInt),
  /** A whole number within ±2^53. */
  integer: () => define<number>('int64', (value) => value, Number),
  text: <Text extends string = string>() =>
    define<Text>(
      'text',
      (value) => value,
      (stored) => String(stored) as Text,
    ),
  /** A text that is found by a part of it in any case; it is read as it is stored, folded. */
  folded: () => define<string>('text', foldText, String),
  /** To the millisecond, stored as milliseconds since 1970. */
  time: () =>
    define<Date>(
      'int64',
      (value) => value.getTime(),
      (stored) => new Date(Number(stored)),
    ),
  /** To the millisecond, stored as its ISO text. */
  isoTime: () =>
    define<Date>(
      'text',
      (value) => value.toISOString(),
      (stored) => new Date(String(stored)),
    ),
  boolean: () =>
    define<boolean>(
      'int64',
      (value) => (value ? 1 : 0),
      (stored) => Number(stored) === 1,
    ),
  /** Any JSON value, stored as its text. */
  json: <Json>() =>
    define<Json>(
      'text',
      (value) => JSON.stringify(value),
      (stored) => JSON.parse(String(stored)) as Json,
    ),
};

/**
 * Returns the form of a text by which parts of it are found in any case. Lowercase of a capital sigma depends on what follows it, so both
 * lowercase forms are folded to one: otherwise the beginning of a name would not be found in it.
 */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
}

/** Makes the member optional. */
export function optional<Each>(kind: Column<Each>): Column<Each, true> {
  return { ...kind, nullable: true };
}

/** Names the column where the member's name does not. */
export function named<Each, Optional extends boolean>(name: string, kind: Column<Each, Optional>): Column<Each, Optional> {
  return { ...kind, name };
}

function define<Each>(
  type: ProjectionColumn['type'],
  write: (value: Each) => StoredValue,
  read: (stored: StoredValue) => Each,
): Column<Each, false> {
  return { type, nullable: false, write, read };
}
