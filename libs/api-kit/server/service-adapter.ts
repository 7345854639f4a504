import type { Type } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Admission, type AdmissionHook } from '../admission/admission.js';
import { CrossOriginPolicy } from '../admission/cross-origin.js';
import type { Route, RouteTable } from '../admission/route-table.js';
import type { AdmissionCheck } from '../routes/admitted-by.decorator.js';
import { incompleteRoutes } from './incomplete-routes.js';
import { CachedResponses, type CachedResponsesOptions } from '../caching/cached-responses.js';
import type { Connections } from './connections.js';
import type { CountUnreadable, SocketErrorWriter } from './socket-error-writer.js';

/** Who is admitted: known only once the application is put together. */
export interface AdmissionPolicy {
  /** Origins whose pages may call the service, as browsers send them. */
  readonly corsOrigins: readonly string[];
  /** Run in this order for every request to a protected path, before its body is read. */
  readonly hooks: readonly AdmissionHook[];
  /** Run for every other request, but for those to exempt paths; none when left out. */
  readonly openHooks?: readonly AdmissionHook[];
  /** Run for a preflight of an allowed origin instead; none when left out. */
  readonly preflightHooks?: readonly AdmissionHook[];
  /** Gives the check that a route names by `AdmittedBy`; where it is left out, no route may name one. */
  readonly checkOf?: (check: Type<AdmissionCheck>) => AdmissionCheck;
  readonly countUnreadable?: CountUnreadable;
  /** How responses of routes marked by `CacheByProjection` are cached; none are when left out. */
  readonly cached?: CachedResponsesOptions;
}

const NO_MIDDLEWARE =
  'Middleware is not run by this service: use a guard, an interceptor, or a hook of Fastify as `app.getHttpAdapter().getInstance().addHook`.';

const NO_OTHER_ORIGINS = 'Origins are decided by admission, before Nest: name them in `corsOrigins` of `admit`.';
const NO_VERSIONED_HANDLERS =
  'Admission knows a route by method and path: give a version a path of its own, as VersioningType.URI does, not a header.';

function noCheck({ name }: Type<AdmissionCheck>): never {
  throw new Error(`A route is admitted by ${name}, but \`checkOf\` of \`admit\` does not say where checks come from.`);
}

interface ServiceParts {
  readonly routes: RouteTable;
  readonly jsonPrefixes: readonly string[];
  readonly rawErrors: SocketErrorWriter;
  readonly bodyLimitBytes: number;
  readonly connections: Connections;
}

/** Nest's Fastify adapter for `createFastifyAdapter`. */
export class ServiceAdapter extends FastifyAdapter {
  constructor(
    instance: FastifyInstance,
    private readonly parts: ServiceParts,
  ) {
    super(instance);
  }

  /** The open connections, on whichever address they came in. */
  get connections(): Connections {
    return this.parts.connections;
  }

  /** Installs admission; once, before the application is initialised. */
  admit({ corsOrigins, hooks, openHooks = [], preflightHooks = [], checkOf = noCheck, countUnreadable, cached }: AdmissionPolicy): void {
    const { routes, rawErrors, bodyLimitBytes } = this.parts;
    const crossOrigin = new CrossOriginPolicy(corsOrigins);
    const admission = new Admission({ routes, crossOrigin, hooks, openHooks, preflightHooks, bodyLimitBytes, checkOf });
    this.getInstance().addHook('onRequest', admission.hook);
    if (cached) this.getInstance().addHook('onRequest', new CachedResponses(cached).find);
    if (countUnreadable) rawErrors.countUnreadable = countUnreadable;
  }

  /** All routes, in the order of their registration. */
  get routes(): readonly Route[] {
    return this.parts.routes.all();
  }

  /**
   * To be called once all routes are registered.
   * @param known the scopes that a key can have, and the names of the read models
   * @throws Error with a line for each thing that a route leaves unsaid
   */
  assertRoutesComplete(known: { readonly scopes: ReadonlySet<string>; readonly readModels: ReadonlySet<string> }): void {
    const { jsonPrefixes } = this.parts;
    const faults = incompleteRoutes(this.routes, { jsonPrefixes, ...known });
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }

  /** @throws Error always: nothing would run it. */
  override createMiddlewareFactory(): never {
    throw new Error(NO_MIDDLEWARE);
  }

  /** @throws Error always: nothing would run it. */
  override use(): never {
    throw new Error(NO_MIDDLEWARE);
  }

  /** @throws Error always: two answers to a preflight would contradict each other. */
  override enableCors(): never {
    throw new Error(NO_OTHER_ORIGINS);
  }

  /** Asked for by versions in a header. @throws Error always: no request would reach the handler. */
  override applyVersionFilter(): never {
    throw new Error(NO_VERSIONED_HANDLERS);
  }

  /** Leaves out the engine for Connect middleware, which the service has none of; hooks do that work. */
  override init(): Promise<void> {
    return Promise.resolve();
  }
}
