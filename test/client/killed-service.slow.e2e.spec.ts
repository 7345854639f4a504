import { createClient, type Animal } from '../../packages/client/src/index.js';
import { findFreePort } from '../databases/free-port.fixture.js';
import { createWorkingDirectory, startBuiltService, type BuiltService } from '../e2e/built-service.fixture.js';
import { openCuttingProxy, type CuttingProxy } from '../e2e/cutting-proxy.fixture.js';

const KILLS = 2;
/** In milliseconds: an addition takes about as long. */
const LONGEST_HEAD_START = 6;
const TIMEOUT = 300_000;

/** A service that is found at one address however often it is killed, by way of which its answers can be kept back. */
class KilledService {
  private victim: BuiltService;
  private restarted: Promise<unknown> = Promise.resolve();
  private isToBeKilled = false;

  private constructor(
    private readonly start: () => Promise<BuiltService>,
    first: BuiltService,
    readonly proxy: CuttingProxy,
  ) {
    this.victim = first;
  }

  static async start(isKilledByAnswer: boolean): Promise<KilledService> {
    const { path } = await createWorkingDirectory();
    const environment = { PORT: String(await findFreePort()), LOG_LEVEL: 'warn' };
    const start = () => startBuiltService(path, environment);
    const first = await start();
    const pass = (text: string): string => {
      if (isKilledByAnswer && text.startsWith('HTTP/1.1 201')) killed.kill();
      return text;
    };
    const killed: KilledService = new KilledService(start, first, await openCuttingProxy(first.origin, { pass }));
    return killed;
  }

  get key(): string {
    return this.victim.demoKey ?? '';
  }

  /** Kills the service and starts it again, once for each time that it was armed. */
  kill(): void {
    if (!this.isToBeKilled) return;
    this.isToBeKilled = false;
    this.proxy.cut();
    this.restarted = this.victim.stop('SIGKILL').then(async () => (this.victim = await this.start()));
  }

  arm(): void {
    this.isToBeKilled = true;
  }

  /** Resolves when it has been killed as often as it was armed, and runs. */
  async runs(): Promise<void> {
    this.kill();
    await this.restarted;
  }
}

describe('an animal that is added while the service is killed', () => {
  it.each([
    ['when it is recorded and the answer is on its way', true],
    ['at any moment', false],
  ])(
    '%s, is there exactly once',
    async (_, isKilledByAnswer) => {
      const service = await KilledService.start(isKilledByAnswer);
      let replayed = 0;
      const client = createClient({
        baseUrl: service.proxy.origin,
        key: service.key,
        maxWait: 120_000,
        fetch: async (...request) => {
          const answer = await fetch(...request);
          if (answer.headers.has('Idempotency-Replayed')) replayed += 1;
          return answer;
        },
      });
      const added: Animal<bigint>[] = [];
      for (let index = 0; index < KILLS; index += 1) {
        service.arm();
        if (!isKilledByAnswer) setTimeout(() => service.kill(), Math.random() * LONGEST_HEAD_START);
        added.push(await client.pets.add({ name: `Rex ${index}`, categoryId: 9223372036854775807n }));
        await service.runs();
      }
      const listed: Animal<bigint>[] = [];
      for await (const animal of client.pets.list({ limit: 2 })) listed.push(animal);
      expect(listed).toEqual(added);
      expect(listed.map(({ name }) => name)).toEqual(Array.from({ length: KILLS }, (__, index) => `Rex ${index}`));
      if (isKilledByAnswer) expect(replayed).toBe(KILLS);
    },
    TIMEOUT,
  );
});
