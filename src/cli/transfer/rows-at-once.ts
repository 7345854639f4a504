/** Rows that are read, and written in one transaction, at once: few enough for the memory, many enough for a commit not to matter. */
export const ROWS_AT_ONCE = 2_000;
