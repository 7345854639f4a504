import type { ColumnOptions } from 'typeorm';

/** A value as the drivers take it. They return an int64 as bigint on SQLite and as text on PostgreSQL. */
export type StoredValue = string | number | bigint;

/**
 * The kinds of columns of all tables, for `@Column` and `@PrimaryColumn`. A column is NOT NULL unless it is `optional`; then its member is
 * undefined where the column is NULL.
 */
export const columnTypes = {
  int64: define<bigint>('bigint', (value) => value, BigInt),
  /** A whole number within ±2^53. */
  integer: define<number>('bigint', (value) => value, Number),
  text: define<string>('text', (value) => value, String),
  /** To the millisecond, stored as milliseconds since 1970. */
  time: define<Date>(
    'bigint',
    (value) => value.getTime(),
    (stored) => new Date(Number(stored)),
  ),
  /** To the millisecond, stored as its ISO text. */
  isoTime: define<Date>(
    'text',
    (value) => value.toISOString(),
    (stored) => new Date(String(stored)),
  ),
  boolean: define<boolean>(
    'bigint',
    (value) => (value ? 1 : 0),
    (stored) => Number(stored) === 1,
  ),
  /** Any JSON value, stored as its text. */
  json: define<unknown>('text', JSON.stringify, (stored) => JSON.parse(String(stored)) as unknown),
  /** A text that is found by a part of it in any case; it is read as it is stored, folded. */
  folded: define<string>('text', foldText, String),
};

/** Makes a column nullable, and its member optional. */
export function optional<Options extends ColumnOptions>(options: Options): Options & { readonly nullable: true } {
  return { ...options, nullable: true };
}

/**
 * Returns the form of a text by which parts of it are found in any case. Lowercase of a capital sigma depends on what follows it, so both
 * lowercase forms are folded to one: otherwise the beginning of a name would not be found in it.
 */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ');
}

/** A text is compared byte by byte on PostgreSQL too, whatever the locale of the server. */
function define<Value>(type: 'bigint' | 'text', write: (value: Value) => StoredValue, read: (stored: StoredValue) => Value) {
  const transformer = {
    to: (value: Value | null | undefined) => (value === undefined || value === null ? null : write(value)),
    from: (stored: StoredValue | null) => (stored === null ? undefined : read(stored)),
  };
  return { type, transformer, ...(type === 'text' && { collation: 'C' }) } as const satisfies ColumnOptions;
}
