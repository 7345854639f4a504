import type { FastifyReply, FastifyRequest } from 'fastify';
import { Describes, IfGiven } from '#libs/validation';
import { ValidateBy } from 'class-validator';
import type { RouteReads } from '../requests/route-contract.js';
import { CURSOR_PATTERN, decodeCursor, encodeCursor, type CursorFilter } from './cursor.js';

export const DEFAULT_LIMIT = 20;
export const LARGEST_LIMIT = 100;
const NEXT_PAGE = /<[^>]*>; rel="next"/;

/** Which page of a list a request asks for. A class that extends it adds the filters of its list, each a parameter of the query. */
export class PageRequest {
  @IsPageSize()
  @Describes('The most items to return.')
  readonly limit: number = DEFAULT_LIMIT;

  @IfGiven()
  @IsCursor()
  @Describes('Where the page begins: taken from the `Link` of the page before, with the same filters.')
  readonly cursor?: string;
}

/** A page as a query of the read model takes it: the filters, and the id to go on after. */
export type PageOf<Request extends PageRequest> = Omit<Request, 'cursor'> & { readonly after?: bigint };

/** What a request whose rules hold asks for. */
export function pageOf<Request extends PageRequest>(request: Request): PageOf<Request> {
  const { cursor, ...page } = request;
  const given = Object.fromEntries(Object.entries(page).filter(([, value]) => value !== undefined)) as Omit<Request, 'cursor'>;
  return { ...given, ...(cursor !== undefined && { after: decodeCursor(cursor, filterOf(request)) }) };
}

/** Gives an answer the `Link` (RFC 8288) to the page after the item with the id `next`; none where that is undefined. */
export function linkNextPage(reply: FastifyReply, request: PageRequest, next: bigint | undefined): void {
  if (next === undefined) return;
  const filter = filterOf(request);
  linkNext(reply, { limit: request.limit.toString(), ...filter, cursor: encodeCursor(next, filter) });
}

/**
 * Gives an answer the `Link` to the same path with these parameters, as that to the next page, for a list that goes on after something
 * which its clients know.
 */
export function linkNext(reply: FastifyReply, parameters: Readonly<Record<string, string>>): void {
  void reply.header('Link', `<${pathOf(reply.request)}?${new URLSearchParams(parameters).toString()}>; rel="next"`);
}

/** The link that `linkNextPage` gave an answer; undefined where there is none, whatever else its `Link` names. */
export function nextPageLinkOf(reply: FastifyReply): string | undefined {
  return NEXT_PAGE.exec(String(reply.getHeader('link') ?? ''))?.[0];
}

/** Whether the answer of a route that reads this is a page of a list. */
export function readsPage({ query }: RouteReads = {}): boolean {
  return query !== undefined && new query() instanceof PageRequest;
}

/** The path without what its spelling leaves open. */
function pathOf({ routeOptions: { url = '' }, params }: FastifyRequest): string {
  const values = (params ?? {}) as Readonly<Record<string, string>>;
  return url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** All parameters but the page's own: what a cursor is bound to. */
function filterOf({ limit: _limit, cursor: _cursor, ...filters }: PageRequest): Record<string, string> {
  const given = Object.entries<unknown>(filters).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)])) satisfies CursorFilter;
}

/** The property is a number of items that a page can have. */
export function IsPageSize(): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isPageSize',
      validator: {
        validate: (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LARGEST_LIMIT,
        defaultMessage: () => `limit must be an integer from 1 to ${LARGEST_LIMIT}, in plain digits`,
      },
    },
    { context: { schema: { type: 'integer', format: 'int32', minimum: 1, maximum: LARGEST_LIMIT, default: DEFAULT_LIMIT } } },
  );
}

function IsCursor(): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isCursor',
      validator: {
        validate: (value: unknown, given) => typeof value === 'string' && isCursorOf(value, given?.object as PageRequest),
        defaultMessage: () =>
          'cursor is not valid for this list; take it unchanged from the Link header of the page before, with the same filter',
      },
    },
    { context: { schema: { type: 'string', minLength: 16, maxLength: 16, pattern: CURSOR_PATTERN } } },
  );
}

function isCursorOf(cursor: string, request: PageRequest): boolean {
  try {
    decodeCursor(cursor, filterOf(request));
    return true;
  } catch {
    return false;
  }
}
