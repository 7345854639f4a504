import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { exchangeRaw } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
/** Requests that may wait behind one on a connection. */
const WAITING = 32;
const CONNECTIONS = 20;

describe('callers without a valid key', () => {
  let service: Service;
  beforeEach(async () => (service = await startService({ environment: { ANONYMOUS_REQUESTS_PER_MINUTE: '3', TRUST_PROXY: 'true' } })));
  afterEach(() => service.close());

  it('leave memory bounded, also from 100,000 addresses', async () => {
    await fromAddresses(0, 1_000);
    const before = usedHeap();
    await fromAddresses(1_000, 100_000);
    expect((usedHeap() - before) / 1_048_576).toBeLessThan(48);
    await fromAddresses(0, 1);
    await fromAddresses(99_999, 1);
  }, 180_000);

  /** Sends one request from each of `count` addresses, as many on a connection as may wait there, on several connections at a time. */
  async function fromAddresses(first: number, count: number): Promise<void> {
    const indexes = Array.from({ length: count }, (_, index) => first + index);
    const groups = Array.from({ length: Math.ceil(count / WAITING) }, () => indexes.splice(0, WAITING));
    const sendGroups = async (): Promise<void> => {
      for (let group = groups.pop(); group; group = groups.pop()) await sendTogether(group);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, sendGroups));
  }

  async function sendTogether(indexes: readonly number[]): Promise<void> {
    const last = `OPTIONS ${PETS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    const answers = await exchangeRaw(service.origin, indexes.map(requestFrom).join('') + last, { end: false });
    expect(answers.slice(0, -1).filter(({ status }) => status !== 401)).toEqual([]);
    expect(answers).toHaveLength(indexes.length + 1);
  }
});

function requestFrom(index: number): string {
  const address = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  return `GET ${PETS} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n\r\n`;
}

function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
