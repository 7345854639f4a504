import { runHere } from '../../../test/e2e/command-line.fixture.js';
import { startDeliveries, type DeliveringService } from '../../../test/e2e/deliveries.fixture.js';
import type { WebhookBody } from '../../../test/e2e/webhooks.fixture.js';

const ONE_LINE = /^[^\n]+\n$/;

describe('deliveries on the command line beside a running service', () => {
  let service: DeliveringService;
  let webhook: WebhookBody;
  beforeEach(async () => {
    service = await startDeliveries();
    webhook = await service.addEndpoint();
  });
  afterEach(() => service.close());

  const run = (...words: string[]) => runHere(service.backend, ['webhooks', ...words]);
  const printed = async <Result>(...words: string[]): Promise<Result> => {
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as Result;
  };
  const addPets = async (count: number): Promise<void> => {
    for (let added = 0; added < count; added += 1) await service.addAnyPet();
  };
  it('are listed as REST gives them, the newest first, as many as asked for', async () => {
    expect(await printed('deliveries', `${webhook.id}`)).toEqual([]);
    await addPets(3);
    const deliveries = await service.untilRecorded(webhook, 3);
    expect(await printed('deliveries', `${webhook.id}`)).toEqual(deliveries);
    expect(deliveries.map(({ id }) => id)).toEqual(deliveries.map(({ id }) => id).toSorted((one, other) => other - one));
    expect(await printed('deliveries', `${webhook.id}`, '--limit', '2')).toEqual(deliveries.slice(0, 2));
  });

  it('are made of a test, which the service sends', async () => {
    const { id } = await printed<{ id: number }>('test', `${webhook.id}`);
    // The command goes by the machine's clock.
    service.clock.set(new Date());
    await service.receiver.received(1);
    expect(service.receiver.told()).toEqual([`webhook.test webhooks/${webhook.id}`]);
    expect(await service.untilRecorded(webhook, 1)).toMatchObject([{ id, type: 'webhook.test', attempt: 1, status: 204 }]);
  });

  it('are made of a replay, which the service sends in order with the same ids', async () => {
    await addPets(3);
    await service.receiver.received(3);
    await service.untilRecorded(webhook, 3);
    expect(await printed('replay', `${webhook.id}`, '--after', '0')).toEqual({ events: 3 });
    const sentAs = (await service.receiver.received(6)).map(({ headers }) => headers['webhook-id']);
    expect(sentAs.slice(3)).toEqual(sentAs.slice(0, 3));
    const { id: last } = JSON.parse(service.receiver.messages[2]?.body ?? '') as { id: string };
    expect(await run('replay', `${webhook.id}`, '--after', last)).toEqual({
      code: 0,
      stdout: '{"events":0}\n',
      stderr: `Nothing was changed: there are no events to send again to the endpoint ${webhook.id}.\n`,
    });
  });

  it('are made of nothing where the endpoint is disabled', async () => {
    await run('disable', `${webhook.id}`);
    for (const words of [['test'], ['replay', '--after', '0']]) {
      const [command = '', ...options] = words;
      const { code, stderr } = await run(command, `${webhook.id}`, ...options);
      expect({ code, stderr }).toEqual({ code: 1, stderr: `The webhook endpoint ${webhook.id} is disabled; enable it first.\n` });
    }
  });

  it.each([
    [1, ['deliveries', '999'], 'There is no webhook endpoint with the id 999'],
    [2, ['deliveries', 'x'], "ID must be a webhook endpoint's number"],
    [2, ['deliveries', '1', '--limit', '0'], '--limit must be a whole number from 1'],
    [1, ['test', '999'], 'There is no webhook endpoint with the id 999'],
    [2, ['replay', '1'], '--after'],
    [2, ['replay', '1', '--after', '-1'], '--after must be a whole number from 0'],
    [1, ['replay', '999', '--after', '0'], 'There is no webhook endpoint with the id 999'],
  ])('are refused with exit code %d for %j', async (expected, words, reason) => {
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(ONE_LINE);
    expect(stderr).toContain(reason);
  });
});
