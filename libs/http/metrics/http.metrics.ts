import { Counter, Histogram } from 'prom-client';
import type { MetricsRegistry } from '#libs/observability';
import { keyIdOf, type RequestContext } from '../request/request-context.js';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Bounds the series by key. */
const MOST_KEYS = 200;
/** Stands for all values of a label that are not counted on their own. */
const OTHER = 'other';
/** The route of every path without a route. */
const NO_ROUTE = 'none';
/** The route of what could not be read as a request. */
const UNREADABLE = 'unreadable';
/** The status if the client went away before the response began. */
const ABORTED = 'aborted';

interface RouteTally {
  readonly labels: { readonly method: string; readonly route: string };
  readonly statuses: Map<string | number, number>;
  /** Responses that announce a deprecation, by the id of the API key. */
  readonly deprecatedUses: Map<string, number>;
}

/** The metrics of the HTTP server. Counts are plain numbers, which become series when they are collected. */
export class HttpMetrics {
  private readonly tallies = new Map<string, RouteTally>();
  private readonly keys = new Set<string>();
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
    const { labels, statuses, deprecatedUses } = this.tally(method, routeInfo?.template ?? NO_ROUTE);
    increase(statuses, response.headersSent ? response.statusCode : ABORTED);
    if (!isOpenEnded) this.durations.observe(labels, (performance.now() - startedAt) / 1_000);
    // RFC 9745
    if (reply?.hasHeader('deprecation')) increase(deprecatedUses, this.keyLabel(keyIdOf(request)));
  }

  /** Counts a response to something that could not be read as a request, which has no duration. */
  observeUnreadable(status: number): void {
    increase(this.tally(OTHER, UNREADABLE).statuses, status);
  }

  private tally(method: string, route: string): RouteTally {
    const name = `${method} ${route}`;
    const known = this.tallies.get(name);
    if (known) return known;
    const tally: RouteTally = { labels: { method, route }, statuses: new Map(), deprecatedUses: new Map() };
    this.tallies.set(name, tally);
    return tally;
  }

  private keyLabel(keyId: string | undefined): string {
    if (keyId === undefined || (this.keys.size >= MOST_KEYS && !this.keys.has(keyId))) return OTHER;
    this.keys.add(keyId);
    return keyId;
  }

  private collect(): void {
    this.requests.reset();
    for (const { labels, statuses } of this.tallies.values()) {
      for (const [status, count] of statuses) this.requests.inc({ ...labels, status }, count);
    }
  }

  private collectDeprecated(): void {
    this.deprecatedRequests.reset();
    for (const { labels, deprecatedUses } of this.tallies.values()) {
      for (const [key, count] of deprecatedUses) this.deprecatedRequests.inc({ route: labels.route, key_id: key }, count);
    }
  }
}

function increase<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
