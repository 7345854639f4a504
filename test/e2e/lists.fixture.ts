import fc from 'fast-check';
import type { Answer } from './api-client.fixture.js';
import { UNLIMITED } from './service.fixture.js';
import type { GraphqlService } from './graphql.fixture.js';

const STATUSES = ['available', 'pending', 'sold'] as const;

/** An animal as a test adds it, and withdraws it if it is drawn so. */
export interface DrawnPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: (typeof STATUSES)[number] | undefined;
  /** How long after the animal before it, in milliseconds. */
  readonly later: number;
  readonly isWithdrawn: boolean;
}

export interface AddedPet extends DrawnPet {
  readonly id: number;
  /** As REST returned it. */
  readonly text: string;
  readonly addedAt: Date;
}

export interface DrawnFilters {
  readonly status: readonly string[] | undefined;
  readonly categories: readonly bigint[] | undefined;
  readonly name: string | undefined;
  readonly since: Date | undefined;
  readonly before: Date | undefined;
  readonly ids: readonly number[] | undefined;
}

/** What names are made of: letters that differ by case, have several forms or mean something in patterns and queries. */
const PIECES = 'Re rE X x É é e\u0301 ß ẞ SS ſ İ ı ﬁ FI Σ σ ς Ж ж 日本 😀 Ａ a % _ \\ " \' * ,'.split(' ').concat(' ');
const CATEGORIES = [-(2n ** 63n), -1n, 0n, 1n, 7n, 2n ** 63n - 1n];
const name = (most: number) =>
  fc
    .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: most })
    .map((pieces) => pieces.join(''))
    .filter((text) => text.trim() !== '');

export const drawnPet: fc.Arbitrary<DrawnPet> = fc.record({
  name: name(5),
  categoryId: fc.constantFrom(...CATEGORIES),
  status: fc.constantFrom(...STATUSES, undefined),
  later: fc.constantFrom(0, 1, 999),
  isWithdrawn: fc.nat(3).map((drawn) => drawn === 0),
});

const maybe = <Value>(drawn: fc.Arbitrary<Value>) => fc.option(drawn, { nil: undefined, freq: 2 });

/** Filters; their times are at most a millisecond before or after those of an animal. */
export const drawnFilters = (pets: () => readonly AddedPet[]): fc.Arbitrary<DrawnFilters> => {
  const moment = fc.tuple(fc.nat(1_000), fc.constantFrom(-1, 0, 1));
  const toDate = ([place, later]: readonly [number, number]) =>
    new Date((pets()[place % Math.max(pets().length, 1)]?.addedAt ?? new Date(0)).getTime() + later);
  return fc.record({
    status: maybe(fc.uniqueArray(fc.constantFrom(...STATUSES, 'unset'), { minLength: 1, maxLength: 4 })),
    categories: maybe(fc.uniqueArray(fc.constantFrom(...CATEGORIES), { minLength: 1, maxLength: 4 })),
    name: maybe(name(2).filter((text) => [...text].length > 1)),
    since: maybe(moment).map((drawn) => drawn && toDate(drawn)),
    before: maybe(moment).map((drawn) => drawn && toDate(drawn)),
    ids: fc.option(fc.uniqueArray(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 50 }), { nil: undefined, freq: 1 }),
  });
};

/** Computes which animals match, ascending by time and id. */
export function matching(pets: readonly AddedPet[], { status, categories, name: part, since, before, ids }: DrawnFilters): number[] {
  return pets
    .filter(
      (pet) =>
        !pet.isWithdrawn &&
        (!ids || ids.includes(pet.id)) &&
        (!status || status.includes(pet.status ?? 'unset')) &&
        (!categories || categories.includes(pet.categoryId)) &&
        (part === undefined || fold(pet.name).includes(fold(part))) &&
        (!since || pet.addedAt >= since) &&
        (!before || pet.addedAt < before),
    )
    .sort((one, other) => one.addedAt.getTime() - other.addedAt.getTime() || one.id - other.id)
    .map(({ id }) => id);
}

/** Letters that differ by case or by their form only are the same. */
function fold(text: string): string {
  return [...text.normalize('NFKC')].map((letter) => letter.toLowerCase().replace('ς', 'σ')).join('');
}

/** Writes filters as query parameters, times with a finer fraction and another zone than links have. */
export function toQuery({ status, categories, name: part, since, before, ids }: DrawnFilters): Record<string, string> {
  const time = (date: Date) => `${new Date(date.getTime() + 2 * 3_600_000).toISOString().slice(0, -1)}9+02:00`;
  return {
    ...(status && { status: status.join() }),
    ...(categories && { categoryId: categories.join() }),
    ...(part !== undefined && { name: part }),
    ...(since && { addedSince: time(since) }),
    ...(before && { addedBefore: time(before) }),
    ...(ids && { ids: ids.join() }),
  };
}

/** Writes filters as the input of GraphQL; undefined if it cannot say the same. */
export function toInput({ status, categories, name: part, since, before, ids }: DrawnFilters): object | undefined {
  if (status?.includes('unset') && status.length > 1) return undefined;
  return {
    ...(status && (status.includes('unset') ? { hasStatus: false } : { statusIn: status.map((word) => word.toUpperCase()) })),
    ...(categories && { categoryIn: categories.map(String) }),
    ...(part !== undefined && { nameContains: part }),
    ...(since && { addedSince: since.toISOString() }),
    ...(before && { addedBefore: before.toISOString() }),
    ...(ids && { ids: ids.map(String) }),
  };
}

export class PetHerd {
  readonly pets: AddedPet[] = [];

  private constructor(
    private readonly service: GraphqlService,
    private readonly keeper: string,
  ) {}

  static async of(service: GraphqlService): Promise<PetHerd> {
    return new PetHerd(service, (await service.issueKey({ ...UNLIMITED, scopes: ['pets:write'] })).token);
  }

  async add({ later, ...pet }: DrawnPet): Promise<void> {
    const { client, clock } = this.service;
    clock.advance(later);
    const status = pet.status === undefined ? '' : `,"status":"${pet.status}"`;
    const answer = await client.post('/v1/pets', `{"name":${JSON.stringify(pet.name)},"categoryId":${pet.categoryId}${status}}`);
    const { id } = answer.json<{ id: number }>();
    this.pets.push({ ...pet, later, id, text: answer.text, addedAt: clock.now() });
    if (pet.isWithdrawn) await client.send('DELETE', `/v1/pets/${id}?reason=gone`, { key: this.keeper });
  }
}

export function nextOf(answer: Answer): string | undefined {
  return /<([^>]+)>; rel="next"/.exec(String(answer.headers.link ?? ''))?.[1];
}

export async function walkLinks(first: string, read: (target: string) => Promise<Answer>): Promise<Answer[]> {
  const pages: Answer[] = [];
  for (let target: string | undefined = first; target !== undefined; target = nextOf(pages.at(-1) as Answer)) {
    pages.push(await read(target));
    expect(pages.at(-1)).toMatchObject({ status: 200 });
  }
  return pages;
}

export function idsOf(page: Answer): number[] {
  return page.json<{ id: number }[]>().map(({ id }) => id);
}

export interface Page {
  readonly totalCount: number;
  readonly edges: readonly { readonly cursor: string; readonly node: Readonly<Record<string, string>> }[];
  readonly pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

export type ReadPage = (given: Readonly<Record<string, unknown>>) => Promise<Page>;

const PLACE = '$first: Int, $after: String, $last: Int, $before: String, $orderBy: ListOrder';
const GIVEN = 'first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy';
const fieldsOf = (node: string) =>
  `{ totalCount edges { cursor node { ${node} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;
const queryOf = (list: string, filter: string, node = 'id') =>
  `query(${PLACE}, $filter: ${filter}) { list: ${list}(${GIVEN}, filter: $filter) ${fieldsOf(node)} }`;

export const ORDERS_BY = ['ID_ASC', 'ID_DESC', 'TIME_ASC', 'TIME_DESC', undefined];

/** The lists of the query schema, what tells their items apart, and the operation that reads a page. */
export const LISTS = [
  ['pets', 'id', queryOf('pets', 'PetFilter')],
  ['orders', 'id', queryOf('orders', 'OrderFilter')],
  ['events', 'position', queryOf('events', 'EventFilter', 'position')],
  ['apiKeys', 'id', queryOf('apiKeys', 'ApiKeyFilter')],
  ['webhooks', 'id', `query(${PLACE}) { list: webhooks(${GIVEN}) ${fieldsOf('id')} }`],
  ['Pet.orders', 'id', `query(${PLACE}) { pet(id: 1) { list: orders(${GIVEN}) ${fieldsOf('id')} } }`],
] as const;

interface AskedPage {
  readonly data: { readonly list?: Page; readonly pet?: { readonly list: Page } } | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

export async function ask({ client }: GraphqlService, key: string, query: string, variables: object = {}): Promise<AskedPage> {
  return (await client.post('/graphql', { query, variables }, { key })).json();
}

export function pageReader(service: GraphqlService, key: string, query: string, further: object = {}): ReadPage {
  return async (given) => {
    const { data, errors } = await ask(service, key, query, { ...further, ...given });
    expect(errors).toBeUndefined();
    return data?.list ?? (data?.pet?.list as Page);
  };
}

/** Reads all pages from the beginning, or from the end of the list, and checks what each says of its neighbours. */
export async function walk(read: ReadPage, size: number, backward: boolean): Promise<Page['edges']> {
  let edges: Page['edges'] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Page = await read(backward ? { last: size, before: cursor } : { first: size, after: cursor });
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
    expect([startCursor, endCursor]).toEqual([page.edges.at(0)?.cursor ?? null, page.edges.at(-1)?.cursor ?? null]);
    const [goesOn, cameFrom] = backward ? [hasPreviousPage, hasNextPage] : [hasNextPage, hasPreviousPage];
    expect(cameFrom).toBe(cursor !== undefined);
    if (goesOn) expect(page.edges).toHaveLength(size);
    edges = backward ? [...page.edges, ...edges] : [...edges, ...page.edges];
    expect(page.totalCount).toBeGreaterThanOrEqual(edges.length);
    cursor = goesOn ? (backward ? startCursor : endCursor) : null;
    if (cursor === null) expect(page.totalCount).toBe(edges.length);
  }
  return edges;
}
