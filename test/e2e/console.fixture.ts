import { until } from '#libs/testing';
import { openManagement, type Management } from './management.fixture.js';
import { startService, type Service, type ServiceOptions } from './service.fixture.js';

/** What `data` of the console says, as far as tests look at it. */
export interface ConsoleData {
  readonly now: number;
  readonly service: Readonly<Record<string, unknown>>;
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
  readonly health: { readonly status: string; readonly parts: readonly { readonly name: string; readonly state: string }[] };
  readonly keys: { readonly total: number; readonly items: readonly ShownKey[] } | null;
  readonly log: { readonly position: string } | null;
  readonly projections: readonly Readonly<Record<string, unknown>>[] | null;
  readonly instances: { readonly count: number; readonly connections: number | null } | null;
}

interface ShownKey {
  readonly id: string;
  readonly name: string;
  readonly owner: string | null;
  readonly state: string;
  readonly lastUsedAt: string | null;
  readonly minute: { readonly limit: number; readonly used: number };
  readonly day: { readonly limit: number; readonly used: number };
  readonly ban: { readonly until: string; readonly step: number; readonly reason: string } | null;
}

export interface ShownEvent {
  readonly position: string;
  readonly type: string;
  readonly stream: string;
  readonly actor: string;
  readonly data: object;
}

/** A service with its management port open. */
export interface WatchedService extends Service {
  readonly management: Management;
  /** Asks until what is shown is as wanted: it is made once a second. */
  dataWhere(isWanted: (data: ConsoleData) => boolean): Promise<ConsoleData>;
  keys(query: string): Promise<{ readonly items: readonly ShownKey[]; readonly more: boolean }>;
  usage(id: bigint): Promise<{ readonly id: string; readonly days: readonly object[] }>;
  events(query?: string): Promise<{ readonly types: readonly string[]; readonly items: readonly ShownEvent[] }>;
}

export async function startWatchedService(options?: ServiceOptions): Promise<WatchedService> {
  return watched(await startService(options));
}

/** Opens the management port of a service. */
export async function watched(service: Service): Promise<WatchedService> {
  const management = await openManagement(service);
  const data = () => read<ConsoleData>(management, '/console/data');
  return {
    ...service,
    get app() {
      return service.app;
    },
    management,
    keys: (query) => read(management, `/console/keys?${query}`),
    usage: (id) => read(management, `/console/key-usage?id=${id}`),
    events: (query = '') => read(management, `/console/events${query}`),
    async dataWhere(isWanted) {
      let shown = await data();
      const isShown = async () => isWanted((shown = await data()));
      await until(isShown, () => shown);
      return shown;
    },
  };
}

async function read<Body>(management: Management, path: string): Promise<Body> {
  const answer = await management.get(path);
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'application/json; charset=utf-8',
    'no-store',
  ]);
  return (await answer.json()) as Body;
}
