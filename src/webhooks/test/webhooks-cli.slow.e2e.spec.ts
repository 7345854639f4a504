import { EventStore } from '#libs/event-sourcing';
import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { systemActor } from '../../bootstrap/command-line/actor.js';
import { ADDRESS, startWebhooks, type WebhookBody, type WebhookService } from '../../../test/e2e/webhooks.fixture.js';

const ONE_LINE = /^[^\n]+\n$/;

describe('webhook endpoints on the command line beside a running service', () => {
  let service: WebhookService;
  let key: string;
  beforeAll(async () => {
    service = await startWebhooks();
    key = String(service.ownerId);
  });
  afterAll(() => service.close());

  const run = (...words: string[]) => runHere(service.backend, ['webhooks', ...words]);
  const printed = async <Result = WebhookBody>(...words: string[]): Promise<Result> => {
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Result;
  };
  const create = (...words: string[]) =>
    printed<WebhookBody & { registeredBy: number }>('create', '--key', key, '--url', ADDRESS, ...words);
  const rest = async (id: number) => (await service.send('GET', `/${id}`)).json<WebhookBody>();

  it('are created for a key and shown as REST gives them, with whose they are', async () => {
    const { secret, registeredBy, ...endpoint } = await create('--types', 'pet.added,order.placed', '--description', 'a calendar');
    expect(endpoint).toMatchObject({ url: ADDRESS, types: ['pet.added', 'order.placed'], description: 'a calendar', enabled: true });
    expect(registeredBy).toBe(Number(key));
    expect(await service.secretsOf(endpoint.id)).toEqual([secret]);
    expect(await rest(endpoint.id)).toEqual(endpoint);
    expect(await printed('show', `${endpoint.id}`)).toEqual({ ...endpoint, registeredBy });
    const [event] = await service.app.get(EventStore).readStream(`webhook-${endpoint.id}`);
    expect(event?.metadata).toEqual({ actor: systemActor() });
  });

  it('are listed, of all keys or one', async () => {
    const { id: own } = await create();
    const { id: other } = await service.add({}, { key: service.neighbour });
    const all = await printed<WebhookBody[]>('list');
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining([own, other]));
    const ofOwner = (await printed<WebhookBody[]>('list', '--key', key)).map(({ id }) => id);
    expect([ofOwner.includes(own), ofOwner.includes(other)]).toEqual([true, false]);
  });

  it('say that nothing changes if they are enabled or disabled already', async () => {
    const { id } = await service.add({});
    for (const turn of ['enable', 'disable']) {
      await run(turn, `${id}`);
      const again = await run(turn, `${id}`);
      expect(again).toMatchObject({ code: 0, stderr: `Nothing was changed: the endpoint ${id} is ${turn}d already.\n` });
      expect(JSON.parse(again.stdout)).toMatchObject({ id, enabled: turn === 'enable' });
    }
    expect(await service.historyOf(id)).toEqual(['webhook-registered', 'webhook-disabled']);
  });

  it('are turned off and on, given a new secret and deleted, whosever they are', async () => {
    const { id, secret } = await service.add({}, { key: service.neighbour });
    expect(await printed('disable', `${id}`)).toMatchObject({ id, enabled: false, disabledReason: 'owner' });
    expect(await printed('enable', `${id}`)).toMatchObject({ id, enabled: true });
    const { secret: second } = await printed('rotate-secret', `${id}`);
    const { secret: third } = await printed('rotate-secret', `${id}`, '--grace', '90m');
    expect(new Set([secret, second, third]).size).toBe(3);
    const { secret: fourth } = await printed('rotate-secret', `${id}`, '--grace', '0s');
    expect(await service.secretsOf(id)).toEqual([fourth]);
    expect(await printed('delete', `${id}`)).toMatchObject({ id, url: ADDRESS });
    expect((await run('show', `${id}`)).stderr).toBe(`There is no webhook endpoint with the id ${id}.\n`);
    expect(await service.historyOf(id)).toEqual([
      'webhook-registered',
      'webhook-disabled',
      'webhook-enabled',
      'webhook-secret-rotated',
      'webhook-secret-rotated',
      'webhook-secret-rotated',
      'webhook-deleted',
    ]);
  });

  it('are given to no key that is revoked, or that there is not', async () => {
    const { id } = await service.issueKey();
    await runHere(service.backend, ['keys', 'revoke', `${id}`]);
    for (const [key, reason] of [
      [`${id}`, `--key must be an API key that is in use; ${id} is revoked.`],
      ['999', 'There is no API key 999'],
    ]) {
      const { code, stdout, stderr } = await run('create', '--key', String(key), '--url', ADDRESS);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain(reason);
    }
  });

  it.each([
    [2, ['create'], '--key'],
    [2, ['create', '--key', '1'], '--url'],
    [2, ['create', '--key', 'x', '--url', ADDRESS], "--key must be an API key's number"],
    [2, ['show', 'x'], "ID must be a webhook endpoint's number"],
    [2, ['list', '--key', '0'], "--key must be an API key's number"],
    [2, ['create', '--key', '1', '--url', ADDRESS, '--types', 'pet.added,lost'], 'Each of --types must be one of'],
    [2, ['create', '--key', '1', '--url', ADDRESS, '--types', ''], 'Each of --types must be one of'],
    [1, ['create', '--key', 'OWNER', '--url', 'http://1.1.1.1'], 'url must begin with https://'],
    [1, ['create', '--key', 'OWNER', '--url', ADDRESS, '--description', ' '], 'description must be'],
    [1, ['show', '999'], 'There is no webhook endpoint with the id 999'],
    [1, ['enable', '999'], 'There is no webhook endpoint with the id 999'],
    [1, ['delete', '999'], 'There is no webhook endpoint with the id 999'],
    [1, ['rotate-secret', '1', '--grace', '8d'], 'grace must be a whole number and a unit'],
  ])('are refused with exit code %d for %j', async (expected, words, reason) => {
    const { code, stdout, stderr } = await run(...words.map((word) => (word === 'OWNER' ? key : word)));
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(ONE_LINE);
    expect(stderr).toContain(reason);
  });

  it('are the same after a rebuild of what is read, and the log is right', async () => {
    const { id } = await service.add({ enabled: false });
    await service.send('PATCH', `/${id}`, { body: { enabled: true, types: ['pet.added'] } });
    await service.send('DELETE', `/${(await service.add()).id}`);
    const before = await printed<unknown[]>('list');
    for (const words of [
      ['events', 'verify'],
      ['projections', 'rebuild', 'webhooks'],
      ['events', 'verify'],
    ]) {
      const { code, stdout } = await runHere(service.backend, words);
      expect(code).toBe(0);
      if (words[1] === 'verify') expect(JSON.parse(stdout)).toMatchObject({ problems: [] });
    }
    expect(await printed('list')).toEqual(before);
  });
});
