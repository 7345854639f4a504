/**
 * Stands in the body of a request that holds `numbers: { first, last }`. Each time that the request is sent, a number that no other one
 * has had stands there instead, upwards from the first.
 */
export const NUMBER = '#';

/** The request with one of its numbers; one that has none stays as it is. */
export function withNumber(request, number) {
  return request.numbers === undefined ? request : { ...request, body: request.body.replace(NUMBER, number) };
}
