import type { FastifyContextConfig } from 'fastify';
import type { Route } from '../admission/route-table.js';
import { incompleteRoutes } from './incomplete-routes.js';
import type { DescribedOperation } from './operation.decorator.js';

const operation: DescribedOperation = {
  id: 'getThing',
  summary: 'Get a thing',
  description: 'Gives the thing.',
  answer: { description: 'The thing.', schema: { $ref: '#/components/schemas/Thing' }, examples: {} },
};
const complete: FastifyContextConfig = { access: { scope: 'things' }, operation, reads: { path: { id: 'The id.' } } };

describe('a route', () => {
  it('that says who may ask, what it is and what it reads is complete', () => {
    expect(faultsOf(complete)).toEqual([]);
  });

  it('that everybody may ask is complete', () => {
    expect(faultsOf({ ...complete, access: 'public' })).toEqual([]);
  });

  it.each<[left: string, config: FastifyContextConfig, reason: RegExp]>([
    ['who may ask', { operation, reads: { path: { id: 'The id.' } } }, /says neither @RequiresScope\('…'\) nor @Public\(\)/],
    ['a scope that a module brings', { ...complete, access: { scope: 'thing' } }, /requires the scope thing, which no module brings/],
    ['what it is', { access: 'public', reads: { path: { id: 'The id.' } } }, /has no @Operation/],
    ['what it reads', { access: 'public', operation }, /does not say what it reads/],
    ['a parameter of its path', { ...complete, reads: {} }, /does not read id of its path/],
  ])('that leaves unsaid %s is named with method, path and handler', (_left, config, reason) => {
    const faults = faultsOf(config);

    expect(faults).toEqual([expect.stringMatching(reason)]);
    expect(faults[0]).toMatch(/^GET \/v1\/things\/:id \(ThingsController\.get\) /);
  });

  it('beside the interface says no more than who may ask', () => {
    expect(incompleteRoutes([route({ access: 'public' }, '/docs')], expected)).toEqual([]);
    expect(incompleteRoutes([route({}, '/docs')], expected)).toHaveLength(1);
  });

  it('has an operationId of its own', () => {
    const routes = [route(complete), route({ ...complete, reads: {} }, '/v1/things')];

    expect(incompleteRoutes(routes, expected)).toEqual([
      'GET /v1/things (ThingsController.get) has the operationId getThing of GET /v1/things/:id.',
    ]);
  });
});

const expected = { jsonPrefixes: ['/v1'], scopes: new Set(['things']) };

function faultsOf(config: FastifyContextConfig): string[] {
  return incompleteRoutes([route(config), { ...route(config), method: 'HEAD' }], expected);
}

function route(config: FastifyContextConfig, template = '/v1/things/:id'): Route {
  return { method: 'GET', template, handler: 'ThingsController.get', config };
}
