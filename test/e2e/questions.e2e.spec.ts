import { buildSchema, parse, validate } from 'graphql';
import type { GraphqlService } from './graphql.fixture.js';
import { openSixWeeks } from './questions.fixture.js';
import { fencedBlocks, readDocument } from './readme/readme-text.js';

type Data = Readonly<Record<string, unknown>>;
type Operation = string | ((earlier: Data) => string);

/** What somebody wants to know, the one or two requests that tell it, and what follows from the response to the last one. */
interface Question {
  readonly question: string;
  readonly operations: readonly [Operation] | readonly [Operation, Operation];
  /** Computes the answer from the data of the last request. Default: the data is the answer. */
  readonly conclude?: (data: Data) => unknown;
  readonly expected: unknown;
}

const GUIDES = ['docs/guides/graphql-examples.md', 'docs/guides/graphql-changes.md'];

/** The operations of the guides with the answers that are shown behind them, by name. */
const documented = new Map(
  fencedBlocks(GUIDES.map((guide) => readDocument(guide)).join('\n')).flatMap(({ language, text }, index, blocks) => {
    const next = blocks[index + 1];
    const name = /^query (\w+)/.exec(text)?.[1] ?? `block ${index}`;
    return language === 'graphql' ? [[name, { text, answer: next?.followsBlock ? next.text : undefined }] as const] : [];
  }),
);

/** The operation of the guides with this name. */
function ofGuide(name: string): Operation {
  const found = documented.get(name);
  if (!found) throw new Error(`No guide shows the operation ${name}.`);
  return found.text;
}

function toText(operation: Operation, earlier: Data = {}): string {
  return typeof operation === 'string' ? operation : operation(earlier);
}

/** The items of a list, or the nodes of a connection. */
function itemsOf(data: Data, field: string): readonly Data[] {
  const list = data[field] as readonly Data[] | { readonly nodes: readonly Data[] };
  return 'nodes' in list ? list.nodes : list;
}

/** Returns a function that writes the members of each item of a field as one line. */
function lines(field: string, ...members: readonly string[]): (data: Data) => string[] {
  return (data) => itemsOf(data, field).map((item) => members.map((member) => String(item[member])).join(' '));
}

/** The numbers of the streams of events. */
function numbersOf(data: Data): string {
  return itemsOf(data, 'events')
    .map(({ stream }) => String(stream).replace(/^.*-/, ''))
    .join();
}

interface SoldPet {
  readonly categoryId: string;
  readonly addedAt: string;
  readonly history: readonly { readonly recordedAt: string; readonly data: { readonly status?: string } }[];
}

/** The median of days from added to sold, by category. */
function mediansOf(pets: readonly SoldPet[]): Record<string, number> {
  const days = new Map<string, number[]>();
  for (const { categoryId, addedAt, history } of pets) {
    const soldAt = history.findLast(({ data }) => data.status === 'sold')?.recordedAt ?? '';
    days.set(categoryId, [...(days.get(categoryId) ?? []), (Date.parse(soldAt) - Date.parse(addedAt)) / DAY_MILLISECONDS]);
  }
  return Object.fromEntries([...days].map(([categoryId, values]) => [categoryId, median(values)]));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return middle.reduce((sum, value) => sum + value, 0) / middle.length;
}

const DAY_MILLISECONDS = 86_400_000;

const CHANGES_OF_11_JUNE = [
  'pet-7 pet-corrected',
  'pet-7 pet-status-set',
  'pet-10 pet-added',
  'order-7 order-placed',
  'pet-10 pet-status-set',
];

const questions: readonly Question[] = [
  {
    question: '1. How many animals of each status were there at the end of each week?',
    operations: [ofGuide('StatusCounts')],
    conclude: lines('petCounts', 'date', 'status', 'count'),
    expected: [
      ...['2026-05-18 AVAILABLE 1', '2026-05-18 PENDING 1', '2026-05-18 SOLD 3', '2026-05-18 null 1'],
      ...['2026-05-25 AVAILABLE 0', '2026-05-25 PENDING 0', '2026-05-25 SOLD 3', '2026-05-25 null 1'],
    ],
  },
  {
    question: '2. What happened since yesterday?',
    operations: ['{ events(filter: { since: "2026-06-11T00:00:00Z" }, first: 100) { totalCount nodes { type stream } } }'],
    conclude: lines('events', 'stream', 'type'),
    expected: [...CHANGES_OF_11_JUNE, 'order-7 order-approved'],
  },
  {
    question: '3. What are the last ten events?',
    operations: ['{ events(last: 10) { nodes { type stream } } }'],
    conclude: lines('events', 'stream', 'type'),
    expected: [
      ...['order-6 order-placed', 'pet-8 pet-status-set', 'order-6 order-cancelled', 'pet-8 pet-status-set'],
      ...CHANGES_OF_11_JUNE,
      'order-7 order-approved',
    ],
  },
  {
    question: '4. Which animals are the newest?',
    operations: ['{ pets(first: 3, orderBy: TIME_DESC) { nodes { id name addedAt } } }'],
    expected: {
      pets: {
        nodes: [
          { id: '10', name: 'Nala', addedAt: '2026-06-11T10:00:00.000Z' },
          { id: '9', name: 'Zoë', addedAt: '2026-06-01T10:00:00.000Z' },
          { id: '8', name: 'Otto', addedAt: '2026-06-01T10:00:00.000Z' },
        ],
      },
    },
  },
  {
    question: '5. Which orders were placed since Monday?',
    operations: ['{ orders(filter: { placedSince: "2026-06-08T00:00:00Z" }, first: 100) { totalCount nodes { id placedAt } } }'],
    expected: {
      orders: {
        totalCount: 3,
        nodes: [
          { id: '5', placedAt: '2026-06-08T10:00:00.000Z' },
          { id: '6', placedAt: '2026-06-09T12:00:00.000Z' },
          { id: '7', placedAt: '2026-06-11T15:30:00.000Z' },
        ],
      },
    },
  },
  {
    question: '6. Which animals have a name like “rex”?',
    operations: [ofGuide('SearchByName')],
    expected: { pets: { totalCount: 1, nodes: [{ id: '1', name: 'Rex' }] } },
  },
  {
    question: '7. Which animals are available or pending?',
    operations: ['{ pets(filter: { statusIn: [AVAILABLE, PENDING] }, first: 100) { totalCount nodes { id status } } }'],
    expected: {
      pets: {
        totalCount: 3,
        nodes: [
          { id: '7', status: 'PENDING' },
          { id: '8', status: 'AVAILABLE' },
          { id: '10', status: 'PENDING' },
        ],
      },
    },
  },
  {
    question: '8. Which animals have no status?',
    operations: ['{ pets(filter: { hasStatus: false }, first: 100) { totalCount nodes { id name } } }'],
    expected: {
      pets: {
        totalCount: 2,
        nodes: [
          { id: '3', name: 'Émile' },
          { id: '9', name: 'Zoë' },
        ],
      },
    },
  },
  {
    question: '9. How many orders have each status?',
    operations: ['{ orderCounts { status count } }'],
    conclude: lines('orderCounts', 'status', 'count'),
    expected: ['PLACED 0', 'APPROVED 1', 'DELIVERED 3', 'CANCELLED 1', 'EXPIRED 2'],
  },
  {
    question: '10. Whose is a key, what may it do, and when was it used?',
    operations: ['{ apiKey(id: 4) { name owner plan scopes status createdAt lastUsedAt } }'],
    expected: {
      apiKey: {
        ...{ name: 'Partner', owner: 'Happy Paws', plan: 'enterprise', scopes: ['orders'], status: 'ACTIVE' },
        ...{ createdAt: '2026-05-01T08:00:00.000Z', lastUsedAt: '2026-06-08T10:00:00.000Z' },
      },
    },
  },
  {
    question: '11. Which keys have used more than 80 % of their day?',
    operations: [ofGuide('BusyKeys')],
    expected: { apiKeys: { nodes: [{ id: '8', name: 'Busy shop', usage: { day: { used: 9, limit: 10 } } }] } },
  },
  {
    question: '12. Which of these many animals are there?',
    operations: [
      `{ pets(filter: { ids: [${Array.from({ length: 100 }, (_, place) => 100 - place).join()}] }, first: 100) { totalCount nodes { id } } }`,
    ],
    expected: { pets: { totalCount: 8, nodes: ['1', '3', '4', '6', '7', '8', '9', '10'].map((id) => ({ id })) } },
  },
  {
    question: '13. Which animals of a category are the newest?',
    operations: ['{ pets(filter: { categoryIn: [1] }, orderBy: ID_DESC) { nodes { name } } }'],
    conclude: lines('pets', 'name'),
    expected: ['Zoë', 'Luna', 'Émile', 'Rex'],
  },
  {
    question: '14. What changed on a day, and by whom?',
    operations: [ofGuide('ChangesOfADay')],
    conclude: lines('events', 'recordedAt', 'actor', 'type'),
    expected: [
      '2026-06-11T09:00:00.000Z api-key-5 pet-corrected',
      '2026-06-11T09:00:00.000Z api-key-5 pet-status-set',
      '2026-06-11T10:00:00.000Z api-key-5 pet-added',
      '2026-06-11T15:30:00.000Z api-key-3 order-placed',
      '2026-06-11T15:30:00.000Z api-key-3 pet-status-set',
    ],
  },
  {
    question: '15. Which orders expired last week, and whose were they?',
    operations: [
      '{ events(filter: { types: ["order-expired"], since: "2026-06-01T00:00:00Z", before: "2026-06-08T00:00:00Z" }, first: 100) { nodes { stream } } }',
      (events) => `{ orders(filter: { ids: [${numbersOf(events)}] }, first: 100) { nodes { id status placedBy expiresAt pet { name } } } }`,
    ],
    expected: {
      orders: { nodes: [{ id: '4', status: 'EXPIRED', placedBy: '4', expiresAt: '2026-06-03T10:00:00.000Z', pet: { name: 'Tarik' } }] },
    },
  },
  {
    question: '16. What is the whole story of an animal, with its orders?',
    operations: [ofGuide('StoryOfAnAnimal')],
    conclude: (data) => {
      const pet = data['pet'] as Data;
      const orders = itemsOf(pet, 'orders');
      return [lines('history', 'recordedAt', 'type')(pet), ...orders.map(lines('history', 'actor', 'type'))];
    },
    expected: [
      [
        '2026-06-01T10:00:00.000Z pet-added',
        '2026-06-02T10:00:00.000Z pet-status-set',
        '2026-06-03T10:00:00.000Z pet-status-set',
        '2026-06-08T10:00:00.000Z pet-status-set',
        '2026-06-09T10:00:00.000Z pet-status-set',
        '2026-06-11T09:00:00.000Z pet-corrected',
        '2026-06-11T09:00:00.000Z pet-status-set',
      ],
      ['api-key-4 order-placed', 'system order-expired'],
      ['api-key-4 order-placed', 'system order-expired'],
    ],
  },
  {
    question: '17. Which animals were withdrawn in a month, and why?',
    operations: [
      ofGuide('Withdrawals'),
      (events) =>
        `{ pets(filter: { withdrawn: true, ids: [${numbersOf(events)}] }, first: 100) { totalCount nodes { name withdrawnAt withdrawalReason } } }`,
    ],
    expected: {
      pets: {
        totalCount: 2,
        nodes: [
          { name: 'Bella', withdrawnAt: '2026-05-25T09:00:00.000Z', withdrawalReason: 'returned to its owner' },
          { name: 'Rexine', withdrawnAt: '2026-05-28T15:00:00.000Z', withdrawalReason: 'moved to another shelter' },
        ],
      },
    },
  },
  {
    // One request as long as no more than 100 animals are sold: each page is a request.
    question: '18. What is the median of days from added to sold in each category?',
    operations: [
      '{ pets(filter: { statusIn: [SOLD] }, first: 100) { nodes { categoryId addedAt history(first: 100) { recordedAt data } } } }',
    ],
    conclude: (data) => mediansOf(itemsOf(data, 'pets') as unknown as SoldPet[]),
    expected: { 1: 7, 2: 10 },
  },
  {
    question: '19. Which keys were not used for 30 days?',
    operations: [ofGuide('UnusedKeys')],
    expected: {
      apiKeys: {
        totalCount: 2,
        nodes: [
          { id: '6', name: 'Old kiosk', lastUsedAt: '2026-05-01T08:00:00.000Z' },
          { id: '7', name: 'Spare', lastUsedAt: null },
        ],
      },
    },
  },
  {
    question: '20. What did a request do?',
    operations: [ofGuide('ChangesOfARequest')],
    expected: {
      events: {
        nodes: [
          { type: 'pet-corrected', stream: 'pet-7', data: { name: 'Tarik' } },
          { type: 'pet-status-set', stream: 'pet-7', data: { status: 'pending' } },
        ],
      },
    },
  },
  {
    question: '21. What was the inventory on a date?',
    operations: [ofGuide('InventoryOnADate')],
    conclude: lines('petCounts', 'status', 'count'),
    expected: ['AVAILABLE 1', 'PENDING 3', 'SOLD 1', 'null 1'],
  },
  {
    question: '22. What has a key ordered, and what are the animals?',
    operations: [ofGuide('OrdersOfAKey')],
    expected: {
      orders: {
        totalCount: 4,
        nodes: [
          { id: '7', status: 'APPROVED', pet: { id: '10', name: 'Nala' } },
          { id: '6', status: 'CANCELLED', pet: { id: '8', name: 'Otto' } },
          { id: '3', status: 'DELIVERED', pet: { id: '6', name: 'Luna' } },
          { id: '1', status: 'DELIVERED', pet: { id: '1', name: 'Rex' } },
        ],
      },
    },
  },
  {
    question: '23. Which orders were placed or cancelled between two moments?',
    operations: [
      `{ events(filter: { types: ["order-placed", "order-cancelled"], since: "2026-06-08T10:00:00.000Z", before: "2026-06-11T15:30:00.000Z" })
         { nodes { type stream } } }`,
    ],
    conclude: lines('events', 'stream', 'type'),
    expected: ['order-5 order-placed', 'order-6 order-placed', 'order-6 order-cancelled'],
  },
];

describe('questions about six weeks of a store', () => {
  let service: GraphqlService;
  beforeAll(async () => (service = await openSixWeeks()));
  afterAll(() => service.close());

  const ask = async (operation: string): Promise<Data> => {
    const { data, errors } = await service.ask<Data>(operation);
    expect(errors).toBeUndefined();
    return data ?? {};
  };

  it.each(questions)('$question', async ({ operations: [first, second], conclude = (data) => data, expected }) => {
    let data = await ask(toText(first));
    if (second) data = await ask(toText(second, data));
    expect(conclude(data)).toEqual(expected);
  });

  describe('in the guides', () => {
    it('are ten, each an operation that the schema takes', () => {
      const schema = buildSchema(readDocument('schema.graphql'));
      expect(documented.size).toBe(10);
      for (const { text } of documented.values()) expect(validate(schema, parse(text))).toEqual([]);
    });

    it.each([...documented.keys()])('have the answer that is shown: %s', async (name) => {
      const { text = '', answer = '' } = documented.get(name) ?? {};
      expect(await ask(text)).toEqual(JSON.parse(answer));
    });
  });
});
