/** How long a module keeps the rows of one of its tables, which are no facts of the domain. */
export interface RetentionRule {
  readonly table: string;
  /** The columns that name a row. */
  readonly key: readonly string[];
  /** The column with the start of a row's retention, in milliseconds since 1970; null: the row stays. */
  readonly storedAt: string;
  /** Milliseconds. */
  readonly keepFor: number;
}
