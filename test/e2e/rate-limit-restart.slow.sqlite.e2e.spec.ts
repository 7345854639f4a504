import { until } from '#libs/testing';
import { createWorkingDirectory, runBuilt, startBuiltService, type BuiltService, type WorkingDirectory } from './built-service.fixture.js';
import { fetchDocumented } from './documented-traffic.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';

interface Window {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetsAt: string;
}

interface Usage {
  readonly plan: string;
  readonly minute: Window;
  readonly day: Window;
  readonly ban: null;
}

const LIMIT = 100_000;

describe('limits of the built service', () => {
  let folder: WorkingDirectory;
  let service: BuiltService;
  beforeEach(async () => {
    folder = await createWorkingDirectory();
    await start();
  });
  afterEach(async () => {
    await service.stop('SIGKILL');
    await folder.remove();
  });

  const start = async () => {
    service = await startBuiltService(folder.path, { LOG_LEVEL: 'error' });
  };
  const keys = async (...words: string[]) => {
    const { code, stdout, stderr } = await runBuilt('cli', ['keys', ...words], { cwd: folder.path });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as unknown;
  };
  const createKey = async () => {
    const limits = ['--plan', 'enterprise', '--per-minute', '50000', '--per-day', `${LIMIT}`];
    const { id, key } = (await keys('create', '--name', 'shop', ...limits)) as { id: number; key: string };
    return { id: `${id}`, authorization: `Bearer ${key}` };
  };
  type Key = Awaited<ReturnType<typeof createKey>>;
  const usage = async ({ id }: Key) => (await keys('usage', id, '--json')) as Usage;
  const send = ({ authorization }: Key) => fetchDocumented(`${service.origin}/v1/pets`, { headers: { authorization } });
  const sendTimes = async (key: Key, count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 1) expect((await send(key)).status).toBe(200);
  };
  const told = async (key: Key) => {
    const { status, headers } = await send(key);
    return toldLimits({ status, headers: Object.fromEntries(headers) });
  };
  const usedOfDay = async (key: Key): Promise<number> => LIMIT - (await told(key)).day.remaining - 1;

  it('are exactly as far used up after SIGTERM as before, and lose to kill -9 nothing that keys usage has told', async () => {
    const key = await createKey();
    await sendTimes(key, 57);
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(await usage(key)).toMatchObject({ day: { limit: LIMIT, used: 57, remaining: LIMIT - 57 } });
    await start();
    expect(await usedOfDay(key)).toBe(57);
    await until(async () => (await usage(key)).day.used >= 58);
    await sendTimes(key, 30);
    await service.stop('SIGKILL');
    await start();
    const used = await usedOfDay(key);
    expect(used).toBeGreaterThanOrEqual(58);
    expect(used).toBeLessThanOrEqual(88);
    await keys('set-plan', key.id, 'free');
    await until(async () => (await told(key)).day.limit === 1_000);
    const { minute, ...known } = await usage(key);
    expect(known).toMatchObject({ plan: 'free', day: { limit: 1_000, resetsAt: expect.stringMatching(/T00:00:00\.000Z$/) }, ban: null });
    expect(minute).toMatchObject({ limit: 60, resetsAt: expect.stringMatching(/:00\.000Z$/) });
  });
});
