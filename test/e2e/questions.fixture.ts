import { TimeoutSchedule } from '#libs/event-sourcing';
import { expectEventually, SettableClock } from '#libs/testing';
import type { Answer } from './api-client.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { UNLIMITED } from './service.fixture.js';
import { ORDERS } from './store.fixture.js';

/** A Friday; the week before it is that of 1 June. */
const NOW = '2026-06-12T12:00:00.000Z';

/** Who calls the service, by the names of their keys. Their ids are 3 to 8, in this order; 1 and 2 are those of the test. */
const KEYS = {
  Website: { ...UNLIMITED, scopes: ['orders'], owner: 'Web team' },
  Partner: { ...UNLIMITED, scopes: ['orders'], owner: 'Happy Paws' },
  Counter: { ...UNLIMITED, scopes: ['pets', 'pets:write', 'orders:all'], owner: 'Staff' },
  'Old kiosk': { scopes: ['pets'], plan: 'pro' },
  Spare: { scopes: ['pets'], plan: 'pro' },
  'Busy shop': { scopes: ['pets'], plan: 'enterprise', perMinute: 1_000, perDay: 10 },
};

type KeyName = keyof typeof KEYS;

/** Opens a service whose log has six weeks of a small store, all of it done by requests. The clock stands at 12 June 2026. */
export async function openSixWeeks(): Promise<GraphqlService> {
  const clock = new SettableClock(new Date('2026-05-01T08:00:00.000Z'));
  const service = await startGraphqlService({ clock });
  const store = new StoreOfKeys(service, await issueKeys(service));
  await store.usePets('Old kiosk');
  await fillMay(store);
  await fillJune(store);
  store.at(NOW);
  await service.client.get('/v1/pets');
  for (let request = 0; request < 9; request += 1) await store.usePets('Busy shop');
  await waitForUses(service);
  return service;
}

async function fillMay(store: StoreOfKeys): Promise<void> {
  store.at('2026-05-04T10:00:00.000Z');
  await store.add('Rex', 1, 'available'); // 1
  await store.add('Bella', 2, 'available'); // 2
  store.at('2026-05-11T10:00:00.000Z');
  await store.add('Émile', 1); // 3
  await store.add('Max', 2, 'available'); // 4
  store.at('2026-05-12T09:00:00.000Z');
  const rex = await store.order('Website', 1, 'We come on Thursday.');
  await store.move(rex, 'approve');
  store.at('2026-05-14T10:00:00.000Z');
  await store.move(rex, 'deliver');
  store.at('2026-05-18T10:00:00.000Z');
  await store.add('Rexine', 3, 'pending'); // 5
  await store.add('Luna', 1, 'available'); // 6
  store.at('2026-05-19T09:00:00.000Z');
  const max = await store.order('Partner', 4);
  await store.move(max, 'approve');
  store.at('2026-05-20T09:00:00.000Z');
  const luna = await store.order('Website', 6);
  await store.move(luna, 'approve');
  store.at('2026-05-21T10:00:00.000Z');
  await store.move(max, 'deliver');
  store.at('2026-05-22T10:00:00.000Z');
  await store.move(luna, 'deliver');
  store.at('2026-05-25T09:00:00.000Z');
  await store.withdraw(2, 'returned to its owner');
  store.at('2026-05-28T15:00:00.000Z');
  await store.withdraw(5, 'moved to another shelter');
}

async function fillJune(store: StoreOfKeys): Promise<void> {
  store.at('2026-06-01T10:00:00.000Z');
  await store.add('Tarek', 2, 'available'); // 7
  await store.add('Otto', 3, 'available'); // 8
  await store.add('Zoë', 1); // 9
  store.at('2026-06-02T10:00:00.000Z');
  await store.expire(await store.order('Partner', 7), '2026-06-03T10:00:00.000Z');
  store.at('2026-06-08T10:00:00.000Z');
  await store.expire(await store.order('Partner', 7), '2026-06-09T10:00:00.000Z');
  store.at('2026-06-09T12:00:00.000Z');
  const otto = await store.order('Website', 8);
  store.at('2026-06-09T13:00:00.000Z');
  await store.cancel('Website', otto, 'changed their mind');
  store.at('2026-06-11T09:00:00.000Z');
  await store.change(7, { name: 'Tarik', status: 'pending' }, 'rename-tarek-1');
  store.at('2026-06-11T10:00:00.000Z');
  await store.add('Nala', 2, 'available'); // 10
  store.at('2026-06-11T15:30:00.000Z');
  const nala = await store.order('Website', 10, 'Is she fond of cats?');
  store.at('2026-06-12T09:00:00.000Z');
  await store.move(nala, 'approve');
}

async function issueKeys(service: GraphqlService): Promise<Readonly<Record<KeyName, string>>> {
  const tokens: [string, string][] = [];
  for (const [name, values] of Object.entries(KEYS)) tokens.push([name, (await service.issueKey({ name, ...values })).token]);
  return Object.fromEntries(tokens) as Record<KeyName, string>;
}

/** Uses and counts are saved within a second of real time. */
async function waitForUses(service: GraphqlService): Promise<void> {
  const names = async (filter: string) => {
    const { data } = await service.ask<Keys>(`{ apiKeys(filter: {${filter}}) { nodes { name } } }`);
    return data?.apiKeys.nodes.map(({ name }) => name) ?? [];
  };
  await expectEventually(() => names('unusedSince: "2026-06-12T00:00:00Z"'), ['Website', 'Partner', 'Old kiosk', 'Spare']);
  await expectEventually(() => names('usedAbove: 89'), ['Busy shop']);
}

interface Keys {
  readonly apiKeys: { readonly nodes: readonly { readonly name: string }[] };
}

/** What those with keys do, each by one request that succeeds. */
class StoreOfKeys {
  constructor(
    private readonly service: GraphqlService,
    private readonly tokens: Readonly<Record<KeyName, string>>,
  ) {}

  at(moment: string): void {
    this.service.clock.set(moment);
  }

  async usePets(key: KeyName): Promise<void> {
    succeeded(await this.service.client.get('/v1/pets', { key: this.tokens[key] }));
  }

  async add(name: string, categoryId: number, status?: string): Promise<void> {
    await this.send('POST', '/v1/pets', 'Counter', { name, categoryId, status });
  }

  async change(petId: number, body: object, requestId: string): Promise<void> {
    await this.send('PATCH', `/v1/pets/${petId}`, 'Counter', body, { 'x-request-id': requestId });
  }

  async withdraw(petId: number, reason: string): Promise<void> {
    await this.send('DELETE', `/v1/pets/${petId}?reason=${encodeURIComponent(reason)}`, 'Counter');
  }

  async order(key: KeyName, petId: number, note?: string): Promise<number> {
    return (await this.send('POST', ORDERS, key, { petId, note })).json<{ id: number }>().id;
  }

  async move(orderId: number, move: 'approve' | 'deliver'): Promise<void> {
    await this.send('POST', `${ORDERS}/${orderId}/${move}`, 'Counter');
  }

  async cancel(key: KeyName, orderId: number, reason: string): Promise<void> {
    await this.send('POST', `${ORDERS}/${orderId}/cancel`, key, { reason });
  }

  /** Lets the time of an order pass. The service may notice by itself at the same moment. */
  async expire(orderId: number, expiresAt: string): Promise<void> {
    this.at(expiresAt);
    await this.service.app.get(TimeoutSchedule).run();
    const status = async () =>
      (await this.service.client.get(`${ORDERS}/${orderId}`, { key: this.tokens.Counter })).json<{ status: string }>().status;
    await expectEventually(status, 'expired');
  }

  private async send(method: string, target: string, key: KeyName, body?: unknown, headers = {}): Promise<Answer> {
    return succeeded(await this.service.client.send(method, target, { key: this.tokens[key], body, headers }));
  }
}

function succeeded(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`This was to succeed: ${answer.text}`);
  return answer;
}
