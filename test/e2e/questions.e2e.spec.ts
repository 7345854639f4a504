import { TimeoutSchedule } from '#libs/event-sourcing';
import { expectEventually, SettableClock } from '#libs/testing';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { fencedBlocks, readDocument } from './readme/readme-text.js';
import { UNLIMITED } from './service.fixture.js';
import { ORDERS } from './store.fixture.js';

/** Who calls the service, by the names of their keys. Their ids are 3 to 8, in this order; 1 and 2 are those of the test. */
const KEYS = {
  Website: { ...UNLIMITED, scopes: ['orders'], owner: 'Web team' },
  Partner: { ...UNLIMITED, scopes: ['orders'], owner: 'Happy Paws' },
  Counter: { ...UNLIMITED, scopes: ['pets', 'pets:write', 'orders:all'], owner: 'Staff' },
  'Old kiosk': { scopes: ['pets'], plan: 'pro' },
  Spare: { scopes: ['pets'], plan: 'pro' },
  'Busy shop': { scopes: ['pets'], plan: 'enterprise', perMinute: 1_000, perDay: 10 },
} as const;

type Step = readonly [key: keyof typeof KEYS, request: string, body?: object, headers?: Readonly<Record<string, string>>];

const add = (name: string, categoryId: number, status?: string): Step => ['Counter', 'POST /v1/pets', { name, categoryId, status }];
const withdraw = (id: number, reason: string): Step => ['Counter', `DELETE /v1/pets/${id}?reason=${encodeURIComponent(reason)}`];
const order = (key: 'Website' | 'Partner', petId: number, note?: string): Step => [key, `POST ${ORDERS}`, { petId, note }];
const move = (id: number, to: string): Step => ['Counter', `POST ${ORDERS}/${id}/${to}`];

/** Six weeks of a small store. Orders that are open expire once their time is over. */
const HISTORY: readonly (readonly [moment: string, ...steps: readonly Step[]])[] = [
  ['2026-05-04T10:00', add('Rex', 1, 'available'), add('Bella', 2, 'available')],
  ['2026-05-11T10:00', add('Émile', 1), add('Max', 2, 'available')],
  ['2026-05-12T09:00', order('Website', 1, 'We come on Thursday.'), move(1, 'approve')],
  ['2026-05-14T10:00', move(1, 'deliver')],
  ['2026-05-18T10:00', add('Rexine', 3, 'pending'), add('Luna', 1, 'available')],
  ['2026-05-19T09:00', order('Partner', 4), move(2, 'approve')],
  ['2026-05-20T09:00', order('Website', 6), move(3, 'approve')],
  ['2026-05-21T10:00', move(2, 'deliver')],
  ['2026-05-22T10:00', move(3, 'deliver')],
  ['2026-05-25T09:00', withdraw(2, 'returned to its owner')],
  ['2026-05-28T15:00', withdraw(5, 'moved to another shelter')],
  ['2026-06-01T10:00', add('Tarek', 2, 'available'), add('Otto', 3, 'available'), add('Zoë', 1)],
  ['2026-06-02T10:00', order('Partner', 7)],
  ['2026-06-03T10:00'],
  ['2026-06-08T10:00', order('Partner', 7)],
  ['2026-06-09T10:00'],
  ['2026-06-09T12:00', order('Website', 8)],
  ['2026-06-09T13:00', ['Website', `POST ${ORDERS}/6/cancel`, { reason: 'changed their mind' }]],
  ['2026-06-11T09:00', ['Counter', 'PATCH /v1/pets/7', { name: 'Tarik', status: 'pending' }, { 'x-request-id': 'rename-tarek-1' }]],
  ['2026-06-11T10:00', add('Nala', 2, 'available')],
  ['2026-06-11T15:30', order('Website', 10, 'Is she fond of cats?')],
  ['2026-06-12T09:00', move(7, 'approve')],
  ['2026-06-12T12:00', ...Array.from({ length: 9 }, (): Step => ['Busy shop', 'GET /v1/pets'])],
];

/** The operations of the guide with the answers that are shown behind them, by name. */
const documented = fencedBlocks(readDocument('docs/guides/graphql-examples.md')).flatMap(({ language, text }, index, blocks) =>
  language === 'graphql' ? [[/^query (\w+)/.exec(text)?.[1] ?? '', text, blocks[index + 1]?.text ?? ''] as const] : [],
);

describe('questions about six weeks of a store', () => {
  let service: GraphqlService;
  const ask = async (operation: string) => (await service.ask<Record<string, unknown>>(operation)).data;

  beforeAll(async () => {
    service = await startGraphqlService({ clock: new SettableClock(new Date('2026-05-01T08:00:00.000Z')) });
    const tokens = new Map<string, string>();
    for (const [name, values] of Object.entries(KEYS)) tokens.set(name, (await service.issueKey({ name, ...values })).token);
    const send = async ([name, request, body, headers = {}]: Step) => {
      const [method = '', target = ''] = request.split(' ');
      const answer = await service.client.send(method, target, { key: tokens.get(name) ?? null, body, headers });
      expect(answer.status).toBeLessThan(300);
      return answer;
    };
    await send(['Old kiosk', 'GET /v1/pets']);
    for (const [moment, ...steps] of HISTORY) {
      service.clock.set(`${moment}:00.000Z`);
      // The service may notice by itself at the same moment.
      await service.app.get(TimeoutSchedule).run();
      if (steps.length === 0) await expectEventually(async () => (await send(['Counter', `GET ${ORDERS}?status=placed`])).text, '[]');
      for (const step of steps) await send(step);
    }
    await service.client.get('/v1/pets');
    // Uses and counts are saved within a second of real time.
    const unused = '{ apiKeys(filter: { unusedSince: "2026-06-12T00:00:00Z" }) { totalCount } }';
    await expectEventually(() => ask(unused), { apiKeys: { totalCount: 4 } });
    await expectEventually(() => ask('{ apiKeys(filter: { usedAbove: 89 }) { totalCount } }'), { apiKeys: { totalCount: 1 } });
  });
  afterAll(() => service.close());

  it('are seven in the guides', () => expect(documented).toHaveLength(7));

  it.each(documented)('have the answer that the guides show: %s', async (_name, text, answer) => {
    expect(await ask(text)).toEqual(JSON.parse(answer));
  });
});
