export const SCOPES = ['pets', 'graphql'] as const;

/** What a key may be used for: `pets` is REST, `graphql` the query schema. */
export type Scope = (typeof SCOPES)[number];
