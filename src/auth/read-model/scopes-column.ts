import type { ValueTransformer } from 'typeorm';

/** Scopes in one text column, separated by commas. */
export const scopesColumn: ValueTransformer = {
  from: (stored: string) => stored.split(','),
  to: (scopes: readonly string[]) => scopes.join(','),
};
