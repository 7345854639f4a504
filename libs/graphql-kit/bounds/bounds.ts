/** How large a document may be. Tokens are bounded by the parser. */
export const BOUNDS = {
  tokens: 1_000,
  /** Levels of fields; a root field is on level 1. */
  depth: 8,
  /** The same below `__schema` and `__type`, whose standard query is deep. */
  introspectionDepth: 16,
  aliases: 15,
  cost: 5_000,
} as const;

/** How many times as much a field below a `history` costs; no argument bounds that list. */
export const HISTORY_FACTOR = 10;
