import { SettableClock } from '#libs/testing';
import { Database, raw, sql } from '#libs/database';
import { EventStore } from '#libs/event-sourcing';
import { RetentionSchedule } from '../../operations/index.js';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { startWebhooks, type WebhookBody, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';

const HOUR = 3_600_000;

describe('the secret of a webhook endpoint', () => {
  let service: WebhookService;
  let clock: SettableClock;
  beforeEach(async () => {
    clock = new SettableClock();
    service = await startWebhooks({ clock });
  });
  afterEach(() => service.close());

  const rotate = async (id: number, query = '') => (await service.send('POST', `/${id}/rotate-secret${query}`)).json<WebhookBody>();
  const stored = async () =>
    Number(
      (await service.app.get(Database).reader.query<{ total: bigint }>(sql`SELECT count(*) AS "total" FROM ${raw('webhook_secrets')}`))[0]
        ?.total,
    );

  it('is given with the endpoint, and with a rotation', async () => {
    const { secret: first, ...endpoint } = await service.add();
    expect(await service.secretsOf(endpoint.id)).toEqual([first]);
    const answer = await service.send('POST', `/${endpoint.id}/rotate-secret`);
    const { secret: second, ...rotated } = answer.json<WebhookBody>();
    expect(answer.status).toBe(200);
    expect(rotated).toEqual(endpoint);
    expect(await service.secretsOf(endpoint.id)).toEqual([second, first]);
  });

  it.each([
    ['', 24],
    ['?grace=90m', 1.5],
    ['?grace=7d', 168],
    ['?grace=0s', 0],
  ])('signs beside the next one until the grace of "%s" is over', async (query, hours) => {
    const { id, secret: first } = await service.add();
    const { secret: second } = await rotate(id, query);
    if (hours > 0) {
      clock.advance(hours * HOUR - 1);
      expect(await service.secretsOf(id)).toEqual([second, first]);
      clock.advance(1);
    }
    expect(await service.secretsOf(id)).toEqual([second]);
    const [, event] = await service.app.get(EventStore).readStream(`webhook-${id}`);
    expect(event?.data).toEqual({ previousValidUntil: hours > 0 ? clock.now().toISOString() : null });
  });

  it('stays until its own time when there are further rotations, of which none may make it four that sign', async () => {
    const { id, secret: first } = await service.add();
    const { secret: second } = await rotate(id, '?grace=2h');
    const { secret: third } = await rotate(id, '?grace=3h');
    expect(await service.secretsOf(id)).toEqual([third, second, first]);
    const end = new Date(clock.now().getTime() + 2 * HOUR).toISOString();
    const refused = await service.send('POST', `/${id}/rotate-secret`);
    expect(refused.json()).toMatchObject({ code: 'too_many_secrets', status: 409 });
    expect(refused.text).toContain(`rotate again from ${end}`);
    expect(await service.historyOf(id)).toHaveLength(3);
    clock.advance(2 * HOUR - 1);
    expect(await service.secretsOf(id)).toEqual([third, second, first]);
    clock.advance(1);
    const { secret: fourth } = await rotate(id, '?grace=1m');
    expect(await service.secretsOf(id)).toEqual([fourth, second, third]);
  });

  it('ends at once with all others when a rotation gives no grace', async () => {
    const { id } = await service.add();
    await rotate(id);
    await rotate(id);
    const { secret } = await rotate(id, '?grace=0m');
    expect(await service.secretsOf(id)).toEqual([secret]);
  });

  it('is removed from the database some time after its end', async () => {
    const { id, secret: first } = await service.add();
    const { secret: second } = await rotate(id, '?grace=1h');
    clock.advance(HOUR);
    await service.app.get(RetentionSchedule, { strict: false }).run();
    expect(await stored()).toBe(2);
    clock.advance(1);
    await service.app.get(RetentionSchedule, { strict: false }).run();
    expect(await stored()).toBe(1);
    expect(await service.secretsOf(id)).toEqual([second]);
    expect(first).not.toBe(second);
  });

  it.each(['8d', '24', '-1h', ''])('is not rotated with the grace "%s"', async (grace) => {
    const { id, secret } = await service.add();
    const answer = await service.send('POST', `/${id}/rotate-secret?grace=${encodeURIComponent(grace)}`);
    expect(answer.json()).toMatchObject({ code: 'invalid_parameter', status: 400 });
    expect(answer.text).toContain('grace must be a whole number and a unit');
    expect(await service.secretsOf(id)).toEqual([secret]);
  });

  it('is nowhere else: not in reads, events, lists, the log, or what repeats its answer', async () => {
    const headers = { 'idempotency-key': 'k' };
    const { id, secret: first = '' } = await service.add({}, { headers });
    const { secret: second = '' } = await rotate(id);
    const repeated = await service.send('POST', '', { body: { url: 'https://1.1.1.1/events' }, headers });
    expect(repeated).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    const told = [
      repeated.text,
      (await service.send('GET')).text,
      (await service.send('GET', `/${id}`)).text,
      (await service.send('PATCH', `/${id}`, { body: { description: 'x' } })).text,
      JSON.stringify((await service.app.get(EventStore).readAll({ limit: 1_000 })).map(({ data, metadata }) => [data, metadata])),
      (await runHere(service.backend, ['events', 'list'])).stdout,
      (await runHere(service.backend, ['webhooks', 'show', `${id}`])).stdout,
      (await runHere(service.backend, ['webhooks', 'list'])).stdout,
      (await service.client.post('/graphql', { query: '{ webhooks { nodes { id url description types } } }' }, { key: service.tools }))
        .text,
    ];
    for (const text of told) {
      expect(text).not.toBe('');
      for (const secret of [first, second]) expect(text).not.toContain(secret.slice('whsec_'.length));
      expect(text).not.toContain('whsec_');
    }
  });
});
