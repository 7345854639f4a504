import { crc32 } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidParameter } from '#libs/observability';
import { ApiDescription, createRule, IfGiven } from '../validation/rules.js';
import type { RouteReads } from '../routes/route-metadata.js';

export const DEFAULT_LIMIT = 20;
export const LARGEST_LIMIT = 100;

/** The parameters of a list except those of the page; a cursor is valid only for them. */
export type CursorFilter = Readonly<Record<string, string | undefined>>;

/** What tells the path of a list. */
export type ListRoute = Pick<FastifyRequest, 'routeOptions' | 'params'>;

const ID_BYTES = 8;
const CURSOR_PATTERN = '^[A-Za-z0-9_-]{16}$';
const CURSOR = new RegExp(CURSOR_PATTERN);
const WRONG_CURSOR = 'is not valid for this list; take it unchanged from the Link header of the page before, with the same filter';

/**
 * Returns an opaque cursor for the items after `lastId`. A checksum binds it to the filter and the list; it guards against mistakes, not
 * forgery. Its twelve bytes are sixteen characters without spare bits, so no two texts are the same cursor.
 * @param list a name that no other list has
 */
export function encodeCursor(lastId: bigint, filter: CursorFilter, list = ''): string {
  const bytes = Buffer.alloc(ID_BYTES + 4);
  bytes.writeBigInt64BE(lastId);
  bytes.writeUInt32BE(checksum(bytes.subarray(0, ID_BYTES), filter, list), ID_BYTES);
  return bytes.toString('base64url');
}

/**
 * Returns the id that a cursor of `encodeCursor` continues after.
 * @throws ApplicationError `invalid_parameter` for a cursor that was changed or belongs to another filter or list.
 */
export function decodeCursor(text: string, filter: CursorFilter, list = ''): bigint {
  const id = tryDecodeCursor(text, filter, list);
  if (id === undefined) throw invalidParameter('cursor', 'cursor', `cursor ${WRONG_CURSOR}`);
  return id;
}

function tryDecodeCursor(text: string, filter: CursorFilter, list: string): bigint | undefined {
  if (!CURSOR.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.readUInt32BE(ID_BYTES) === checksum(bytes.subarray(0, ID_BYTES), filter, list) ? bytes.readBigInt64BE() : undefined;
}

function checksum(id: Uint8Array, filter: CursorFilter, list: string): number {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined);
  return crc32(JSON.stringify(given.sort(([left], [right]) => (left < right ? -1 : 1))), crc32(list, crc32(id)));
}

/** The page of a list that a request asks for. A class that extends it adds the filters of its list, each a query parameter. */
export class PageRequest {
  @IsPageSize()
  @ApiDescription('The most items to return.')
  readonly limit: number = DEFAULT_LIMIT;

  @IfGiven()
  @IsCursor()
  @ApiDescription('Where the page begins: taken from the `Link` of the page before, with the same filters.')
  readonly cursor?: string;

  #list = '';

  /** The list that cursors are bound to. */
  get list(): string {
    return this.#list;
  }

  /** Binds cursors to the list of a request. */
  bindTo(request: ListRoute): void {
    this.#list = buildPath(request);
  }
}

type WithoutCursor<Request extends PageRequest> = Omit<Request, 'cursor' | 'list' | 'bindTo'>;

/** A page for a query of the read model: the filters, and the id to continue after. */
export type PageOf<Request extends PageRequest> = WithoutCursor<Request> & { readonly after?: bigint };

/** Returns the page of a valid request. */
export function pageOf<Request extends PageRequest>(request: Request): PageOf<Request> {
  const { cursor, ...page } = request;
  const given = Object.fromEntries(Object.entries(page).filter(([, value]) => value !== undefined)) as WithoutCursor<Request>;
  return { ...given, ...(cursor !== undefined && { after: decodeCursor(cursor, toFilter(request), request.list) }) };
}

/** Adds the `Link` (RFC 8288) to the page after the item with the id `next`; none if that is undefined. */
export function linkNextPage(reply: FastifyReply, request: PageRequest, next: bigint | undefined): void {
  if (next === undefined) return;
  const filter = toFilter(request);
  linkNext(reply, { limit: request.limit, ...filter, cursor: encodeCursor(next, filter, request.list) });
}

/** Adds a `Link` to the same path with these parameters as the next page; undefined ones are left out. */
export function linkNext(reply: FastifyReply, parameters: Readonly<Record<string, unknown>>): void {
  const query = new URLSearchParams(writeParameters(parameters)).toString();
  void reply.header('Link', `<${buildPath(reply.request)}?${query}>; rel="next"`);
}

/** Whether the response of a route is a page of a list. */
export function readsPage({ query }: RouteReads = {}): boolean {
  return query !== undefined && new query() instanceof PageRequest;
}

/** Returns the path of a request in its normal spelling. */
function buildPath({ routeOptions: { url = '' }, params }: ListRoute): string {
  const values = (params ?? {}) as Readonly<Record<string, string>>;
  return url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
}

/** Returns all parameters except those of the page: a cursor is bound to them. */
function toFilter({ limit: _limit, cursor: _cursor, ...filters }: PageRequest): Record<string, string> {
  return writeParameters(filters) satisfies CursorFilter;
}

/** Writes values as the query parameters that they were read from. */
function writeParameters(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : String(value)]));
}

/** The property is the number of items of a page. */
export function IsPageSize(): PropertyDecorator {
  return createRule({
    name: 'isPageSize',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: LARGEST_LIMIT, default: DEFAULT_LIMIT },
    isValid: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= LARGEST_LIMIT,
    expected: `must be an integer from 1 to ${LARGEST_LIMIT}, in plain digits`,
  });
}

function IsCursor(): PropertyDecorator {
  return createRule({
    name: 'isCursor',
    schema: { type: 'string', maxLength: 16, pattern: CURSOR_PATTERN },
    isValid: (value, request) => {
      const page = request as PageRequest;
      return typeof value === 'string' && tryDecodeCursor(value, toFilter(page), page.list) !== undefined;
    },
    expected: WRONG_CURSOR,
  });
}
