import type { ValueTransformer } from 'typeorm';
import type { Scope } from '../domain/scope.js';

/** Scopes in one text column, separated by commas. */
export const scopesColumn: ValueTransformer = {
  from: (stored: string) => stored.split(',') as Scope[],
  to: (scopes: readonly Scope[]) => scopes.join(','),
};
