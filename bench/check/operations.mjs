import { availablePlace } from '../fixtures/animals.mjs';
import { add, get, graphqlPage, list, oneAt, order, pageFrom } from '../measurements/requests.mjs';
import { NUMBER } from '../load/numbers.mjs';
import { ANIMALS } from '../measurements/stage.mjs';

// From here on the numbers of animals have three digits, so that answers about them are of one length.
const FIRST_PLACE = 100;

/**
 * What is counted, in this order: `requestOf(index)` gives the request of a turn, from 0. What a request changes is seen by none of
 * another operation, but that each order is for an animal that was added before.
 */
export const OPERATIONS = [
  same('list', list, 200),
  { name: 'list, a page not read before', status: 200, requestOf: (index) => pageFrom(firstAvailable() + index).request },
  same('get', get, 200),
  { name: 'get, an animal not read before', status: 200, requestOf: (index) => oneAt(FIRST_PLACE + index).request },
  same('GraphQL page', graphqlPage, 200),
  { name: 'GraphQL page, a document not read before', status: 200, requestOf: withComment },
  same('add', add, 201),
  { name: 'place an order', status: 201, requestOf: (index) => withPetId(ANIMALS + 1 + index) },
];

function same(name, { request }, status) {
  return { name, status, requestOf: () => request };
}

/** The first place among the available animals whose page names numbers of three digits only, its cursor's too. */
function firstAvailable() {
  let place = 0;
  while (availablePlace(place) < FIRST_PLACE) place += 1;
  return place;
}

function withComment(index) {
  const { query } = JSON.parse(graphqlPage.request.body);
  return { ...graphqlPage.request, body: JSON.stringify({ query: `${query} # ${FIRST_PLACE + index}` }) };
}

function withPetId(id) {
  return { ...order.request, body: order.request.body.replace(NUMBER, id) };
}
