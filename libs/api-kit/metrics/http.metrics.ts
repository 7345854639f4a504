import { Counter, Histogram } from 'prom-client';
import type { MetricsRegistry } from '#libs/operations';
import { keyIdOf, type RequestContext } from '../request/request-context.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
// So that no number of keys makes more series.
const MOST_KEYS = 200;
/** Stands for all values of a label beyond the bounded ones. */
const OTHER = 'other';
/** Stands for every path that no route has. */
const NO_ROUTE = 'none';
/** Stands for the route of what could not be read as a request. */
const UNREADABLE = 'unreadable';
/** Stands for the status where the client went away before an answer began. */
const ABORTED = 'aborted';

interface RouteTally {
  readonly statuses: Map<string | number, number>;
  /** By the id of the API key, where the route is deprecated. */
  readonly deprecatedUses: Map<string, number>;
}

/** The metrics of the HTTP server. What is counted is kept as plain numbers, which are turned into series when they are asked for. */
export class HttpMetrics {
  private readonly routes = new Map<string, Map<string, RouteTally>>();
  private readonly unreadable = new Map<number, number>();
  private readonly keys = new BoundedLabels(MOST_KEYS);
  private readonly requests: Counter;
  private readonly deprecatedRequests: Counter;
  private readonly durations: Histogram<'method' | 'route'>;

  constructor(registry: MetricsRegistry) {
    const { prefix } = registry;
    this.requests = new Counter({
      name: `${prefix}http_requests_total`,
      help: 'Requests that were answered, by the template of their route',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
      collect: () => this.collect(),
    });
    this.deprecatedRequests = new Counter({
      name: `${prefix}deprecated_requests_total`,
      help: 'Requests whose answer says that the route is deprecated, by the id of their API key; those beyond the first 200 as "other"',
      labelNames: ['route', 'key_id'],
      registers: [registry],
      collect: () => this.collectDeprecated(),
    });
    this.durations = new Histogram({
      name: `${prefix}http_request_duration_seconds`,
      help: 'Seconds from the parsed head of a request to the end of its answer; without streams and answers that wait for something',
      labelNames: ['method', 'route'],
      buckets: SECONDS,
      registers: [registry],
    });
  }

  /** Counts a request that is over. */
  observe({ request, reply, raw, response, routeInfo, startedAt, isOpenEnded }: RequestContext): void {
    const method = METHODS.has(raw.method) ? (raw.method ?? OTHER) : OTHER;
    const route = routeInfo?.template ?? NO_ROUTE;
    const { statuses, deprecatedUses } = this.tallyOf(route, method);
    increase(statuses, response.headersSent ? response.statusCode : ABORTED);
    if (!isOpenEnded) this.durations.observe({ method, route }, (performance.now() - startedAt) / 1_000);
    // RFC 9745
    if (reply?.hasHeader('deprecation')) increase(deprecatedUses, this.keys.of(keyIdOf(request) ?? OTHER));
  }

  /** Counts an answer to what could not be read as a request, which has no duration. */
  observeUnreadable(status: number): void {
    increase(this.unreadable, status);
  }

  private tallyOf(route: string, method: string): RouteTally {
    const known = this.routes.get(route)?.get(method);
    if (known) return known;
    const tally: RouteTally = { statuses: new Map(), deprecatedUses: new Map() };
    const methods = this.routes.get(route) ?? new Map<string, RouteTally>();
    this.routes.set(route, methods.set(method, tally));
    return tally;
  }

  private collect(): void {
    this.requests.reset();
    for (const [route, methods] of this.routes) {
      for (const [method, { statuses }] of methods) {
        for (const [status, count] of statuses) this.requests.inc({ method, route, status }, count);
      }
    }
    for (const [status, count] of this.unreadable) this.requests.inc({ method: OTHER, route: UNREADABLE, status }, count);
  }

  private collectDeprecated(): void {
    this.deprecatedRequests.reset();
    for (const [route, methods] of this.routes) {
      for (const { deprecatedUses } of methods.values()) {
        for (const [key, count] of deprecatedUses) this.deprecatedRequests.inc({ route, key_id: key }, count);
      }
    }
  }
}

/** Keeps a label at a bounded number of values: the first ones that come are kept, all later ones are `other`. */
class BoundedLabels {
  private readonly known = new Set<string>();

  constructor(private readonly most: number) {}

  of(value: string): string {
    if (this.known.has(value)) return value;
    if (this.known.size >= this.most) return OTHER;
    this.known.add(value);
    return value;
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
