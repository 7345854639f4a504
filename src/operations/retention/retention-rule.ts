import type { OldRows } from '#libs/database';

/** How long the rows of a table are kept. */
export interface RetentionRule extends Pick<OldRows, 'table' | 'key' | 'storedAt'> {
  /** Milliseconds. */
  readonly keepFor: number;
}
