import { RouteTable } from './route-table.js';

function table(): RouteTable {
  const routes = new RouteTable({
    protectedPrefixes: ['/v1', '/graphql'],
    jsonPrefixes: ['/v1'],
    publicRoutes: ['/docs', '/docs/*', '/openapi.json'],
  });
  routes.add('/v1/pets', ['POST', 'OPTIONS']);
  routes.add('/v1/pets', 'GET');
  routes.add('/v1/pets', 'HEAD');
  routes.add('/v1/pets/:petId', 'GET');
  routes.add('/v1/pets/export', 'POST');
  routes.add('/docs/*', 'GET');
  routes.add('/openapi.json', 'GET');
  routes.add('/internal', 'PUT');
  return routes;
}

describe('the route table', () => {
  it.each([
    ['/v1/pets', true],
    ['/v1/pets/:petId', true],
    ['/internal', true],
    ['/docs/*', false],
    ['/openapi.json', false],
  ])('protects a route unless it is listed: %s', (template, isProtected) => {
    expect(table().ofTemplate(template).isProtected).toBe(isProtected);
  });

  it.each([
    ['/v1', true],
    ['/v1/nothing', true],
    ['/graphql', true],
    ['/internal', true],
    ['/v10', false],
    ['/nothing', false],
    ['/docs/a', false],
  ])('protects a path under a prefix or of a protected route: %s', (path, isProtected) => {
    expect(table().ofPath(path).isProtected).toBe(isProtected);
  });

  it.each([
    ['/v1/pets', '/v1/pets', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/pets/7', '/v1/pets/:petId', 'GET, OPTIONS'],
    ['/v1/pets/export', '/v1/pets/:petId', 'GET, POST, OPTIONS'],
    ['/docs/a/b', '/docs/*', 'GET, OPTIONS'],
    ['/v1/pets/', undefined, ''],
    ['/v1/pets/7/8', undefined, ''],
    ['/docs', undefined, ''],
  ])('knows the methods of the path %s', (path, template, allow) => {
    expect(table().ofPath(path)).toMatchObject({ template, allow });
  });

  it('counts a route added later', () => {
    const routes = table();
    routes.ofTemplate('/internal');
    routes.add('/internal', 'DELETE');
    expect(routes.ofTemplate('/internal').allow).toBe('PUT, DELETE, OPTIONS');
    expect(routes.allMethods()).toBe('GET, HEAD, POST, PUT, DELETE, OPTIONS');
  });
});
