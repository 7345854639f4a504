import { jest } from '@jest/globals';
import { SettableClock } from '#libs/testing';
import { createToken, hashToken } from '../domain/api-key-token.js';
import type { ApiKeyCredential, ApiKeyReader } from '../read-model/api-key.reader.js';
import { Authenticator } from './authentication.hook.js';

type Credentials = ReadonlyMap<string, ApiKeyCredential>;

const tokens = Array.from({ length: 250 }, (_, index) => createToken('development', new Uint8Array(32).fill(index)));
const [TOKEN = ''] = tokens;
const KEY = {
  keyId: 1n,
  plan: 'free',
  windows: [],
  scopes: [],
  ban: { until: 0, step: 0, unbans: 0 },
  isReplaced: false,
  actor: 'api-key-1',
} as const;

/** An authenticator, and the names of the keys by token. */
function authenticatorOn(read: (credentials: Credentials) => Promise<Credentials> = async (credentials) => credentials) {
  const names = new Map([[TOKEN, 'old']]);
  const findByHash = (hashes: readonly string[]) => {
    const found = [...names].map(([token, name]) => [hashToken(token), { caller: { ...KEY, name }, usableUntil: Infinity }] as const);
    return read(new Map(found.filter(([hash]) => hashes.includes(hash))));
  };
  const authenticator = new Authenticator({ findByHash } as ApiKeyReader, new SettableClock(), 'development');
  return { authenticator, names };
}

describe('finding out whom a token belongs to', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
  afterEach(() => jest.useRealTimers());

  const pass = (milliseconds: number) => jest.advanceTimersByTimeAsync(milliseconds);
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  it('takes no promise for 500 ms after the begin of a reading, then reads again and knows the caller as of the last one', async () => {
    let finish: () => void = () => undefined;
    const { authenticator, names } = authenticatorOn((found) => new Promise((resolve) => (finish = () => resolve(found))));
    const read = async () => {
      const reading = authenticator.authenticate(TOKEN);
      expect(reading).toBeInstanceOf(Promise);
      await turn();
      await pass(200);
      finish();
      return reading;
    };
    expect(await read()).toMatchObject({ name: 'old' });
    names.set(TOKEN, 'new');
    await pass(300);
    expect(authenticator.authenticate(TOKEN)).toMatchObject({ name: 'old' });
    await pass(1);
    const reading = read();
    expect(authenticator.lastKnown(TOKEN)).toMatchObject({ name: 'old' });
    expect(await reading).toMatchObject({ name: 'new' });
  });

  it('never keeps that a token is unknown', async () => {
    const { authenticator, names } = authenticatorOn();
    names.clear();
    expect(await authenticator.authenticate(TOKEN)).toBeUndefined();
    names.set(TOKEN, 'new');
    expect(await authenticator.authenticate(TOKEN)).toMatchObject({ name: 'new' });
  });

  it('fails for all who wait, keeps the last known caller, and reads again for the next request', async () => {
    let fails = false;
    const { authenticator } = authenticatorOn((found) => (fails ? Promise.reject(new Error('lost')) : Promise.resolve(found)));
    await authenticator.authenticate(TOKEN);
    await pass(510);
    fails = true;
    const failures = await Promise.allSettled([authenticator.authenticate(TOKEN), authenticator.authenticate(TOKEN)]);
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(authenticator.lastKnown(TOKEN)).toMatchObject({ name: 'old' });
    fails = false;
    expect(await authenticator.authenticate(TOKEN)).toMatchObject({ name: 'old' });
  });
});
