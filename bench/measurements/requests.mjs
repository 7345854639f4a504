import assert from 'node:assert/strict';
import { animalAt } from '../fixtures/animals.mjs';

/** The requests that are measured. `check` throws where an answer is not the right one, for the service and its baselines alike. */
const PAGE = 20;
const NEW_ANIMAL = JSON.stringify({ name: 'Rex', categoryId: 7, status: 'available' });

/** The first page of available animals. */
export const list = {
  name: 'list',
  title: 'list, page of 20 by status',
  request: { path: `/v1/pets?status=available&limit=${PAGE}` },
  check({ status, text }) {
    assert.equal(status, 200);
    const expected = Array.from({ length: PAGE }, (_, index) => ({ id: index * 3 + 1, ...animalAt(index * 3) }));
    assert.deepEqual(JSON.parse(text), expected);
  },
};

/** One animal. */
export const get = {
  name: 'get',
  title: 'get one',
  request: { path: '/v1/pets/500' },
  check({ status, text }) {
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), { id: 500, ...animalAt(499) });
  },
};

/** A new animal, acknowledged when it is on disk. */
export const add = {
  name: 'add',
  title: 'add, durable',
  request: { path: '/v1/pets', method: 'POST', headers: { 'content-type': 'application/json' }, body: NEW_ANIMAL },
  check({ status, text }) {
    assert.equal(status, 201);
    const { id, ...animal } = JSON.parse(text);
    assert.ok(Number.isSafeInteger(id) && id > 0);
    assert.deepEqual(animal, JSON.parse(NEW_ANIMAL));
  },
};

/** The page of `list` over GraphQL. */
export const graphqlPage = {
  name: 'graphql',
  title: 'GraphQL, page of 20 by status',
  request: {
    path: '/graphql',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: `{ pets(first: ${PAGE}, status: AVAILABLE) { nodes { id name categoryId status } } }` }),
  },
  check({ status, text }) {
    assert.equal(status, 200);
    const { nodes } = JSON.parse(text).data.pets;
    assert.equal(nodes.length, PAGE);
    assert.deepEqual(nodes[1], { id: '4', name: 'Animal 3', categoryId: '3', status: 'AVAILABLE' });
  },
};

/** The same request with the headers of a caller. */
export function withHeaders({ request, check }, headers) {
  return { request: { ...request, headers: { ...request.headers, ...headers } }, check };
}
