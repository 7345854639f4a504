import { requiredScope } from './required-scope.js';

describe('the scope a request target needs', () => {
  it.each(['/graphql', '/graphql/', '/graphql/schema', '/graphql?query={pets}', '/graphql#x', '/%67raphql', 'http://host:3000/graphql?x'])(
    'is graphql for %s',
    (target) => {
      expect(requiredScope(target)).toBe('graphql');
    },
  );

  it.each([
    '/v1/pets',
    '/v1/pets?next=/graphql',
    '/v1/graphql',
    '/graphqlx',
    '/Graphql',
    '/%2567raphql',
    '/%',
    '*',
    '',
    'http://host/v1/pets',
    'http://graphql/',
  ])('is pets for %s', (target) => {
    expect(requiredScope(target)).toBe('pets');
  });
});
