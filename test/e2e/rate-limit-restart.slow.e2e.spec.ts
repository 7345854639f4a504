import { createWorkingDirectory, runBuilt, startBuiltService, type BuiltService } from './built-service.fixture.js';
import { fetchDocumented } from './documented-traffic.fixture.js';
import { toldLimits, type ToldLimits } from './rate-limit.fixture.js';

interface Usage {
  readonly plan: string;
  readonly minute: { readonly limit: number; readonly used: number; readonly remaining: number; readonly resetsAt: string };
  readonly day: { readonly limit: number; readonly used: number; readonly remaining: number; readonly resetsAt: string };
  readonly ban: { readonly until: string; readonly step: number } | null;
}

const DAY_LIMIT = 100_000;

describe('limits of the built service', () => {
  let folder: { path: string; remove(): Promise<void> };
  let service: BuiltService;
  let key: { id: number; token: string };
  beforeEach(async () => {
    folder = await createWorkingDirectory();
    await start();
    key = await createKey(50_000);
  });
  afterEach(async () => {
    await service.stop('SIGKILL');
    await folder.remove();
  });

  const start = async () =>
    (service = await startBuiltService(folder.path, {
      LOG_LEVEL: 'error',
      BAN_AFTER: '1',
      BAN_GRACE_SECONDS: '0',
      BAN_LADDER_SECONDS: '600',
    }));
  const keys = async (...words: string[]) => {
    const { code, stdout, stderr } = await runBuilt('cli', ['keys', ...words], { cwd: folder.path });
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as unknown;
  };
  const createKey = async (perMinute: number) => {
    const limits = ['--plan', 'enterprise', '--per-minute', `${perMinute}`, '--per-day', `${DAY_LIMIT}`];
    const { id, key: token } = (await keys('create', '--name', 'shop', ...limits)) as { id: number; key: string };
    return { id, token };
  };
  const usage = async (): Promise<Usage> => (await keys('usage', `${key.id}`, '--json')) as Usage;
  const send = async (): Promise<{ status: number; text: string; told: ToldLimits }> => {
    const answer = await fetchDocumented(`${service.origin}/v1/pets`, { headers: { authorization: `Bearer ${key.token}` } });
    const text = await answer.text();
    const headers = Object.fromEntries(answer.headers);
    return { status: answer.status, text, told: toldLimits({ status: answer.status, headers }) };
  };
  const sendTimes = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent += 1) expect((await send()).status).toBe(200);
  };
  const usedOfDay = async (): Promise<number> => DAY_LIMIT - (await send()).told.day.remaining - 1;

  const usageOf = async (used: number) => {
    for (;;) {
      const known = await usage();
      if (known.day.used >= used) return known;
    }
  };

  it('are exactly as far used up after SIGTERM as before', async () => {
    await sendTimes(57);
    expect(await service.stop('SIGTERM')).toBe(0);
    expect(await usage()).toMatchObject({ day: { limit: DAY_LIMIT, used: 57, remaining: DAY_LIMIT - 57 } });
    await start();
    expect(await usedOfDay()).toBe(57);
  });

  it('lose to kill -9 nothing that keys usage has told', async () => {
    await sendTimes(50);
    await usageOf(50);
    await sendTimes(30);
    await service.stop('SIGKILL');
    await start();
    const used = await usedOfDay();
    expect(used).toBeGreaterThanOrEqual(50);
    expect(used).toBeLessThanOrEqual(80);
  });

  it('are told by keys usage', async () => {
    await sendTimes(5);
    const known = await usageOf(5);
    expect(known).toEqual({
      id: key.id,
      plan: 'enterprise',
      minute: {
        limit: 50_000,
        used: expect.any(Number),
        remaining: 50_000 - known.minute.used,
        resetsAt: expect.stringMatching(/:00\.000Z$/),
      },
      day: { limit: DAY_LIMIT, used: 5, remaining: DAY_LIMIT - 5, resetsAt: expect.stringMatching(/T00:00:00\.000Z$/) },
      ban: null,
    });
  });

  it('change with keys set-plan, with what is used up carried over', async () => {
    await sendTimes(5);
    await keys('set-plan', `${key.id}`, 'free');
    let { told } = await send();
    while (told.day.limit !== 1_000) ({ told } = await send());
    expect(1_000 - told.day.remaining).toBeGreaterThan(5);
    expect(await usage()).toMatchObject({ plan: 'free', minute: { limit: 60 }, day: { limit: 1_000 } });
  });

  it('ban a key until keys unban, over a restart too', async () => {
    key = await createKey(1);
    const bannedBy = async () => {
      for (let sent = 0; sent < 20; sent += 1) {
        const answer = await fetchDocumented(`${service.origin}/v1/pets`, { headers: { authorization: `Bearer ${key.token}` } });
        if ((await answer.text()).includes('key_banned')) return answer;
      }
      throw new Error('The key is not banned after 20 requests.');
    };
    expect((await bannedBy()).headers.get('retry-after')).toBe('600');
    expect(await service.stop('SIGTERM')).toBe(0);
    expect((await usage()).ban).toMatchObject({ step: 1 });
    await start();
    const again = await bannedBy();
    expect(Number(again.headers.get('retry-after'))).toBeLessThanOrEqual(600);
    await keys('unban', `${key.id}`);
    let text = 'key_banned';
    while (text.includes('key_banned')) {
      text = await (await fetchDocumented(`${service.origin}/v1/pets`, { headers: { authorization: `Bearer ${key.token}` } })).text();
    }
    expect((await usage()).ban).toBeNull();
  });
});

describe('the limits of a key that does not exist', () => {
  let folder: { path: string; remove(): Promise<void> };
  beforeAll(async () => {
    folder = await createWorkingDirectory();
    await runBuilt('cli', ['db', 'migrate'], { cwd: folder.path });
  });
  afterAll(() => folder.remove());

  it.each([
    ['usage', '99', 1, 'There is no API key 99'],
    ['usage', 'x', 2, 'ID must be'],
    ['unban', '99', 1, 'There is no API key 99'],
  ])('are refused by keys %s %s with exit code %i', async (command, id, exitCode, message) => {
    const { code, stdout, stderr } = await runBuilt('cli', ['keys', command, id], { cwd: folder.path });
    expect([code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toContain(message);
  });
});
