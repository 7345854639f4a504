import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { createWebhookSecret, SECRET_RANDOM_BYTES, signatureHeaders } from '../domain/webhook-signature.js';

const secrets = fc.uint8Array({ minLength: SECRET_RANDOM_BYTES, maxLength: SECRET_RANDOM_BYTES }).map(createWebhookSecret);
const bodies = fc.json();

/** The headers of a message that is sent now, as a receiver's framework gives them. */
const signed = (body: string, ...own: readonly string[]) => ({
  ...signatureHeaders({ id: 'msg-7-42', timestamp: new Date(), body, secrets: own }),
});

describe('a signature, to the verifier of Standard Webhooks', () => {
  const verify = (secret: string, body: string, headers: Record<string, string>) => new Webhook(secret).verify(body, headers);

  it('is right for each secret that it was made with', () => {
    fc.assert(
      fc.property(bodies, secrets, secrets, (body, one, other) => {
        const headers = signed(body, one, other);
        for (const secret of [one, other]) expect(() => verify(secret, body, headers)).not.toThrow();
      }),
    );
  });

  it('is wrong for another body, another secret, another id and another time', () => {
    fc.assert(
      fc.property(bodies, secrets, secrets, (body, secret, other) => {
        fc.pre(secret !== other);
        const headers = signed(body, secret);
        const later = String(Number(headers['webhook-timestamp']) + 1);
        expect(() => verify(secret, `${body} `, headers)).toThrow();
        expect(() => verify(other, body, headers)).toThrow();
        expect(() => verify(secret, body, { ...headers, 'webhook-id': 'msg-7-43' })).toThrow();
        expect(() => verify(secret, body, { ...headers, 'webhook-timestamp': later })).toThrow();
      }),
    );
  });
});

describe('the headers of a message', () => {
  it('are those of the example of Standard Webhooks', () => {
    const headers = signatureHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: new Date(1_614_265_330_999),
      body: '{"test": 2432232314}',
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    });
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });
});
