import { ManagementServer } from '#libs/observability';
import type { Service } from './service.fixture.js';

/** What the management port of a service says. */
export interface Management {
  /** The value of the one sample of a metric that has all these labels; undefined where there is none. */
  sample(name: string, labels?: Readonly<Record<string, string>>): Promise<number | undefined>;
  /** All of `/metrics`. */
  metrics(): Promise<string>;
  get(path: string, method?: string): Promise<Response>;
}

/** Opens the management port of a service on a free port. */
export async function openManagement({ app }: Service): Promise<Management> {
  return managementAt(await app.get(ManagementServer).listen({ host: '127.0.0.1', port: 0 }));
}

/** A management port that is open. */
export function managementAt(origin: string): Management {
  const get = (path: string, method = 'GET') => fetch(origin + path, { method });
  const metrics = async () => (await get('/metrics')).text();
  return { get, metrics, sample: async (name, labels = {}) => sampleOf(await metrics(), name, labels) };
}

function sampleOf(text: string, name: string, labels: Readonly<Record<string, string>>): number | undefined {
  const found = text.split('\n').filter((line) => {
    const [, given = ''] = /^\w+(?:\{(.*)\})? /.exec(line) ?? [];
    return /^\w+/.exec(line)?.[0] === name && Object.entries(labels).every(([label, value]) => given.includes(`${label}="${value}"`));
  });
  if (found.length > 1) throw new Error(`${name} ${JSON.stringify(labels)} is not one sample:\n${found.join('\n')}`);
  return found[0] === undefined ? undefined : Number(found[0].split(' ').at(-1));
}
