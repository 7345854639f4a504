/**
 * Stands in the body of a request that holds `numbers: { first, last }` or `texts`. Each time that the request is sent, a number that no
 * other one has had stands there instead, upwards from the first, or the next of the texts, which take turns.
 */
export const NUMBER = '#';

/** The request with one of its numbers, or its first text; one that has neither stays as it is. */
export function withNumber(request, number) {
  if (request.texts !== undefined) return withText(request, 0);
  return request.numbers === undefined ? request : { ...request, body: request.body.replace(NUMBER, number) };
}

/** The request with the text whose turn it is. */
export function withText(request, turn) {
  return { ...request, body: request.body.replace(NUMBER, request.texts[turn % request.texts.length]) };
}
