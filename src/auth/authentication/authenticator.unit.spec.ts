import { setTimeout as delay } from 'node:timers/promises';
import { SettableClock } from '#libs/testing';
import { Scopes } from '../domain/api-key.js';
import { createToken, hashToken } from '../domain/api-key-token.js';
import type { ApiKeyCredential, ApiKeyReader } from '../read-model/api-key.reader.js';
import { Authenticator } from './authentication.hook.js';

const tokens = Array.from({ length: 250 }, (_, index) => createToken('development', new Uint8Array(32).fill(index)));
const [TOKEN = ''] = tokens;
const KEY = {
  keyId: 1n,
  plan: 'free',
  limits: { perMinute: 60, perDay: 1_000 },
  scopes: [],
  ban: { until: 0, step: 0, unbans: 0 },
  usableUntil: Infinity,
} as const;

type Credentials = ReadonlyMap<string, ApiKeyCredential>;

/** An authenticator, the names of the keys by token, and how many hashes each reading was asked for. */
function authenticatorOn(read: (credentials: Credentials, reading: number) => Promise<Credentials> = async (credentials) => credentials) {
  const names = new Map<string, string>();
  const readings: number[] = [];
  const findByHash = (hashes: readonly string[]) => {
    const found = [...names].map(([token, name]) => [hashToken(token), { ...KEY, name }] as const);
    return read(new Map(found.filter(([hash]) => hashes.includes(hash))), readings.push(hashes.length));
  };
  const authenticator = new Authenticator({ findByHash } as ApiKeyReader, new SettableClock(), new Scopes(new Map()), 'development');
  return { authenticator, names, readings };
}

describe('finding out whom a token belongs to', () => {
  it('takes no promise for 500 ms after a reading, then reads again and knows the caller as of the last one meanwhile', async () => {
    const { authenticator, names } = authenticatorOn();
    names.set(TOKEN, 'old');
    expect(await authenticator.authenticate(TOKEN)).toMatchObject({ name: 'old' });
    names.set(TOKEN, 'new');
    expect(authenticator.authenticate(TOKEN)).toMatchObject({ name: 'old' });
    await delay(510);
    const reading = authenticator.authenticate(TOKEN);
    expect(reading).toBeInstanceOf(Promise);
    expect(authenticator.lastKnown(TOKEN)).toMatchObject({ name: 'old' });
    expect(await reading).toMatchObject({ name: 'new' });
  });

  it('counts the 500 ms from the moment the reading began', async () => {
    const { authenticator, names } = authenticatorOn((credentials) => delay(200, credentials));
    names.set(TOKEN, 'a');
    await authenticator.authenticate(TOKEN);
    await delay(310);
    expect(authenticator.authenticate(TOKEN)).toBeInstanceOf(Promise);
  });

  it('never keeps that a token is unknown', async () => {
    const { authenticator, names } = authenticatorOn();
    expect(await authenticator.authenticate(TOKEN)).toBeUndefined();
    names.set(TOKEN, 'new');
    expect(await authenticator.authenticate(TOKEN)).toMatchObject({ name: 'new' });
  });

  it('reads at most 100 tokens at once, and one batch after another', async () => {
    let running = 0;
    let most = 0;
    const { authenticator, readings } = authenticatorOn(async (credentials) => {
      most = Math.max(most, (running += 1));
      await delay(5);
      running -= 1;
      return credentials;
    });
    await Promise.all([...tokens, TOKEN].map(async (token) => authenticator.authenticate(token)));
    expect({ readings, most }).toEqual({ readings: [100, 100, 50], most: 1 });
  });

  it('fails for all who wait, keeps the last known caller, and reads again for the next request', async () => {
    let fails = false;
    const { authenticator, names } = authenticatorOn((credentials) =>
      fails ? Promise.reject(new Error('lost')) : Promise.resolve(credentials),
    );
    names.set(TOKEN, 'a');
    await authenticator.authenticate(TOKEN);
    await delay(510);
    fails = true;
    await expect(authenticator.authenticate(TOKEN)).rejects.toThrow('lost');
    expect(authenticator.lastKnown(TOKEN)).toMatchObject({ name: 'a' });
    fails = false;
    expect(await authenticator.authenticate(TOKEN)).toMatchObject({ name: 'a' });
  });

  it.each([
    ['is stuck', () => new Promise<Credentials>(() => undefined)],
    ['failed', () => Promise.reject<Credentials>(new Error('cut'))],
  ])('reads a second time beside a reading that %s', async (_name, first) => {
    const { authenticator, names } = authenticatorOn((credentials, reading) => (reading === 1 ? first() : Promise.resolve(credentials)));
    names.set(TOKEN, 'a');
    expect(await authenticator.authenticate(TOKEN)).toMatchObject({ name: 'a' });
  });
});
