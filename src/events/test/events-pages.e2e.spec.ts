import { Ajv2020 } from 'ajv/dist/2020.js';
import { EventStore } from '#libs/event-sourcing';
import type { Answer } from '../../../test/e2e/api-client.fixture.js';
import { BATCH, type CloudEvent } from '../../../test/e2e/event-stream.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';

const EVENTS = '/v1/events';

describe('pages of events', () => {
  let store: Store;
  let key: string;
  let beginning: string;
  beforeAll(async () => {
    store = await startStore();
    key = (await store.issueKey({ ...UNLIMITED, scopes: ['events'] })).token;
  });
  afterAll(() => store.close());
  beforeEach(async () => (beginning = `after=${await store.app.get(EventStore).lastPosition()}`));

  const read = (query = '', options = {}): Promise<Answer> => store.client.get(`${EVENTS}${query}`, { key, ...options });
  const eventsOf = async (query = ''): Promise<CloudEvent[]> => (await read(query)).json<CloudEvent[]>();
  it('show an adoption as CloudEvents, each with what REST showed just after it', async () => {
    const { id } = (await store.client.post('/v1/pets', { name: 'Rex', categoryId: 7, status: 'available' })).json<{ id: number }>();
    const order = await store.place(id, { note: 'On Saturday.' });
    await store.move(order.id, 'approve');
    await store.change(id, { name: 'Max' });
    await store.move(order.id, 'deliver');
    await store.withdraw(id);
    const events = await eventsOf(`?${beginning}`);
    expect(events.map(({ type, subject }) => `${type} ${subject}`)).toEqual([
      `pet.added pets/${id}`,
      `order.placed orders/${order.id}`,
      `pet.status_changed pets/${id}`,
      `order.approved orders/${order.id}`,
      `pet.corrected pets/${id}`,
      `order.delivered orders/${order.id}`,
      `pet.status_changed pets/${id}`,
      `pet.withdrawn pets/${id}`,
    ]);
    const pet = { id, name: 'Rex', categoryId: 7 };
    const { version: _version, ...placed } = order;
    const { expiresAt: _expiresAt, ...kept } = placed;
    expect(events.map(({ data }) => data)).toEqual([
      { ...pet, status: 'available' },
      { ...placed, status: 'placed', version: 1 },
      { ...pet, status: 'pending' },
      { ...kept, status: 'approved', version: 2 },
      { ...pet, name: 'Max', status: 'pending' },
      { ...kept, status: 'delivered', version: 3 },
      { ...pet, name: 'Max', status: 'sold' },
      { ...pet, name: 'Max', status: 'sold' },
    ]);
    const [first] = events;
    expect(first).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^[1-9]\d*$/),
      source: `${store.origin}/v1`,
      type: 'pet.added',
      subject: `pets/${id}`,
      time: '2026-06-01T12:00:00.000Z',
      datacontenttype: 'application/json',
      dataschema: `${store.origin}/schemas/pet.added/1`,
      sequence: first?.id.padStart(19, '0'),
      data: { ...pet, status: 'available' },
    });
  });

  it('are each of their own subject, however many are asked for at once', async () => {
    const subjects = (await store.addSeveral(10)).map((id) => `pets/${id}`);
    const pages = await Promise.all(subjects.map((subject) => eventsOf(`?${beginning}&subject=${subject}`)));
    expect(pages.map((events) => events.map(({ subject }) => subject))).toEqual(subjects.map((subject) => [subject]));
  });

  it('keep every digit of an int64', async () => {
    await store.client.post('/v1/pets', '{"name":"Rex","categoryId":9223372036854775807}');
    expect((await read(`?${beginning}`)).text).toContain('"name":"Rex","categoryId":9223372036854775807}');
  });

  it('never contain keys, nor the reason of a withdrawal', async () => {
    const [id] = await store.addSeveral(1);
    await store.client.send('DELETE', `/v1/pets/${id}?reason=secret-reason`, { key: store.keeper });
    await store.issueKey();
    const page = await read(`?${beginning}`);
    expect(page.json<CloudEvent[]>().map(({ type }) => type)).toEqual(['pet.added', 'pet.withdrawn']);
    expect(page.text).not.toMatch(/secret-reason|api-key/);
  });

  it('have data that fits the schema which they name, which everybody may read', async () => {
    await store.toOrderSnapshot('delivered');
    await store.toOrderSnapshot('expired');
    const checks = new Map<string, ReturnType<Ajv2020['compile']>>();
    for (const { dataschema, data } of await eventsOf(`?limit=100&${beginning}`)) {
      const { pathname } = new URL(dataschema);
      if (!checks.has(dataschema)) {
        const answer = await store.client.get(pathname, { key: null });
        expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/schema+json; charset=utf-8']);
        const schema = answer.json();
        expect(schema).toMatchObject({ $id: dataschema, $schema: 'https://json-schema.org/draft/2020-12/schema' });
        checks.set(dataschema, new Ajv2020({ strict: false, validateFormats: false }).compile(schema));
      }
      expect(checks.get(dataschema)?.(data)).toBe(true);
      expect(checks.get(dataschema)?.({ ...data, id: 'one' })).toBe(false);
    }
    expect(checks.size).toBe(6);
  });

  it('are given as a batch of CloudEvents to who asks for that', async () => {
    await store.addSeveral(1);
    const batch = await read('', { headers: { accept: BATCH } });
    expect([batch.headers['content-type'], batch.headers.vary]).toEqual([`${BATCH}; charset=utf-8`, 'Accept']);
    expect(batch.text).toBe((await read()).text);
  });

  it('need the scope events, which is enough for nothing else', async () => {
    expect((await read('', { key: store.keeper })).json()).toMatchObject({ code: 'insufficient_scope' });
    expect((await read('', { key: null })).json()).toMatchObject({ code: 'unauthorized' });
    expect((await store.client.get('/v1/pets', { key })).json()).toMatchObject({ code: 'insufficient_scope' });
  });
});
