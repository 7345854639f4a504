/** How long a module keeps the rows of one of its tables, which are no facts of the domain. */
export interface RetentionRule {
  readonly table: string;
  /** The columns that name a row. */
  readonly key: readonly string[];
  /** The column that says from when on a row is kept, in milliseconds since 1970; null where it is to stay. */
  readonly storedAt: string;
  /** Milliseconds. */
  readonly keepFor: number;
}
