import fc from 'fast-check';
import { buildSchema } from 'graphql';
import { argumentNames, fieldRequests } from './described-fields.js';
import { parameterNames, routeRequests, type ApiDocument } from './described-routes.js';
import type { RequestParts } from './hostile-request.js';

const SCHEMA = buildSchema(`
  scalar DateTime
  enum Colour { RED GREEN }
  input Range { from: DateTime, to: DateTime! }
  input Wish { names: [String!]!, ranges: [Range!], other: Wish }
  type Shop { id: ID!, pets(first: Int, colour: Colour): [Pet!]! }
  type Pet { name(style: String): String, shop: Shop }
  type Query { shops: [Shop!]!, wish(of: Wish!, isUrgent: Boolean): Pet }
`);

const SHOP = {
  type: 'object',
  required: ['address'],
  properties: {
    address: { type: 'object', properties: { street: { type: 'string' } } },
    tags: { type: 'array', items: { type: 'string', enum: ['old', 'new'] } },
  },
};

const DOCUMENT: ApiDocument = {
  servers: [{ url: 'https://shop.example/v9' }],
  paths: {
    '/shops/{shopId}': {
      parameters: [{ name: 'shopId', in: 'path', schema: { type: 'string' } }],
      get: { parameters: [{ name: 'at', in: 'query', schema: { type: 'string', format: 'date-time' } }] },
      delete: { parameters: [{ name: 'reason', in: 'query', required: true, schema: { type: 'string' } }] },
      put: {
        parameters: [{ name: 'If-Match', in: 'header', schema: { type: 'string' } }],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: SHOP }, 'application/merge-patch+json': { schema: SHOP } },
        },
      },
      post: {
        requestBody: { content: { 'application/json': { schema: { type: 'object', properties: {} } } } },
      },
    },
    '/health': { get: {} },
  },
};

function drawnBy(requests: fc.Arbitrary<RequestParts>): readonly RequestParts[] {
  return fc.sample(requests, { numRuns: 1_000, seed: 1 });
}

function namesOf(drawn: readonly RequestParts[]): string[] {
  return [...new Set(drawn.flatMap(({ draws = [] }) => draws))].sort();
}

describe('what a service describes', () => {
  it('is attacked in every argument of every field and every member of every input', () => {
    const names = [
      'Query.wish(isUrgent:)',
      'Query.wish(of:)',
      'Pet.name(style:)',
      'Shop.pets(colour:)',
      'Shop.pets(first:)',
      ...['Range.from', 'Range.to', 'Wish.names', 'Wish.other', 'Wish.ranges', 'operationName'],
    ].sort();
    expect(argumentNames(SCHEMA).sort()).toEqual(names);
    expect(namesOf(drawnBy(fieldRequests('key', SCHEMA)))).toEqual(names);
  });

  it('is attacked in every parameter and every property of a body of every route', () => {
    const get = 'GET /v9/shops/{shopId}';
    const head = 'HEAD /v9/shops/{shopId}';
    const options = 'OPTIONS /v9/shops/{shopId}';
    const put = 'PUT /v9/shops/{shopId}';
    const post = 'POST /v9/shops/{shopId}';
    const remove = 'DELETE /v9/shops/{shopId}';
    const names = [
      ...[get, `${get} shopId in path`, `${get} at in query`, 'GET /v9/health'],
      ...[head, `${head} shopId in path`, `${head} at in query`, 'HEAD /v9/health'],
      ...[options, `${options} shopId in path`, 'OPTIONS /v9/health'],
      ...[put, `${put} shopId in path`, `${put} If-Match in header`],
      ...[`${put} body`, `${put} body.address`, `${put} body.address.street`, `${put} body.tags`, `${put} body.tags[]`],
      ...[`${put} as application/json`, `${put} as application/merge-patch+json`],
      ...[post, `${post} shopId in path`, `${post} body`, `${post} as application/json`],
      ...[remove, `${remove} shopId in path`, `${remove} reason in query`],
    ].sort();
    expect(parameterNames(DOCUMENT).sort()).toEqual(names);
    expect(namesOf(drawnBy(routeRequests('key', DOCUMENT)))).toEqual(names);
  });

  it('is mostly sent what it requires, and often not what it does not', () => {
    const drawn = drawnBy(routeRequests('key', DOCUMENT));
    const shareOf = (method: string, isGiven: (request: RequestParts) => boolean) => {
      const requests = drawn.filter((request) => request.method === method);
      return requests.filter(isGiven).length / requests.length;
    };
    const hasBody = ({ body = '' }: RequestParts) => body.length > 0;
    expect(shareOf('PUT', hasBody)).toBeGreaterThan(0.9);
    expect(shareOf('POST', hasBody)).toBeLessThan(0.7);
    expect(shareOf('DELETE', ({ target = '' }) => target.includes('reason='))).toBeGreaterThan(0.9);
    expect(shareOf('GET', ({ target = '' }) => target.includes('at='))).toBeLessThan(0.7);
  });

  it('is sent U+0000 and lone surrogates as they can be written', () => {
    const sent = (requests: readonly RequestParts[]): string =>
      requests.map(({ target = '', body = '' }) => `${target} ${Buffer.from(body).toString('latin1')}`).join('\n');
    const toRoutes = sent(drawnBy(routeRequests('key', DOCUMENT)));
    const toFields = sent(drawnBy(fieldRequests('key', SCHEMA)));
    expect(['%00', '%ed%a0%80', '\\u0000', '\\ud800', '\0'].filter((written) => !toRoutes.includes(written))).toEqual([]);
    expect(['\\\\u0000', '\\\\ud800', '\\\\u{0}', '\\\\u{d800}'].filter((written) => !toFields.includes(written))).toEqual([]);
  });
});
