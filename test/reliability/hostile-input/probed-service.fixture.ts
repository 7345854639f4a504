import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestDatabase } from '../../databases/test-database.fixture.js';
import type { BuiltService } from '../../e2e/built-service.fixture.js';
import { createSystem, PATIENT } from '../system/system-under-test.fixture.js';

/** What the process of the service holds once everything that can be collected is. Bytes, but for `sockets`. */
export interface Probe {
  readonly heapUsed: number;
  readonly external: number;
  readonly rss: number;
  /** Open connections of clients. */
  readonly sockets: number;
}

/** The built service with a key that has no limit to speak of, and a look at its memory. */
export interface ProbedService {
  readonly service: BuiltService;
  readonly port: number;
  /** Of all scopes. */
  readonly key: string;
  readonly databaseUrl: string;
  probe(): Promise<Probe>;
  /** Ends it; resolves with its exit code. */
  close(): Promise<number | null>;
}

const PROBE = /^probe (\{.*\})$/gm;

export async function startProbedService(
  createDatabase: () => Promise<TestDatabase>,
  environment: Readonly<Record<string, string>> = {},
): Promise<ProbedService> {
  const system = await createSystem(createDatabase, {
    NODE_OPTIONS: `--expose-gc --import=${pathToFileURL(resolve('test/reliability/hostile-input/memory-probe.mjs')).href}`,
    LOG_LEVEL: 'info',
    ANONYMOUS_REQUESTS_PER_MINUTE: '100000000',
    ANONYMOUS_REQUESTS_PER_DAY: '100000000',
    PUBLIC_REQUESTS_PER_MINUTE: '100000000',
    PUBLIC_REQUESTS_PER_DAY: '100000000',
    // Endpoints that are reached send to nobody else.
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    ...PATIENT,
    ...environment,
  });
  const service = await system.launch().listening;
  return {
    service,
    port: Number(new URL(service.origin).port),
    key: system.key,
    databaseUrl: system.databaseUrl,
    probe: () => probe(service),
    async close() {
      const code = await service.stop('SIGTERM');
      await system.remove();
      return code;
    },
  };
}

async function probe(service: BuiltService): Promise<Probe> {
  const before = [...service.output().matchAll(PROBE)].length;
  process.kill(service.pid, 'SIGUSR2');
  for (;;) {
    const [, text] = [...service.output().matchAll(PROBE)][before] ?? [];
    if (text !== undefined) return JSON.parse(text) as Probe;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
