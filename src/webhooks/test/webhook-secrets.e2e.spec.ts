import { Database, raw, sql } from '#libs/database';
import { EventStore } from '#libs/event-sourcing';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { ADDRESS, startWebhooks, type WebhookBody, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';
import { RetentionSchedule } from '../../operations/index.js';

const HOUR = 3_600_000;

describe('the secret of a webhook endpoint', () => {
  let service: WebhookService;
  beforeAll(async () => (service = await startWebhooks()));
  afterAll(() => service.close());

  const rotate = async (id: number, query = '') => (await service.send('POST', `/${id}/rotate-secret${query}`)).json<WebhookBody>();
  const stored = async ({ id }: WebhookBody) => {
    const count = sql`SELECT count(*) AS "total" FROM ${raw('webhook_secrets')} WHERE "webhook_id" = ${BigInt(id)}`;
    return Number((await service.app.get(Database).reader.query<{ total: bigint }>(count))[0]?.total);
  };

  it.each([
    ['', 24],
    ['?grace=90m', 1.5],
    ['?grace=7d', 168],
    ['?grace=0s', 0],
  ])('signs beside the next one until the grace of "%s" is over', async (query, hours) => {
    const { secret: first, ...endpoint } = await service.add();
    const { secret: second, ...rotated } = await rotate(endpoint.id, query);
    expect(rotated).toEqual(endpoint);
    if (hours > 0) {
      service.clock.advance(hours * HOUR - 1);
      expect(await service.secretsOf(endpoint.id)).toEqual([second, first]);
      service.clock.advance(1);
    }
    expect(await service.secretsOf(endpoint.id)).toEqual([second]);
    const [, event] = await service.app.get(EventStore).readAll({ streams: [`webhook-${endpoint.id}`] });
    expect(event?.data).toEqual({ previousValidUntil: hours > 0 ? service.clock.now().toISOString() : null });
  });

  it.each([
    ['8d', 1, /^--grace must be a whole number and a unit, such as 0s, 90m or 24h, at most 7d \(given: "8d"\)/m],
    ['0s', 0, /^The previous secret has ended\.$/m],
    ['7d', 0, /^The previous secret signs too until /m],
  ])('is replaced on the command line with a grace of %s, of 7 days at most', async (grace, code, told) => {
    const { id } = await service.add();
    const finished = await runHere(service.backend, ['webhooks', 'rotate-secret', `${id}`, '--grace', grace]);
    expect(finished).toMatchObject({ code, stderr: expect.stringMatching(told) });
  });

  it('stays until its own time when there are further rotations, of which none may make it four that sign', async () => {
    const { id, secret: first } = await service.add();
    const { secret: second } = await rotate(id, '?grace=2h');
    const { secret: third } = await rotate(id, '?grace=3h');
    const end = new Date(service.clock.now().getTime() + 2 * HOUR).toISOString();
    const refused = await service.send('POST', `/${id}/rotate-secret`);
    expect(refused.json()).toMatchObject({
      code: 'too_many_secrets',
      status: 409,
      message: expect.stringContaining(`rotate again from ${end}`),
    });
    expect(await service.historyOf(id)).toHaveLength(3);
    service.clock.advance(2 * HOUR - 1);
    expect(await service.secretsOf(id)).toEqual([third, second, first]);
    service.clock.advance(1);
    const { secret: fourth } = await rotate(id, '?grace=1m');
    expect(await service.secretsOf(id)).toEqual([fourth, second, third]);
  });

  it('is removed from the database some time after its end', async () => {
    const webhook = await service.add();
    const { secret: second } = await rotate(webhook.id, '?grace=1h');
    service.clock.advance(HOUR);
    for (const expected of [2, 1]) {
      await service.app.get(RetentionSchedule, { strict: false }).run();
      expect(await stored(webhook)).toBe(expected);
      service.clock.advance(1);
    }
    expect(await service.secretsOf(webhook.id)).toEqual([second]);
  });

  it('is nowhere else: not in reads, events, lists, the log, or what repeats its answer', async () => {
    const headers = { 'idempotency-key': 'k' };
    const { id, secret: first = '' } = await service.add({}, { headers });
    const { secret: second = '' } = await rotate(id);
    const repeated = await service.send('POST', '', { body: { url: ADDRESS }, headers });
    expect(repeated).toMatchObject({ status: 201, headers: { 'idempotency-replayed': 'true' } });
    const query = '{ webhooks { nodes { id url description types } } }';
    const told = [
      repeated.text,
      (await service.send('GET')).text,
      (await service.send('GET', `/${id}`)).text,
      (await service.send('PATCH', `/${id}`, { body: { description: 'x' } })).text,
      JSON.stringify((await service.app.get(EventStore).readAll({ limit: 1_000 })).map(({ data, metadata }) => [data, metadata])),
      (await runHere(service.backend, ['events', 'list'])).stdout,
      (await runHere(service.backend, ['webhooks', 'show', `${id}`])).stdout,
      (await runHere(service.backend, ['webhooks', 'list'])).stdout,
      (await service.client.post('/graphql', { query }, { key: service.tools })).text,
    ];
    for (const text of told) {
      expect(text).not.toBe('');
      for (const secret of [first, second]) expect(text).not.toContain(secret.slice('whsec_'.length));
      expect(text).not.toContain('whsec_');
    }
  });
});
