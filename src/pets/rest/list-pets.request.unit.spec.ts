import { encodeCursor } from '#libs/api-kit';
import { PET_STATUSES } from '../domain/pet-status.js';
import { nextPageLink, readListPetsRequest } from './list-pets.request.js';

describe('the query of a list of animals', () => {
  it('asks for the first 20 of every status when it says nothing', () => {
    expect(read('')).toEqual({ limit: 20 });
  });

  it.each(['1', '100'])('takes the limit %s', (limit) => {
    expect(read(`limit=${limit}`)).toEqual({ limit: Number(limit) });
  });

  it.each(['0', '101', '-1', '1.5', '1e1', '+5', '05', 'x', ''])('refuses the limit %j', (limit) => {
    expectRefused(`limit=${encodeURIComponent(limit)}`, 'limit must be an integer from 1 to 100');
  });

  it.each(PET_STATUSES)('filters by the status %s', (status) => {
    expect(read(`status=${status}`)).toEqual({ limit: 20, status });
  });

  it.each(['', 'Sold', 'lost', 'sold '])('refuses the status %j', (status) => {
    expectRefused(`status=${encodeURIComponent(status)}`, 'status must be one of available, pending, sold');
  });

  it('goes on where the link of the page before says', () => {
    const page = { limit: 7, status: 'sold' } as const;
    const query = /\?(.*)>/.exec(nextPageLink(page, 41n))?.[1] ?? '';
    expect(read(query)).toEqual({ ...page, after: 41n });
  });

  it('refuses a cursor of another filter', () => {
    expectRefused(`cursor=${encodeCursor(41n, { status: 'sold' })}&status=pending`, 'cursor');
    expectRefused(`cursor=${encodeCursor(41n, { status: 'sold' })}`, 'cursor');
  });

  it('takes a cursor with another limit', () => {
    expect(read(`cursor=${encodeCursor(41n, {})}&limit=3`)).toEqual({ limit: 3, after: 41n });
  });

  it('refuses an unknown parameter', () => {
    expectRefused('offset=3', 'offset');
  });

  it('refuses a repeated parameter', () => {
    expect(() => readListPetsRequest({ query: { limit: ['1', '2'] } })).toThrow('The query parameter limit is repeated');
  });
});

function read(query: string) {
  return readListPetsRequest({ query: Object.fromEntries(new URLSearchParams(query)) });
}

function expectRefused(query: string, message: string): void {
  expect(() => read(query)).toThrow(expect.objectContaining({ code: 'invalid_parameter', message: expect.stringContaining(message) }));
}
