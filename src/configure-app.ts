import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  ServiceAdapter,
  createFastifyAdapter,
  ErrorFilter,
  type AdmissionHook,
  type ClientAddresses,
  type CountUnreadable,
  type FastifyAdapterOptions,
  type CachedResponsesOptions,
} from '#libs/api-kit';
import type { Logger } from 'pino';

const PREFIX = 'v1';
/** Asked all the time by proxies and orchestrators. */
const HEALTH = '/health';
const UNVERSIONED = ['docs', 'docs/{*path}', 'openapi.json', 'graphql', 'graphiql', 'graphiql/{*path}', 'schemas/:type/:version'];

export interface AppConfiguration {
  readonly logger: Logger;
  /** Whom the log says that a request was refused to; nobody when left out. */
  readonly addresses?: ClientAddresses | undefined;
  readonly corsOrigins: readonly string[];
  /** Decides who a request comes from, and refuses it with 401 or 403; with limits in place also with 429. */
  readonly authenticate: AdmissionHook;
  /** Counts a request for what is open to everybody, and refuses it with 429; nothing does when left out. */
  readonly countOpen?: AdmissionHook;
  /** Gives the answer to a preflight, which is never authenticated, its further headers. */
  readonly describePreflight?: AdmissionHook;
  readonly countUnreadable?: CountUnreadable;
  readonly cached?: CachedResponsesOptions;
}

/** The adapter for `NestFactory.create`, to be given `bodyParser: false` beside it. */
export function createAdapter(
  options: Omit<FastifyAdapterOptions, 'protectedPrefixes' | 'jsonPrefixes' | 'exemptPrefixes'>,
): ServiceAdapter {
  return createFastifyAdapter({
    ...options,
    protectedPrefixes: [`/${PREFIX}`, '/graphql'],
    jsonPrefixes: [`/${PREFIX}`],
    exemptPrefixes: [HEALTH],
  });
}

/** Gives an application on the adapter of `createAdapter` its paths, admission and errors. Call it before `init` or `listen`. */
export function configureApp(app: NestFastifyApplication, configuration: AppConfiguration): void {
  const { logger, addresses, corsOrigins, authenticate, countOpen, describePreflight, countUnreadable, cached } = configuration;
  const adapter = serviceAdapterOf(app);
  app.setGlobalPrefix(PREFIX, { exclude: UNVERSIONED });
  app.useGlobalFilters(new ErrorFilter(logger, addresses));
  adapter.admit({
    corsOrigins,
    hooks: [authenticate],
    openHooks: countOpen ? [countOpen] : [],
    checkOf: (check) => app.get(check, { strict: false }),
    preflightHooks: describePreflight ? [describePreflight] : [],
    ...(countUnreadable && { countUnreadable }),
    ...(cached && { cached }),
  });
}

/** The adapter that an application was created on. @throws TypeError when it is not that of `createAdapter`. */
export function serviceAdapterOf(app: NestFastifyApplication): ServiceAdapter {
  const adapter = app.getHttpAdapter();
  if (adapter instanceof ServiceAdapter) return adapter;
  throw new TypeError('The application must be created on the adapter of createAdapter.');
}
