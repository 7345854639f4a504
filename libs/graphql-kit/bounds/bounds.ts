/** How large a document may be. Tokens are bounded by the parser, mistakes and comparisons by the validation. */
export const BOUNDS = {
  tokens: 1_000,
  /** Levels of fields; a root field is on level 1. */
  depth: 8,
  /** The same below `__schema` and `__type`, whose standard query is deep. */
  introspectionDepth: 16,
  aliases: 15,
  /** Errors of validation that are told; then it ends. */
  mistakes: 100,
  /** What the library of the language spends on finding fields that cannot be merged: two for each two fields of one name. */
  comparisons: 500_000,
  cost: 5_000,
} as const;
