import { importRule } from '../rule.js';

const PACKAGE = /^packages\/[^/]+\//;
const PUBLISHED = /^@adoption\//;

/** What is published for others takes nothing but its own files, and the service takes nothing of it. */
export const packagesAloneRule = importRule(
  'packages-alone',
  () => true,
  ({ target, specifier }, { path }) => {
    const [own] = PACKAGE.exec(path) ?? [];
    if (own !== undefined) return target?.path.startsWith(own) ? undefined : `${specifier} is not part of ${own}`;
    return PACKAGE.test(target?.path ?? '') || PUBLISHED.test(specifier) ? `${specifier} is there for others` : undefined;
  },
);
