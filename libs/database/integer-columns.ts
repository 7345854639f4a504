import type { ValueTransformer } from 'typeorm';

type StoredInteger = bigint | string | null;

/** An int64 column as bigint: SQLite gives bigint, PostgreSQL text. */
export const int64Column: ValueTransformer = {
  from: (stored: StoredInteger) => (stored === null ? null : BigInt(stored)),
  to: (value: unknown) => value,
};

/** An int64 column whose values are small enough for a number. */
export const countColumn: ValueTransformer = {
  from: (stored: StoredInteger) => (stored === null ? null : Number(stored)),
  to: (value: unknown) => value,
};
