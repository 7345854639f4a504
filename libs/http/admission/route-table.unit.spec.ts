import type { RouteAccess } from '../routes/route-metadata.js';
import { RouteTable } from './route-table.js';

function add(routes: RouteTable, url: string, method: string | string[], access: RouteAccess = { scope: 'pets' }): void {
  routes.add({ url, method, config: { access }, handler: () => undefined });
}

function table(): RouteTable {
  const routes = new RouteTable({
    protectedPrefixes: ['/v1', '/graphql'],
    jsonPrefixes: ['/v1'],
  });
  add(routes, '/v1/pets', ['POST', 'OPTIONS']);
  add(routes, '/v1/pets', 'GET');
  add(routes, '/v1/pets', 'HEAD');
  add(routes, '/v1/pets/:petId', 'GET');
  add(routes, '/v1/pets/export', 'POST');
  add(routes, '/docs/*', 'GET', 'public');
  add(routes, '/openapi.json', 'GET', 'public');
  add(routes, '/internal', 'PUT');
  return routes;
}

describe('the route table', () => {
  it.each([
    ['GET', '/v1/pets', true],
    ['GET', '/v1/pets/:petId', true],
    ['PUT', '/internal', true],
    ['GET', '/docs/*', false],
    ['GET', '/openapi.json', false],
  ])('protects a route unless it says that it is public: %s %s', (method, template, isProtected) => {
    expect(table().ofRoute(method, template).isProtected).toBe(isProtected);
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
    expect(table().ofPath('GET', path).isProtected).toBe(isProtected);
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
    expect(table().ofPath('GET', path)).toMatchObject({ template, allow });
  });

  it('counts a route added later', () => {
    const routes = table();
    routes.ofRoute('PUT', '/internal');
    add(routes, '/internal', 'DELETE');
    expect(routes.ofRoute('PUT', '/internal').allow).toBe('PUT, DELETE, OPTIONS');
    expect(routes.allMethods()).toBe('GET, HEAD, POST, PUT, DELETE, OPTIONS');
  });

  it('asks for the scope of a route, and if none matches for one of those beside it', () => {
    const routes = table();
    add(routes, '/v1/pets/:petId', 'PUT', { scope: 'staff' });
    add(routes, '/v1/open', 'GET', 'public');
    add(routes, '/graphql', 'POST', { scope: 'graphql' });
    expect(routes.ofRoute('PUT', '/v1/pets/:petId').scopes).toEqual(['staff']);
    expect(routes.ofPath('GET', '/v1/pets/7').scopes).toEqual(['pets', 'staff']);
    expect(routes.ofPath('GET', '/v1/nothing').scopes).toEqual(['pets', 'staff']);
    expect(routes.ofPath('GET', '/graphql/nothing').scopes).toEqual(['graphql']);
    expect(routes.ofPath('GET', '/v1/open')).toMatchObject({ isProtected: false, scopes: [] });
  });
});
