/** What differs between the databases, in one place. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** The n-th bound parameter of a statement, counted from 1. */
  readonly placeholder: (index: number) => string;
  /** Column types of projection tables and migrations. */
  readonly columnTypes: { readonly int64: string; readonly text: string };
  /** Statements that make the log append-only; run once by a migration. */
  readonly appendOnlyLog: readonly string[];
}
