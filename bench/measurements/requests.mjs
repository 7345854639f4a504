import assert from 'node:assert/strict';
import { encodeCursor } from '../../dist/libs/http/pagination/pages.js';
import { animalAt, availablePlace } from '../fixtures/animals.mjs';
import { NUMBER } from '../load/load.mjs';

/** The requests that are measured. `check` throws where an answer is not the right one, for the service and its baselines alike. */
export const PAGE = 20;
const NEW_ANIMAL = JSON.stringify({ name: 'Rex', categoryId: 7, status: 'available' });

/** The first page of available animals. */
export const list = { name: 'list', title: 'list, page of 20 by status', ...pageFrom(0) };

/** One animal. */
export const get = { name: 'get', title: 'get one', ...oneAt(499) };

/** The page of available animals that begins with the one at a place among them, from 0. */
export function pageFrom(place) {
  return {
    request: { path: pathOfPage(place) },
    check({ status, text }) {
      assert.equal(status, 200);
      const expected = Array.from({ length: PAGE }, (_, index) => availablePlace(place + index)).map(animalWithId);
      assert.deepEqual(JSON.parse(text), expected);
    },
  };
}

// The 16 MB that are kept hold 7,000 pages, or 15,000 animals.
const DIFFERENT_PAGES = 12_000;
const DIFFERENT_ANIMALS = 20_000;

/** More pages than the service keeps, one after another from different places; the response to the first is checked. */
export const listPages = {
  ...pageFrom(1),
  name: 'list-different',
  title: 'list, page of 20 by status, a different page each time',
  animals: 40_000,
  isKept: false,
  ...inTurns((place) => ({ path: pathOfPage(place) })),
  /** The services written by hand take an id for a cursor. */
  handWritten: inTurns((place) => ({ path: `/v1/pets?status=available&limit=${PAGE}&cursor=${availablePlace(place - 1) + 1}` })),
};

const CATEGORIES = Array.from({ length: 20 }, (_, category) => category);
const PAIRS = CATEGORIES.flatMap((first) => CATEGORIES.slice(first + 1).map((second) => [first, second]));
const filtersAt = (place) => ({
  categoryId: PAIRS[place % PAIRS.length],
  status: ['available', 'pending'],
  cursor: 1 + Math.floor(place / PAIRS.length),
});

/** The same with filters, each page among the first 400 animals, however many there are. */
export const filteredPages = {
  name: 'list-filtered',
  title: 'list, page of 20 by two categories and two statuses, a different page each time',
  animals: 40_000,
  isKept: false,
  ...inTurns((place) => {
    const { cursor, ...filters } = filtersAt(place);
    const given = { categoryId: filters.categoryId.join(), status: filters.status.join() };
    return {
      path: `/v1/pets?categoryId=${given.categoryId}&status=${given.status}&limit=${PAGE}&cursor=${encodeCursor(BigInt(cursor), given)}`,
    };
  }),
  handWritten: inTurns((place) => {
    const { categoryId, status, cursor } = filtersAt(place);
    const parameters = [...categoryId.map((each) => `categoryId=${each}`), ...status.map((each) => `status=${each}`)];
    return { path: `/v1/pets?${parameters.join('&')}&limit=${PAGE}&cursor=${cursor}` };
  }),
  check({ status, text }) {
    assert.equal(status, 200);
    const { categoryId, status: statuses, cursor } = filtersAt(1);
    const following = Array.from({ length: 900 }, (_, index) => animalWithId(cursor + index));
    const matching = following.filter((animal) => statuses.includes(animal.status) && categoryId.includes(animal.categoryId));
    assert.deepEqual(JSON.parse(text), matching.slice(0, PAGE));
  },
};

/** More animals than the service keeps, one after another. */
export const getDifferent = {
  ...oneAt(0),
  name: 'get-different',
  title: 'get one, a different one each time',
  animals: 40_000,
  isKept: false,
  ...inTurns((place) => ({ path: `/v1/pets/${place}` }), {}, DIFFERENT_ANIMALS),
};

/** The animal at a place of the list of all, from 0. */
export function oneAt(place) {
  const animal = animalWithId(place);
  return {
    request: { path: `/v1/pets/${animal.id}` },
    check({ status, text }) {
      assert.equal(status, 200);
      assert.deepEqual(JSON.parse(text), animal);
    },
  };
}

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

/** An order for an animal of its own, acknowledged when both are on disk. */
export const order = {
  name: 'order',
  title: 'place an order, durable',
  request: { path: '/v1/store/orders', method: 'POST', headers: { 'content-type': 'application/json' }, body: `{"petId":${NUMBER}}` },
  check({ status, text }) {
    assert.equal(status, 201);
    const { id, petId, quantity, status: state, version } = JSON.parse(text);
    assert.ok([id, petId].every((number) => Number.isSafeInteger(number) && number > 0));
    assert.deepEqual({ quantity, state, version }, { quantity: 1, state: 'placed', version: 1 });
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

/** The same pages over GraphQL as those of `listPages`. */
export const graphqlPages = {
  name: 'graphql-different',
  title: 'GraphQL, page of 20 by status, different arguments each time',
  animals: 40_000,
  isKept: false,
  ...inTurns((place) => ({ body: graphqlBodyAfter(place) }), graphqlPage.request),
  check({ status, text }) {
    assert.equal(status, 200);
    const expected = Array.from({ length: PAGE }, (_, index) => animalWithId(availablePlace(1 + index)));
    assert.deepEqual(
      JSON.parse(text).data.pets.nodes.map(({ id, name }) => ({ id, name })),
      expected.map(({ id, name }) => ({ id: `${id}`, name })),
    );
  },
};

/** The same request with the headers of a caller of the service, which has kept no response to it when a turn begins. */
export function withHeaders({ request, check, isKept = true }, headers) {
  const ofCaller = { request: { ...request, headers: { ...request.headers, ...headers } }, check };
  return isKept ? ofCaller : { ...ofCaller, prepare: (server) => addAnimal(server, headers) };
}

/** Any change makes the service drop the pages that it keeps. */
async function addAnimal({ origin }, headers) {
  const { path, method, headers: ofBody, body } = add.request;
  const response = await fetch(origin + path, { method, headers: { ...ofBody, ...headers }, body });
  add.check({ status: response.status, text: await response.text() });
}

/** A request with so many variants, each by its place from 1: where the page begins, or which animal it is. */
function inTurns(variantAt, request = {}, length = DIFFERENT_PAGES) {
  const variants = Array.from({ length }, (_, index) => variantAt(index + 1));
  return { request: { ...request, ...variants[0], variants } };
}

function graphqlBodyAfter(place) {
  const before = animalWithId(availablePlace(place - 1)).id;
  const after = encodeCursor(BigInt(before), { status: 'available', list: 'pets' });
  const query = `query Page($after: String) { pets(first: ${PAGE}, status: AVAILABLE, after: $after) { nodes { id name categoryId status } } }`;
  return JSON.stringify({ query, variables: { after } });
}

/** The cursor is made as the service makes it: following `Link` from the first page to the end of a long list would take hours. */
function pathOfPage(place) {
  const path = `/v1/pets?status=available&limit=${PAGE}`;
  if (place === 0) return path;
  const before = animalWithId(availablePlace(place - 1)).id;
  return `${path}&cursor=${encodeCursor(BigInt(before), { status: 'available' })}`;
}

/** Ids are given out in the order of the list, from 1. */
function animalWithId(place) {
  return { id: place + 1, ...animalAt(place) };
}
