import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createAdmission, type AdmissionHooks } from '../admission/admission.js';
import type { Route, RouteTable } from '../admission/route-table.js';
import { CachedResponses, type CachedResponsesOptions } from '../caching/cached-responses.js';
import type { Connections } from './connections.js';
import type { CountUnreadable } from './raw-errors.js';

type CorsOptions = NonNullable<Parameters<FastifyAdapter['enableCors']>[0]>;

const CORS_OPTIONS: CorsOptions = {
  strictPreflight: false,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowedHeaders: 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-Request-Id',
  // All of them, since no request has credentials of the browser.
  exposedHeaders: '*',
  maxAge: 600,
};

/** Admission policy. Set after the modules are composed. */
export interface AdmissionPolicy extends AdmissionHooks {
  /** Origins whose pages may call the service, as browsers send them. */
  readonly corsOrigins: readonly string[];
  readonly countUnreadable?: CountUnreadable;
  /** How responses of routes marked by `CacheByProjection` are cached. Default: not at all. */
  readonly cached?: CachedResponsesOptions;
}

/** Nest's Fastify adapter for `createFastifyAdapter`. */
export class ServiceAdapter extends FastifyAdapter {
  /** Decides over each request by its head. */
  admission: ReturnType<typeof createAdmission> = () => Promise.reject(new Error('The adapter has no admission policy.'));
  cachedResponses: CachedResponses | undefined;
  private hasMiddleware = false;

  constructor(
    instance: FastifyInstance,
    /** The open connections. */
    readonly connections: Connections,
    private readonly table: RouteTable,
    private readonly bodyLimitBytes: number,
  ) {
    super(instance);
  }

  /** All routes, in the order of their registration. */
  get routes(): readonly Route[] {
    return this.table.routes;
  }

  /** Sets who is admitted; once, before the application is initialised. */
  admit({ corsOrigins, countUnreadable, cached, ...hooks }: AdmissionPolicy): void {
    this.admission = createAdmission(hooks, this.bodyLimitBytes);
    if (corsOrigins.length > 0) this.enableCors(crossOriginOptions(corsOrigins));
    if (cached) this.cachedResponses = new CachedResponses(cached);
    if (countUnreadable) this.connections.countUnreadable = countUnreadable;
  }

  /** Adds the routes of all methods and paths that no other route has, when the application listens. */
  override listen(port: string | number, ...rest: readonly unknown[]): void {
    this.table.complete(this.getInstance());
    super.listen(port, ...(rest as [hostname: string, callback: () => void]));
  }

  /** Adds middleware, which runs after admission. */
  override use(...middleware: unknown[]): unknown {
    this.hasMiddleware = true;
    return super.use(...middleware);
  }

  /** Loads the engine for middleware only if there is some: it costs every request 2 µs. Middleware of modules loads it too. */
  override async init(): Promise<void> {
    if (this.hasMiddleware) await super.init();
  }
}

/** Returns the adapter of an application. @throws TypeError if it is not one of `createFastifyAdapter` */
export function getServiceAdapter(app: NestFastifyApplication): ServiceAdapter {
  const adapter = app.getHttpAdapter();
  if (adapter instanceof ServiceAdapter) return adapter;
  throw new TypeError('The application must be created on the adapter of createFastifyAdapter.');
}

/**
 * Returns the options of `enableCors`: a preflight of an allowed origin is answered before authentication, other `OPTIONS` are not.
 * @param origins exactly as browsers send them, such as `https://shop.example`; `*` stands for any
 */
function crossOriginOptions(origins: readonly string[]): CorsOptions {
  const delegator = ({ headers }: FastifyRequest, done: (error: null, options: CorsOptions) => void): void => {
    const { origin, 'access-control-request-method': preflight } = headers;
    const isAllowed = origin !== undefined && (origins.includes(origin) || origins.includes('*'));
    done(null, { ...CORS_OPTIONS, origin: isAllowed && origin, preflight: preflight !== undefined });
  };
  return { delegator };
}
