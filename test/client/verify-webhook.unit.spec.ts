import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, type WebhookHeaders } from '../../packages/client/src/index.js';

const event = { specversion: '1.0', id: '42', type: 'pet.added', subject: 'pets/7', data: { id: 7, name: 'Ännchen', categoryId: 7 } };
const body = JSON.stringify(event).replace('"categoryId":7', '"categoryId":9223372036854775807');

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** As another library signs it. */
function signed(secret: string, { text = body, time = new Date() }: { readonly text?: string; readonly time?: Date } = {}) {
  return {
    'webhook-id': '42',
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('42', time, text),
  };
}

describe('verifyWebhook', () => {
  const secret = newSecret();
  const refusal = { name: 'AdoptionError', code: 'not_genuine', status: 0 };

  it('gives the event of a request that was signed, with exact int64', async () => {
    const verified = await verifyWebhook(secret, signed(secret), body);
    expect(verified).toEqual({ ...event, data: { id: 7n, name: 'Ännchen', categoryId: 9223372036854775807n } });
    expect(await verifyWebhook(secret, signed(secret), body, { ids: 'string' })).toMatchObject({
      data: { categoryId: '9223372036854775807' },
    });
  });

  it('takes one right signature among others, as while a secret is rotated', async () => {
    const headers = signed(secret);
    const others = `v1a,AAAA v1,not-base64! ${signed(newSecret())['webhook-signature']} ${headers['webhook-signature']}`;
    await expect(verifyWebhook(secret, { ...headers, 'webhook-signature': others }, body)).resolves.toMatchObject({ id: '42' });
  });

  it.each<[string, () => readonly [WebhookHeaders, string]]>([
    ['another secret', () => [signed(newSecret()), body]],
    ['another body', () => [signed(secret), body.replace('pets/7', 'pets/8')]],
    ['another id', () => [{ ...signed(secret), 'webhook-id': '43' }, body]],
    ['another time', () => [{ ...signed(secret), 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 1) }, body]],
    ['a time that is over', () => [signed(secret, { time: new Date(Date.now() - 302_000) }), body]],
    ['a time to come', () => [signed(secret, { time: new Date(Date.now() + 302_000) }), body]],
    ['no headers', () => [{}, body]],
    ['an empty signature', () => [{ ...signed(secret), 'webhook-signature': 'v1,' }, body]],
    [
      'a signature of another version',
      () => [{ ...signed(secret), 'webhook-signature': signed(secret)['webhook-signature'].replace('v1', 'v2') }, body],
    ],
  ])('refuses %s', async (_, request) => {
    const [headers, text] = request();
    await expect(verifyWebhook(secret, headers, text)).rejects.toMatchObject(refusal);
  });

  it('refuses a body that was parsed, and a secret that is none, as mistakes of the program', async () => {
    const parsed = JSON.parse(body) as string;
    await expect(verifyWebhook(secret, signed(secret), parsed)).rejects.toThrow(TypeError);
    await expect(verifyWebhook('secret', signed(secret), body)).rejects.toThrow(TypeError);
    await expect(verifyWebhook('whsec_!', signed(secret), body)).rejects.toThrow(TypeError);
  });
});
