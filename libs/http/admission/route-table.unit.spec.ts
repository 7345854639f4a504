import type { RouteAccess } from '../routes/route-metadata.js';
import { RouteTable } from './route-table.js';

describe('the route table', () => {
  it('asks for the scope of a route, and if none matches for one of those beside it', () => {
    const routes = new RouteTable({ protectedPrefixes: ['/v1', '/graphql'], jsonPrefixes: ['/v1'] });
    const add = (method: string, url: string, access: RouteAccess) =>
      routes.add({ url, method, config: { access }, handler: () => undefined });
    add('GET', '/v1/pets', { scope: 'pets' });
    add('GET', '/v1/pets/:petId', { scope: 'pets' });
    add('PUT', '/v1/pets/:petId', { scope: 'staff' });
    add('GET', '/v1/open', 'public');
    add('POST', '/graphql', { scope: 'graphql' });
    expect(routes.ofRoute('PUT', '/v1/pets/:petId')).toMatchObject({ isProtected: true, scopes: ['staff'] });
    expect(routes.ofPath('GET', '/v1/pets/7')).toMatchObject({ isProtected: true, scopes: ['pets', 'staff'] });
    expect(routes.ofPath('GET', '/v1/nothing')).toMatchObject({ isProtected: true, scopes: ['pets', 'staff'] });
    expect(routes.ofPath('GET', '/graphql/nothing')).toMatchObject({ isProtected: true, scopes: ['graphql'] });
    expect(routes.ofPath('GET', '/v1/open')).toMatchObject({ isProtected: false, scopes: [] });
  });
});
